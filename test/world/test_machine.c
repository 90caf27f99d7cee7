/* Vehicles that are mechanisms: against the model run alone, against rigid vehicles where both are
 * the same thing, against closed forms, and what must be refused. */
#include "busy_mission.h"

#include "plant/plant.h"

#define FLAT "environment: {earth: {shape: flat}, gravity: [0, 0, -9.81], atmosphere: none}\n"

static const char arm_mission[] =
    "ironbird: 1\nmission: arm\ntime: {end: 1}\n" FLAT "plants: {p: {model: arm.yaml}}\n"
    "vehicles: {v: {plant: p%s}}\n";

static ib_world *arm_world(const char *more) {
    char text[3000];
    snprintf(text, sizeof text, arm_mission, more);
    return create_world(text, NULL);
}

/* ---- against the model alone ---- */

static ib_system *load_system(const char *name, ib_model **model) {
    char path[500];
    ib_diags *diags = ib_diags_create();
    ib_system *system;
    snprintf(path, sizeof path, "%s/test/world/missions/%s", IB_TEST_SOURCE, name);
    assert_int_equal(ib_model_load(path, NULL, 0, diags, model), IB_OK);
    assert_int_equal(ib_system_create(*model, diags, &system), IB_OK);
    ib_diags_destroy(diags);
    return system;
}

static double read_system(ib_system *system, const char *name) {
    const ib_handle handle = ib_system_channel(system, name);
    double value;
    assert_true(handle >= 0);
    assert_int_equal(ib_system_read(system, &handle, 1, &value, NULL), IB_OK);
    return value;
}

/* A uniform gravity moves both bodies alike, so that it falls out of what is between them. Errors
 * of rtol 1e-11 over a second stay below 1e-9. */
static void test_like_its_model(void **state) {
    (void)state;
    static const char *const inner[] = {"flap.value", "hinge.force.x", "hinge.force.z"};
    ib_model *model;
    ib_system *system = load_system("arm.yaml", &model);
    ib_world *world = arm_world("");
    for (int i = 1; i <= 10; i++) {
        const ib_time time = i * IB_SECOND / 10;
        char name[64];
        fly_to(world, time);
        assert_int_equal(ib_system_advance(system, time, NULL), IB_OK);
        for (size_t k = 0; k < IB_COUNT(inner); k++) {
            snprintf(name, sizeof name, "v.plant.%s", inner[k]);
            ASSERT_NEAR(channel(world, name), read_system(system, inner[k]), 1e-8);
        }
        ASSERT_NEAR(channel(world, "v.plant.arm.position.x"), read_system(system, "arm.position.x"),
                    1e-9);
        ASSERT_NEAR(channel(world, "v.plant.arm.position.z"),
                    read_system(system, "arm.position.z") - 9.81 / 2 * i * i / 100, 1e-9);
        ASSERT_NEAR(channel(world, "v.body.position.z"),
                    (0.2 / 12) + 0.6 / 12 * i / 10 - 9.81 / 2 * i * i / 100, 1e-9);
    }
    ib_world_destroy(world);
    ib_system_destroy(system);
    ib_model_destroy(model);
}

/* ---- against a rigid vehicle ---- */

static const char twin_mission[] =
    "ironbird: 1\nmission: twins\nseed: 3\ntime: {end: 5}\n"
    "environment: {wind: {steady: [8, 2, 0]}}\n"
    "launch: {latitude: 40 deg, longitude: 100 deg, altitude: 1000, azimuth: 70 deg}\n"
    "plants: {p: {model: %s}}\n"
    "vehicles:\n"
    "  v:\n"
    "    plant: p\n"
    "    %s\n"
    "    initial: {position: [100, 20, 3000], velocity: [30, -4, 50], euler: {sequence: zyx, "
    "angles: "
    "[20 deg, -60 deg, 10 deg]}, rates: [0.02, 0.1, -0.05]}\n"
    "    devices:\n"
    "      imu: {type: imu, body: %s, position: [0.5, 0.2, -0.1]}\n"
    "      gps: {type: gps, rate: 100 Hz, body: %s, position: [1, -0.3, 0.2]}\n"
    "      mag: {type: mag}\n"
    "      y: {type: scu, body: %s, lowest: 3 deg, highest: 20 deg}\n"
    "      z: {type: scu, body: %s, lowest: 1 deg, highest: 20 deg}\n"
    "      e: {type: ecu, body: %s, at: [-1, 0.1, 0.2], along: [1, 0, 0], thrust: %s, impulse: "
    "250, "
    "start: 0.5, gimbal: [y, z]}\n";

