/* Separation: the reference's numbers, and mass, momentum and energy kept; engines and tanks
 * against Tsiolkovsky's closed form.
 */
#include "world_test.h"

#include <stdlib.h>

static table *known;

static double quantity(const char *name) {
    for (int i = 0; i < known->n_rows; i++)
        if (!strcmp(known->cell[i][0], name))
            return strtod(known->cell[i][1], NULL);
    fail_msg("the reference has no %s", name);
    return 0;
}

#define STACK(extra) STACK_AT("[6.5e6, 1.2e5, -3e4]", "[1500, 2600, -40]", extra)
/* Where an ulp of the position is too small to show in the momenta. */
#define NEAR(extra) STACK_AT("[10, -5, 3]", "[1, 2, -3]", extra)
#define STACK_AT(r, v, extra)                                                                      \
    "ironbird: 1\nmission: stack\nplants: {stack: {model: stack.yaml}}\nenvironment: {gravity: "   \
    "none, atmosphere: none}\nvehicles: {s: {plant: stack, initial: {frame: eci, position: " r     \
    ", velocity: " v ", quaternion: [0.9, 0.1, -0.3, 0.3], "                                       \
    "rates: [0.02, -0.15, 0.07]}, devices: {icu: {type: icu, sequence: [{do: arm}, {do: "          \
    "separate, payload: stage1}]}, imu: {type: imu, body: stage1, gyro: {noise: 1e-3}}}, "         \
    "separations: {stage1: {release: [interstage], as: spent" extra "}}}}\n"

/* Separates without a tick of flight: in D of a tick whose physics is frozen. */
static ib_world *separated(const char *text) {
    char dry[4000];
    snprintf(dry, sizeof dry, "%smode: avionics_dry\n", text);
    ib_world *world = create_world(dry, NULL);
    fly_to(world, MS);
    assert_true(ib_world_vehicle_flies(world, 1));
    return world;
}

static void assert_near_vector(const double own[3], const char *name, const char *const parts[3]) {
    double wanted[3], largest = 0;
    for (int i = 0; i < 3; i++) {
        char text[100];
        snprintf(text, sizeof text, "%s_%s", name, parts[i]);
        wanted[i] = quantity(text);
        largest = fabs(wanted[i]) > largest ? fabs(wanted[i]) : largest;
    }
    for (int i = 0; i < 3; i++)
        ASSERT_NEAR(own[i], wanted[i], 1e-12 * largest);
}

static const char *const xyz[] = {"x", "y", "z"};

static void assert_body(const ib_vehicle_state *state, const char *name) {
    char text[100];
    snprintf(text, sizeof text, "J0_%s_r", name);
    assert_near_vector(state->flight.position, text, xyz);
    snprintf(text, sizeof text, "J0_%s_v", name);
    assert_near_vector(state->flight.velocity, text, xyz);
    snprintf(text, sizeof text, "J0_%s_omega_body", name);
    assert_near_vector(state->flight.rate, text, xyz);
}

static void test_reference(void **state) {
    (void)state;
    known = table_read("flight/stage_separation_example.csv");
    ib_world *whole = create_world(STACK(""), NULL);
    const ib_vehicle_state *before = &ib_world_vehicle(whole, 0)->state;
    ASSERT_NEAR(before->body.mass, quantity("m"), 1e-12 * quantity("m"));
    assert_near_vector(before->centre, "cg_body", xyz);
    const double J[3] = {before->body.inertia[0], before->body.inertia[4], before->body.inertia[8]};
    ASSERT_NEAR(J[0], quantity("I_xx"), 1e-12 * quantity("I_zz"));
    ASSERT_NEAR(J[1], quantity("I_yy"), 1e-12 * quantity("I_zz"));
    ASSERT_NEAR(J[2], quantity("I_zz"), 1e-12 * quantity("I_zz"));
    ASSERT_NEAR(before->body.inertia[1], quantity("I_xy"), 1e-12 * quantity("I_zz"));
    ASSERT_NEAR(before->body.inertia[2], quantity("I_xz"), 1e-12 * quantity("I_zz"));
    ib_world *world = separated(STACK(""));
    assert_body(&ib_world_vehicle(world, 0)->state, "stage2");
    assert_body(&ib_world_vehicle(world, 1)->state, "stage1");
    ib_world_destroy(world);
    ib_world_destroy(whole);
    free(known);
}

/* Linear momentum, and angular momentum about a point that moves along. */
static void momenta(const ib_vehicle_state *state, const double r[3], const double v[3],
                    double linear[3], double angular[3]) {
    double arm[3], relative[3], spin[3], orbit[3];
    ib_sub3(state->flight.position, r, arm);
    ib_sub3(state->flight.velocity, v, relative);
    ib_axpy(linear, state->body.mass, state->flight.velocity, linear);
    ib_mul3v(state->body.inertia, state->flight.rate, spin);
    ib_quat_rotate(state->flight.attitude, spin, spin);
    ib_cross(arm, relative, orbit);
    ib_axpy(angular, state->body.mass, orbit, angular);
    ib_axpy(angular, 1, spin, angular);
}

