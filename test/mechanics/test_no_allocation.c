/* The ticking loop allocates nothing: calls of the allocator are counted over 10,000 steps of every
 * method, with expressions, splines, drivers, inputs, reading and snapshots.
 */
#include "mechanics/busy.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COUNTS 0
#endif
#endif
#ifndef COUNTS
#define COUNTS 1
#endif

#if COUNTS && defined(__GLIBC__)

/* The C library's own, behind the names that every caller in the process uses. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

static volatile bool counting;
static volatile unsigned long calls;

void *malloc(size_t size) {
    calls = calls + counting;
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
    calls = calls + counting;
    return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size) {
    calls = calls + counting;
    return __libc_realloc(old, size);
}

/* Reads everything there is to read. */
static double read_all(rig *r) {
    double sum = 0, force[3], torque[3], position, velocity;
    assert_int_equal(ib_dynamics_refresh(r->dynamics, r->diags), IB_OK);
    for (int j = 0; j < 6; j++) {
        ib_dynamics_reaction(r->dynamics, j, force, torque);
        sum += force[0] + torque[0];
    }
    for (int k = 0; k < 4; k++)
        sum += ib_dynamics_measure(r->dynamics, k);
    ib_dynamics_residual(r->dynamics, &position, &velocity);
    sum += ib_dynamics_energy(r->dynamics).kinetic + ib_dynamics_driver_lambda(r->dynamics, 0);
    return sum + position + velocity;
}

/* 10,000 steps with reading, a snapshot and a new input now and then. */
static void run(const char *name, ib_mech_solver solver, ib_time step) {
    busy b = busy_start(solver, step);
    ib_dynamics *d = b.rig.dynamics;
    void *snapshot = malloc(ib_dynamics_state_size(d));
    assert_non_null(snapshot);
    double sum = 0;
    calls = 0;
    counting = true;
    for (int k = 1; ib_dynamics_statistics(d).steps < 10000; k++) {
        if (ib_dynamics_advance(d, k * (IB_SECOND / 200), NULL, NULL, NULL) != IB_OK)
            break;
        sum += read_all(&b.rig);
        if (k % 10 == 0) {
            ib_dynamics_leaves(d)[BUSY_INPUT] = 2 + 0.1 * (k % 7);
            if (ib_dynamics_inputs_changed(d, NULL) != IB_OK)
                break;
        }
        if (k % 16 == 0)
            ib_dynamics_save(d, snapshot);
        if (k % 16 == 1 && k > 1)
            ib_dynamics_restore(d, snapshot, ib_dynamics_state_size(d));
    }
    counting = false;
    assert_true(ib_dynamics_statistics(d).steps >= 10000);
    assert_true(isfinite(sum));
    if (calls)
        fail_msg("%s: %lu calls of the allocator in 10,000 steps", name, calls);
    free(snapshot);
    busy_end(&b);
}

/* The count itself counts. Through pointers, since the compiler knows what malloc does. */
static void test_counting(void **state) {
    (void)state;
    void *(*volatile first)(size_t) = malloc;
    void *(*volatile second)(size_t, size_t) = calloc;
    void *(*volatile third)(void *, size_t) = realloc;
    calls = 0;
    counting = true;
    void *p = third(first(10), 20), *q = second(3, 7);
    counting = false;
    free(p);
    free(q);
    assert_int_equal(calls, 3);
}

static void test_fixed_steps(void **state) {
    (void)state;
    run("dopri5", IB_MECH_DOPRI5, IB_SECOND / 5000);
    run("dop853", IB_MECH_DOP853, IB_SECOND / 5000);
    run("rk4", IB_MECH_RK4, IB_SECOND / 5000);
}

static void test_implicit(void **state) {
    (void)state;
    run("generalized_alpha", IB_MECH_GENERALIZED_ALPHA, IB_SECOND / 5000);
}

static void test_controlled_steps(void **state) {
    (void)state;
    run("dopri5, controlled", IB_MECH_DOPRI5, 0);
    run("generalized_alpha, controlled", IB_MECH_GENERALIZED_ALPHA, 0);
    run("stiff", IB_MECH_STIFF, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counting),
        cmocka_unit_test(test_fixed_steps),
        cmocka_unit_test(test_implicit),
        cmocka_unit_test(test_controlled_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

/* A sanitizer has the allocator to itself. */
static void test_cannot_count(void **state) {
    (void)state;
    skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cannot_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