static ib_world *twin(const char *model, const char *more, const char *body, const char *thrust) {
    char text[4000];
    snprintf(text, sizeof text, twin_mission, model, more, body, body, body, body, body, thrust);
    return create_world(text, NULL);
}

/* All channels that both have; positions of some thousand kilometres carry 1e-9 m of rounding, and
 * a step of 1 ms with the classical method is as good as that. A body of a mechanism feels gravity
 * where it is, a part of a rigid vehicle that of the common centre: 3e-6 / s^2 over the 2.3 m. */
static void compare_worlds(ib_world *a, ib_world *b, double tolerance) {
    size_t n = 0;
    for (size_t i = 0; i < ib_world_channel_count(a); i++) {
        const char *name = ib_world_channel_info(a, (ib_handle)i).name;
        if (ib_world_channel(b, name) < 0)
            continue;
        const double x = channel(a, name), y = channel(b, name);
        const bool same = x == y || (isnan(x) && isnan(y)); /* no sample yet */
        const double own = strstr(name, "imu.specific_force") ? 1e-5 : tolerance;
        if (!same && !(fabs(x - y) <= own * fmax(1, fabs(x) * 1e-3)))
            fail_msg("%s at %.3f s: %.17g is not %.17g", name, (double)ib_world_time(a) / 1e9, x,
                     y);
        n++;
    }
    assert_true(n > 70);
}

static void fly_twins(ib_world *a, ib_world *b, double tolerance) {
    for (int i = 0; i <= 10; i++) {
        fly_to(a, i * IB_SECOND / 2);
        fly_to(b, i * IB_SECOND / 2);
        compare_worlds(a, b, tolerance);
    }
    ib_world_destroy(a);
    ib_world_destroy(b);
}

static void test_like_a_rigid_vehicle(void **state) {
    (void)state;
    fly_twins(twin("rigid.yaml", "", "rear", "60000"), twin("welded.yaml", "", "rear", "60000"),
              2e-6);
}

static void test_drag_of_the_model(void **state) {
    (void)state;
    fly_twins(twin("bare.yaml", "drag_area: 0.3", "shell", "0.001"),
              twin("shell.yaml", "", "shell", "0.001"), 2e-6);
}

/* ---- by every solver ---- */

/* Pushed through its turning body, which implicit methods have in their matrices. */
static void test_solvers(void **state) {
    (void)state;
    static const struct {
        const char *solver;
        double tolerance;
    } all[] = {{"solver: stiff, rtol: 1e-10, atol: 1e-12", 1e-6},
               {"solver: generalized_alpha, step: 1 ms, rho_infinity: 1", 2e-4}};
    ib_world *best = NULL;
    for (int k = -1; k < (int)IB_COUNT(all); k++) {
        char text[3000];
        snprintf(
            text, sizeof text,
            "ironbird: 1\nmission: solvers\ntime: {end: 1}\n" FLAT
            "plants: {p: {model: arm%s.yaml}}\n"
            "vehicles: {v: {plant: p, initial: {position: [0, 0, 50], rates: [0, 2, 1]}, "
            "devices: {e: {type: ecu, body: arm, at: [0.1, 0.2, 0], along: [0, 0.2, 1], thrust: "
            "40, impulse: 200, start: 0.1}}}}\n",
            k < 0    ? ""
            : k == 0 ? "_stiff"
                     : "_alpha");
        ib_world *world = create_world(text, NULL);
        fly_to(world, IB_SECOND);
        if (k < 0) {
            best = world;
            continue;
        }
        static const char *const names[] = {"v.body.position.x", "v.body.position.y",
                                            "v.body.position.z", "v.plant.flap.value",
                                            "v.body.attitude.w", "v.body.rate.x"};
        for (size_t i = 0; i < IB_COUNT(names); i++)
            ASSERT_NEAR(channel(world, names[i]), channel(best, names[i]), all[k].tolerance);
        ib_world_destroy(world);
    }
    ib_world_destroy(best);
}

/* ---- inputs ---- */

