/* Saving and restoring: a run continued from a snapshot at any time gives the same bits, whatever
 * happened in between, and neither reading nor another run in the same process changes any.
 */
#include "mechanics/busy.h"

typedef struct setting {
    const char *name;
    ib_mech_solver solver;
    ib_time step;
} setting;

static const setting settings[] = {
    {"dopri5", IB_MECH_DOPRI5, 0},
    {"dop853", IB_MECH_DOP853, 0},
    {"dopri5 fixed", IB_MECH_DOPRI5, IB_SECOND / 500},
    {"rk4", IB_MECH_RK4, IB_SECOND / 500},
    {"generalized_alpha", IB_MECH_GENERALIZED_ALPHA, IB_SECOND / 500},
    {"generalized_alpha, controlled", IB_MECH_GENERALIZED_ALPHA, 0},
    {"stiff", IB_MECH_STIFF, 0},
    {"stiff fixed", IB_MECH_STIFF, IB_SECOND / 100},
};

static void *save(const rig *r) {
    void *state = malloc(ib_dynamics_state_size(r->dynamics));
    assert_non_null(state);
    ib_dynamics_save(r->dynamics, state);
    return state;
}

/* Advances without reading anything. */
static void advance(rig *r, double seconds) {
    if (ib_dynamics_advance(r->dynamics, to_time(seconds), NULL, NULL, r->diags) == IB_OK)
        return;
    print_diags(r->diags);
    fail_msg("the run fails on its way to %g s", seconds);
}

static void set_input(rig *r, double value) {
    ib_dynamics_leaves(r->dynamics)[BUSY_INPUT] = value;
    assert_int_equal(ib_dynamics_inputs_changed(r->dynamics, r->diags), IB_OK);
}

/* Bodies, and what is read from them: accelerations, reactions, measures. */
typedef struct reading {
    double y[13 * BUSY_BODIES], acceleration[6 * BUSY_BODIES], reaction[6][6], measure[4], lambda,
        auxiliary;
} reading;

static reading read_all(rig *r) {
    reading out;
    memset(&out, 0, sizeof out);
    assert_int_equal(ib_dynamics_refresh(r->dynamics, r->diags), IB_OK);
    memcpy(out.y, ib_dynamics_bodies(r->dynamics), sizeof out.y);
    for (int b = 0; b < BUSY_BODIES; b++)
        memcpy(out.acceleration + 6 * b, ib_dynamics_acceleration(r->dynamics, b),
               6 * sizeof(double));
    for (int j = 0; j < 6; j++)
        ib_dynamics_reaction(r->dynamics, j, out.reaction[j], out.reaction[j] + 3);
    for (int k = 0; k < 4; k++)
        out.measure[k] = ib_dynamics_measure(r->dynamics, k);
    out.lambda = ib_dynamics_driver_lambda(r->dynamics, 0);
    out.auxiliary = ib_dynamics_auxiliary(r->dynamics, 0);
    return out;
}

/* Twenty random times: save there, go on, come back, and arrive at the same bits. */
static void test_restored_runs(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(settings); i++) {
        uint64_t sequence = 100 * i;
        busy b = busy_start(settings[i].solver, settings[i].step);
        double t = 0;
        for (int k = 0; k < 20; k++) {
            t += 0.0005 + 0.02 * (1 + next_random(&sequence));
            advance(&b.rig, t);
            if (k % 5 == 3)
                set_input(&b.rig, 2 + next_random(&sequence));
            void *snapshot = save(&b.rig);
            advance(&b.rig, t + 0.037);
            const reading first = read_all(&b.rig);
            set_input(&b.rig, 17); /* somewhere else altogether */
            advance(&b.rig, t + 0.06);
            assert_int_equal(ib_dynamics_restore(b.rig.dynamics, snapshot,
                                                 ib_dynamics_state_size(b.rig.dynamics)),
                             IB_OK);
            assert_int_equal(ib_dynamics_time(b.rig.dynamics), to_time(t));
            void *again = save(&b.rig);
            assert_memory_equal(snapshot, again, ib_dynamics_state_size(b.rig.dynamics));
            advance(&b.rig, t + 0.037);
            const reading second = read_all(&b.rig);
            if (memcmp(&first, &second, sizeof first) != 0)
                fail_msg("%s: the run restored at %g s arrives elsewhere", settings[i].name, t);
            assert_int_equal(ib_dynamics_restore(b.rig.dynamics, snapshot,
                                                 ib_dynamics_state_size(b.rig.dynamics)),
                             IB_OK);
            free(snapshot);
            free(again);
        }
        busy_end(&b);
    }
}