/* With and without an impulse: 1e-12 of the momenta's size, which is rounding of sums of products.
 */
static void test_momentum(void **state) {
    (void)state;
    static const char *const texts[] = {
        NEAR(""), NEAR(", impulse: 4e4"), NEAR(", impulse: 4e4, along: [0.2, 1, -3]"),
        NEAR(", impulse: 1e5, at: [-13, 1, 2], along: [1, 0.5, 0]")};
    for (size_t k = 0; k < IB_COUNT(texts); k++) {
        ib_world *whole = create_world(texts[k], NULL), *world = separated(texts[k]);
        const ib_vehicle_state *before = &ib_world_vehicle(whole, 0)->state;
        double p0[3] = {0}, L0[3] = {0}, p[3] = {0}, L[3] = {0};
        momenta(before, before->flight.position, before->flight.velocity, p0, L0);
        double mass = 0;
        for (size_t i = 0; i < 2; i++) {
            const ib_vehicle_state *part = &ib_world_vehicle(world, i)->state;
            momenta(part, before->flight.position, before->flight.velocity, p, L);
            mass += part->body.mass;
        }
        assert_true(mass == before->body.mass);
        for (int i = 0; i < 3; i++) {
            ASSERT_NEAR(p[i], p0[i], 1e-12 * ib_norm(p0));
            ASSERT_NEAR(L[i], L0[i], 1e-12 * 1.6e6);
        }
        const double *a = ib_world_vehicle(world, 0)->state.flight.velocity;
        const double *b = ib_world_vehicle(whole, 0)->state.flight.velocity;
        assert_true(k == 0 || a[0] != b[0]);
        ib_world_destroy(whole);
        ib_world_destroy(world);
    }
}

/* The unit that stands on the part goes with it, reads on there, and keeps its stream of noise. */
static void test_devices_go_along(void **state) {
    (void)state;
    ib_world *world = create_world(STACK(""), NULL);
    assert_true(channel(world, "s.mass") == channel(world, "s.mass"));
    assert_true(channel(world, "spent.mass") != channel(world, "spent.mass"));
    fly_to(world, MS);
    const double before = channel(world, "spent.imu.rate.x");
    assert_true(channel(world, "s.imu.rate.x") != channel(world, "s.imu.rate.x"));
    assert_true(channel(world, "s.icu.state") == channel(world, "s.icu.state"));
    assert_true(channel(world, "spent.icu.state") != channel(world, "spent.icu.state"));
    fly_to(world, 100 * MS);
    assert_true(channel(world, "spent.imu.rate.x") != before);
    assert_int_equal(ib_bus_counts(ib_world_vehicle(world, 1)->bus, IB_TOPIC_IMU).published, 99);
    assert_int_equal(ib_bus_counts(ib_world_vehicle(world, 0)->bus, IB_TOPIC_IMU).published, 1);
    ib_world_destroy(world);
}

#define RULED(events)                                                                              \
    "ironbird: 1\nmission: stack\nplants: {stack: {model: three.yaml}}\nvehicles: {s: {plant: "    \
    "stack, initial: {position: [0, 0, 1e5]}, separations: {first: {release: [j1], as: one}, "     \
    "second: {release: [j2], as: two}}}}\nevents: [" events "]\n"
#define AT(time, part)                                                                             \
    "{name: e, when: \"t - " time "\", do: [{separate: {vehicle: s, part: " part "}}]}"

/* Two in one tick, in the mission's order. */
static void test_two_in_one_tick(void **state) {
    (void)state;
    ib_world *world = create_world(RULED(AT("0.0105", "first") ", " AT("0.0102", "second")), NULL);
    fly_to(world, 20 * MS);
    assert_int_equal(ib_world_vehicle(world, 0)->state.parts, 1);
    assert_int_equal(ib_world_vehicle(world, 1)->state.parts, 4);
    assert_int_equal(ib_world_vehicle(world, 2)->state.parts, 2);
    ib_world_destroy(world);
}

/* A part that left with another comes off that one. */
static void test_from_the_spent_part(void **state) {
    (void)state;
    ib_world *world = create_world(RULED(AT("0.01", "second") ", " AT("0.02", "first")), NULL);
    fly_to(world, 15 * MS);
    assert_int_equal(ib_world_vehicle(world, 2)->state.parts, 6);
    fly_to(world, 25 * MS);
    assert_int_equal(ib_world_vehicle(world, 2)->state.parts, 2);
    assert_int_equal(ib_world_vehicle(world, 1)->state.parts, 4);
    ib_world_destroy(world);
}

/* Once more has nothing to do, and says so. */
static void test_twice(void **state) {
    (void)state;
    ib_world *world = create_world(RULED(AT("0.01", "first") ", " AT("0.02", "first")), NULL);
    ib_diags *diags = ib_diags_create();
    while (ib_world_time(world) < 30 * MS)
        assert_int_equal(ib_world_tick(world, diags), IB_OK);
    assert_int_equal(ib_diags_count(diags), 1);
    assert_string_equal(ib_diags_at(diags, 0)->id, "IB0723");
    assert_int_equal(ib_world_vehicle(world, 1)->state.parts, 4);
    ib_diags_destroy(diags);
    ib_world_destroy(world);
}