/* The fin stands at its lower stop from the first tick on; so does the input. */
static void test_device_to_input(void **state) {
    (void)state;
    ib_world *world =
        arm_world(", devices: {fin: {type: fin, lowest: 0.3, highest: 0.5}}, signals: {fin.angle: "
                  "plant.bend}");
    ASSERT_NEAR(channel(world, "v.fin.angle"), 0.3, 0);
    ib_model *model;
    ib_system *system = load_system("arm.yaml", &model);
    assert_int_equal(ib_system_set_input(system, ib_system_input(system, "bend"), 0.3, NULL),
                     IB_OK);
    assert_int_equal(ib_system_advance(system, IB_SECOND, NULL), IB_OK);
    fly_to(world, IB_SECOND);
    ASSERT_NEAR(channel(world, "v.plant.flap.value"), read_system(system, "flap.value"), 1e-8);
    ib_world_destroy(world);
    ib_system_destroy(system);
    ib_model_destroy(model);
}

/* What the computer answers in tick k acts in tick k: burning 40 kg/s g0 at once, from t = 0. */
static void test_computer_to_input(void **state) {
    (void)state;
    char text[2000];
    snprintf(text, sizeof text,
             "ironbird: 1\nmission: sounder\ntime: {end: 2}\n"
             "environment: {earth: {shape: flat}, gravity: none, atmosphere: none}\n"
             "plants: {p: {model: sounder.yaml}}\n"
             "flight_computers: {c: {native: \"%s/throttle.so\"}}\n"
             "vehicles: {v: {plant: p, flight_computer: c, devices: {imu: {type: imu}}, signals: "
             "{\"computer.user[2]\": plant.throttle}}}\n",
             IB_TEST_COMPUTERS);
    ib_world *world = create_world(text, NULL);
    const double thrust = 8000 * 0.5, flow = thrust / (200 * 9.80665);
    for (int i = 1; i <= 4; i++) {
        const double t = i / 2.0, mass = 100 - flow * t;
        fly_to(world, i * IB_SECOND / 2);
        ASSERT_NEAR(channel(world, "v.mass"), mass, 1e-9);
        ASSERT_NEAR(channel(world, "v.body.velocity.x"), 200 * 9.80665 * log(100 / mass), 1e-8);
        ASSERT_NEAR(channel(world, "v.body.specific_force.x"), thrust / mass, 1e-9);
        /* sampled at the tick's start */
        ASSERT_NEAR(channel(world, "v.imu.specific_force.x"), thrust / (mass + flow * 1e-3), 1e-6);
    }
    ib_world_destroy(world);
}

/* ---- the ground, events ---- */

/* A ball falls from 1.5 m, meets the floor at 0.1 m, and comes to rest there, pressed in by its
 * weight: k d^1.5 = m g. */
static void test_ground(void **state) {
    (void)state;
    const char *text = "ironbird: 1\nmission: ball\ntime: {end: 8}\n" FLAT
                       "plants: {p: {model: ball.yaml}}\nvehicles: {v: {plant: p, devices: {imu: "
                       "{type: imu}}}}\n"
                       "events: [{name: low, when: v.body.position.z - 0.5, crosses: down, do: "
                       "[{mark: low}]}]\n";
    ib_world *world = create_world(text, NULL);
    ib_time low = 0;
    ib_diags *diags = ib_diags_create();
    while (ib_world_time(world) < 8 * IB_SECOND) {
        assert_int_equal(ib_world_tick(world, diags), IB_OK);
        const ib_logbook *log = ib_world_log(world);
        for (size_t i = 0; i < log->n && !low; i++)
            if (log->entries[i].kind == IB_LOG_CROSSING)
                low = log->entries[i].time;
    }
    ib_diags_destroy(diags);
    ASSERT_NEAR((double)low / 1e9, sqrt(2 / 9.81), 2e-9);
    ASSERT_NEAR(channel(world, "v.body.position.z"), 0.1 - pow(2 * 9.81 / 1e6, 2.0 / 3), 1e-6);
    ASSERT_NEAR(channel(world, "v.imu.specific_force.z"), 9.81, 1e-3); /* it still quivers */
    ib_world_destroy(world);
}

/* ---- the same bits ---- */