/* A snapshot of one run continues in another run of the same model. */
static void test_restore_elsewhere(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(settings); i++) {
        busy one = busy_start(settings[i].solver, settings[i].step);
        busy two = busy_start(settings[i].solver, settings[i].step);
        advance(&one.rig, 0.21);
        void *snapshot = save(&one.rig);
        advance(&two.rig, 0.05);
        assert_int_equal(ib_dynamics_restore(two.rig.dynamics, snapshot,
                                             ib_dynamics_state_size(two.rig.dynamics)),
                         IB_OK);
        advance(&one.rig, 0.4);
        advance(&two.rig, 0.4);
        const reading a = read_all(&one.rig), b = read_all(&two.rig);
        assert_memory_equal(&a, &b, sizeof a);
        free(snapshot);
        busy_end(&one);
        busy_end(&two);
    }
}

/* Two runs taken in turns are as two runs one after the other. */
static void test_interleaved(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(settings); i++) {
        reading alone[2], together[2];
        for (int k = 0; k < 2; k++) {
            busy b = busy_start(settings[i].solver, settings[i].step);
            set_input(&b.rig, k ? -3 : 2.5);
            for (int j = 1; j <= 10; j++)
                advance(&b.rig, 0.03 * j);
            alone[k] = read_all(&b.rig);
            busy_end(&b);
        }
        busy b[2] = {busy_start(settings[i].solver, settings[i].step),
                     busy_start(settings[i].solver, settings[i].step)};
        for (int k = 0; k < 2; k++)
            set_input(&b[k].rig, k ? -3 : 2.5);
        for (int j = 1; j <= 10; j++)
            for (int k = 0; k < 2; k++)
                advance(&b[k].rig, 0.03 * j);
        for (int k = 0; k < 2; k++) {
            together[k] = read_all(&b[k].rig);
            busy_end(&b[k]);
        }
        assert_memory_equal(alone, together, sizeof alone);
    }
}

/* Reading on the way changes no bit of what comes after, and is not counted as work of the run. */
static void test_reading_changes_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(settings); i++) {
        busy quiet = busy_start(settings[i].solver, settings[i].step);
        busy asked = busy_start(settings[i].solver, settings[i].step);
        for (int k = 1; k <= 12; k++) {
            double position, velocity;
            advance(&quiet.rig, 0.025 * k);
            advance(&asked.rig, 0.025 * k);
            read_all(&asked.rig);
            ib_dynamics_residual(asked.rig.dynamics, &position, &velocity);
            ib_dynamics_energy(asked.rig.dynamics);
            read_all(&asked.rig);
        }
        const ib_mech_statistics a = ib_dynamics_statistics(quiet.rig.dynamics),
                                 b = ib_dynamics_statistics(asked.rig.dynamics);
        assert_memory_equal(&a, &b, sizeof a);
        const reading one = read_all(&quiet.rig), two = read_all(&asked.rig);
        if (memcmp(&one, &two, sizeof one) != 0)
            fail_msg("%s: reading changes the run", settings[i].name);
        busy_end(&quiet);
        busy_end(&asked);
    }
}

/* A snapshot of another size is refused and changes nothing. */
static void test_wrong_size(void **state) {
    (void)state;
    busy b = busy_start(IB_MECH_DOPRI5, 0);
    void *snapshot = save(&b.rig);
    const size_t size = ib_dynamics_state_size(b.rig.dynamics);
    advance(&b.rig, 0.1);
    assert_int_equal(ib_dynamics_restore(b.rig.dynamics, snapshot, size - 8), IB_BAD_INPUT);
    assert_int_equal(ib_dynamics_time(b.rig.dynamics), to_time(0.1));
    free(snapshot);
    busy_end(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restored_runs), cmocka_unit_test(test_restore_elsewhere),
        cmocka_unit_test(test_interleaved),   cmocka_unit_test(test_reading_changes_nothing),
        cmocka_unit_test(test_wrong_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