static void test_refused(void **state) {
    (void)state;
#define PART(text)                                                                                 \
    "ironbird: 1\nmission: m\nplants: {stack: {model: three.yaml}}\nvehicles: {s: {plant: stack, " \
    "separations: {a: " text "}}}\n"
    refuse_world(PART("{release: [j3], as: one}"), "IB0323", "'j3'");
    refuse_world(PART("{release: [j1], as: s}"), "IB0301", "'s'");
    refuse_world(PART("{release: [], as: one}"), "IB0349", "two parts");
    refuse_world(PART("{release: [j1, j2], as: one}"), "IB0349", "two parts");
    refuse_world(PART("{release: [j1], as: one, devices: [x]}"), "IB0342", "'x'");
    refuse_world("ironbird: 1\nmission: m\nplants: {b: {model: brick.yaml}}\nvehicles: {s: {plant: "
                 "b, separations: {a: {release: [j1], as: one}}}}\n",
                 "IB0323", "'j1'");
#undef PART
}

/* ---- engines and tanks ---- */

/* The closed form's rocket is a point: the structure's height, whose centre of mass moves as the
 * tanks empty. Nose up, structure axis x is the vertical. */
static double height(ib_world *world, double start) {
    return channel(world, "r.body.position.z") - channel(world, "r.centre.x") + start;
}

static void climb(const char *gravity, double g, int row) {
    table *ascent = table_read("flight/tsiolkovsky_two_stage.csv");
    char text[3000];
    snprintf(text, sizeof text,
             "ironbird: 1\nmission: ascent\nplants: {rocket: {model: rocket.yaml}}\n"
             "environment: {earth: {shape: flat}, gravity: %s, atmosphere: none}\n"
             "vehicles: {r: {plant: rocket, initial: {euler: {sequence: zyx, angles: [0, -90 deg, "
             "0]}}, devices: {e1: {type: ecu, body: stage1, thrust: 17 MN, impulse: 360, "
             "propellant: 180000, start: 0}, e2: {type: ecu, body: stage2, thrust: 5 MN, impulse: "
             "390, propellant: 80000, start: 42.381}, icu: {type: icu, sequence: [{after: "
             "burnout(e1), do: arm}, {delay: 4.99, do: separate, payload: stage1}]}}, separations: "
             "{stage1: {release: [interstage], as: spent}}}}\n",
             gravity);
    ib_world *world = create_world(text, NULL);
    const double start = channel(world, "r.centre.x");
    /* To the tick that the burn-out splits, and from its end back along the coast. */
    const double t1 = table_number(ascent, row, "t_s"), v1 = table_number(ascent, row, "v_mps");
    fly_to(world, 37381 * MS);
    const double rest = 37.381 - t1;
    ASSERT_NEAR(channel(world, "r.mass"), table_number(ascent, row, "mass_kg"), 1e-6);
    ASSERT_NEAR(channel(world, "r.body.velocity.z"), v1 - g * rest, 1e-6);
    ASSERT_NEAR(height(world, start),
                table_number(ascent, row, "h_m") + v1 * rest - g * rest * rest / 2, 1e-4);
    /* The second engine starts on a tick, late by: */
    const double late = 42.381 - table_number(ascent, row + 2, "t_s");
    const double t2 = table_number(ascent, row + 3, "t_s") + late;
    const double burn = t2 - 42.381, v0 = table_number(ascent, row + 2, "v_mps");
    const double v2 = table_number(ascent, row + 3, "v_mps") - g * late;
    const double h2 =
        table_number(ascent, row + 3, "h_m") + v0 * late - g * late * late / 2 - g * late * burn;
    const ib_time end = ((ib_time)(t2 * 1000) + 1) * MS;
    fly_to(world, end);
    const double after = ib_time_seconds(end) - t2;
    ASSERT_NEAR(channel(world, "r.mass"), table_number(ascent, row + 3, "mass_kg"), 1e-6);
    ASSERT_NEAR(channel(world, "r.body.velocity.z"), v2 - g * after, 2e-6);
    ASSERT_NEAR(height(world, start), h2 + v2 * after - g * after * after / 2, 1e-3);
    ASSERT_NEAR(channel(world, "spent.mass"), 35000, 1e-6);
    ib_world_destroy(world);
    free(ascent);
}

/* Velocities to the nanosecond that a burn-out is located to, times 130 m/s^2 of acceleration. */
static void test_tsiolkovsky(void **state) {
    (void)state;
    climb("none", 0, 0);
    climb("[0, 0, -9.80665]", 9.80665, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_devices_go_along),
        cmocka_unit_test(test_two_in_one_tick),
        cmocka_unit_test(test_from_the_spent_part),
        cmocka_unit_test(test_twice),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_tsiolkovsky),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