static char *many_arms(int n) {
    const size_t size = 2000 + 600 * (size_t)n;
    char *text = malloc(size), line[600];
    snprintf(text, size,
             "ironbird: 1\nmission: arms\nseed: 9\ntime: {end: 0.3}\n"
             "plants: {p: {model: arm.yaml}, q: {model: sounder.yaml}}\nvehicles:\n");
    for (int i = 0; i < n; i++) {
        snprintf(
            line, sizeof line,
            "  v%d: {plant: %s, initial: {position: [%d, 0, 9000], velocity: [0, %d, 0], rates: "
            "[0, 0.3, %d]}, devices: {imu: {type: imu, gyro: {noise: 1e-3}}, fin: {type: fin, "
            "lowest: 0.2}}, signals: {fin.angle: plant.%s}}\n",
            i, i % 2 ? "q" : "p", 100 * i, i, i % 3, i % 2 ? "throttle" : "bend");
        add(text, size, line);
    }
    add(text, size, "events: [{name: fall, when: v0.body.velocity.z + 1, do: [{mark: x}]}]\n");
    return text;
}

static uint64_t finish(ib_world *world) {
    fly_to(world, ib_world_end(world));
    const uint64_t hash = hash_channels(world, IB_HASH_START);
    return ib_hash_bytes(hash, (const uint64_t[]){ib_world_hash(world)}, sizeof hash);
}

static void test_threads(void **state) {
    (void)state;
    char *text = many_arms(7);
    uint64_t wanted = 0;
    for (int threads = 1; threads <= 3; threads++) {
        ib_world *world = create_world(text, &(ib_world_options){.threads = threads});
        const uint64_t hash = finish(world);
        if (threads == 1)
            wanted = hash;
        assert_true(hash == wanted);
        ib_world_destroy(world);
    }
    free(text);
}

static void test_snapshots(void **state) {
    (void)state;
    char *text = many_arms(2);
    ib_world *whole = create_world(text, NULL);
    const uint64_t wanted = finish(whole);
    const size_t size = ib_world_state_size(whole);
    void *bytes = malloc(size);
    for (uint64_t k = 0; k < 20; k++) {
        ib_world *first = create_world(text, NULL), *second = create_world(text, NULL);
        fly_to(first, (ib_time)(300 * ib_random_uniform(6, 0, 0, k)) * MS);
        ib_world_save(first, bytes);
        ib_world_destroy(first);
        assert_int_equal(ib_world_restore(second, bytes, size), IB_OK);
        assert_true(finish(second) == wanted);
        ib_world_destroy(second);
    }
    free(bytes);
    ib_world_destroy(whole);
    free(text);
}

/* ---- what is refused ---- */

static void refuse_vehicle(const char *plant, const char *vehicle, const char *id,
                           const char *part) {
    char text[2000];
    snprintf(text, sizeof text,
             "ironbird: 1\nmission: bad\ntime: {end: 1}\nplants: {p: {model: %s}}\n"
             "vehicles: {v: {plant: p%s}}\n",
             plant, vehicle);
    refuse_world(text, id, part);
}

static void test_refused(void **state) {
    (void)state;
    refuse_vehicle("arm.yaml", ", held: true", "IB0346", "held");
    refuse_vehicle("arm.yaml", ", drag_area: 1", "IB0346", "drag_area");
    refuse_vehicle("arm.yaml", ", force_sampling: tick", "IB0346", "force_sampling");
    refuse_vehicle("arm.yaml", ", separations: {s: {release: [hinge], as: w}}", "IB0323", "hinge");
    refuse_vehicle("arm.yaml",
                   ", devices: {e: {type: ecu, thrust: 1, impulse: 100, propellant: 0.5}}",
                   "IB0346", "tank");
    refuse_vehicle("ball.yaml", "", "IB0346", "ground");
    refuse_vehicle("arm.yaml", ", devices: {fin: {type: fin}}, signals: {fin.angle: plant.bent}",
                   "IB0348", "did you mean 'bend'?");
    refuse_vehicle("rigid.yaml", ", devices: {fin: {type: fin}}, signals: {fin.angle: plant.bend}",
                   "IB0348", "input of the plant");
    refuse_vehicle("arm.yaml",
                   ", devices: {a: {type: fin}, b: {type: fin}}, signals: {a.angle: plant.bend, "
                   "b.angle: plant.bend}",
                   "IB0348", "twice");
    refuse_vehicle("arm.yaml", ", signals: {\"computer.user[1]\": plant.bend}", "IB0348",
                   "has none");
    refuse_vehicle("arm.yaml", ", devices: {imu: {type: imu, body: leg}}", "IB0312", "leg");
}

#define SET                                                                                        \
    "events: [{name: e, when: \"t - 0.25\", do: [{set: {vehicle: v, input: %s, value: %s}}]}]\n"

static ib_world *set_world(const char *more, const char *input, const char *value) {
    char text[3000], event[300];
    snprintf(text, sizeof text, arm_mission, more);
    snprintf(event, sizeof event, SET, input, value);
    assert_true(strlen(text) + strlen(event) < sizeof text);
    memcpy(text + strlen(text), event, strlen(event) + 1);
    return create_world(text, NULL);
}

/* An event sets an input at the end of its tick; a snapshot keeps it. */
static void test_event_to_input(void **state) {
    (void)state;
    ib_world *world = set_world("", "bend", "0.3"), *other = set_world("", "bend", "0.3");
    ib_model *model;
    ib_system *system = load_system("arm.yaml", &model);
    assert_int_equal(ib_system_advance(system, IB_SECOND / 4, NULL), IB_OK);
    assert_int_equal(ib_system_set_input(system, ib_system_input(system, "bend"), 0.3, NULL),
                     IB_OK);
    assert_int_equal(ib_system_advance(system, IB_SECOND, NULL), IB_OK);
    fly_to(world, IB_SECOND / 2);
    void *bytes = malloc(ib_world_state_size(world));
    assert_non_null(bytes);
    ib_world_save(world, bytes);
    assert_int_equal(ib_world_restore(other, bytes, ib_world_state_size(world)), IB_OK);
    fly_to(world, IB_SECOND);
    fly_to(other, IB_SECOND);
    ASSERT_NEAR(channel(world, "v.plant.flap.value"), read_system(system, "flap.value"), 1e-8);
    assert_true(ib_world_hash(other) == ib_world_hash(world));
    free(bytes);
    ib_world_destroy(world);
    ib_world_destroy(other);
    ib_system_destroy(system);
    ib_model_destroy(model);
    world = set_world("", "bend", "1.5");
    ib_diags *diags = ib_diags_create();
    fly_to(world, 249 * IB_SECOND / 1000);
    assert_int_equal(ib_world_tick(world, diags), IB_BAD_INPUT);
    assert_string_equal(ib_diags_at(diags, 0)->id, "IB0706");
    ib_diags_destroy(diags);
    ib_world_destroy(world);
}

static void refuse_set(const char *model, const char *more, const char *input, const char *part) {
    char text[3000];
    snprintf(text, sizeof text,
             "ironbird: 1\nmission: m\nplants: {p: {model: %s}}\nvehicles: {v: {plant: p%s}}\n" SET,
             model, more, input, "1");
    refuse_world(text, "IB0348", part);
}

static void test_set_refused(void **state) {
    (void)state;
    refuse_set("arm.yaml", "", "bent", "did you mean 'bend'?");
    refuse_set("rigid.yaml", "", "bend", "rigid body");
    refuse_set("arm.yaml", ", devices: {f: {type: fin}}, signals: {f.angle: plant.bend}", "bend",
               "a signal leads to");
}

/* An input beyond its limits ends the run and says whose it is. */
static void test_input_out_of_range(void **state) {
    (void)state;
    ib_world *world = arm_world(", devices: {fin: {type: fin, lowest: 1.2, highest: 1.5}}, "
                                "signals: {fin.angle: plant.bend}");
    ib_diags *diags = ib_diags_create();
    assert_int_equal(ib_world_tick(world, diags), IB_BAD_INPUT);
    assert_int_equal(ib_diags_count(diags), 1);
    assert_string_equal(ib_diags_at(diags, 0)->id, "IB0706");
    assert_failed_in(diags, "in vehicle 'v', tick 1");
    ib_diags_destroy(diags);
    ib_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_its_model),
        cmocka_unit_test(test_like_a_rigid_vehicle),
        cmocka_unit_test(test_drag_of_the_model),
        cmocka_unit_test(test_solvers),
        cmocka_unit_test(test_device_to_input),
        cmocka_unit_test(test_computer_to_input),
        cmocka_unit_test(test_ground),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_snapshots),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_event_to_input),
        cmocka_unit_test(test_set_refused),
        cmocka_unit_test(test_input_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
