/* The contracts of the tick: every row of the seed's table of invariants (§9), watched by the stage
 * observer, by what a flight computer sees, and by what comes out.
 */
#include "busy_mission.h"

#define HEAD "ironbird: 1\nmission: contracts\nplants: {brick: {model: brick.yaml}}\n"
#define PROBE "flight_computers: {probe: {native: \"" IB_TEST_COMPUTERS "/probe.so\"}}\n"

/* ---- order ---- */

enum { MOST = 64 };

typedef struct watched {
    int n;
    struct {
        int64_t tick;
        int vehicle;
        ib_stage stage;
    } seen[MOST];
    ib_world *world;
    uint32_t parts[MOST]; /* of vehicle 0 when the stage began */
} watched;

static void watch(void *context, int64_t tick, int vehicle, ib_stage stage) {
    watched *w = context;
    if (w->n == MOST)
        return;
    w->parts[w->n] = ib_world_vehicle(w->world, 0)->state.parts;
    w->seen[w->n].tick = tick;
    w->seen[w->n].vehicle = vehicle;
    w->seen[w->n++].stage = stage;
}

static void assert_stages(const watched *w, const int (*wanted)[2], int n) {
    assert_int_equal(w->n, n);
    for (int i = 0; i < n; i++) {
        assert_int_equal(w->seen[i].vehicle, wanted[i][0]);
        assert_int_equal(w->seen[i].stage, wanted[i][1]);
    }
}

/* A, then 1 to 5 of each vehicle, then C, then D. */
static void test_order(void **state) {
    (void)state;
    static const int wanted[][2] = {
        {-1, IB_STAGE_ADVANCE},  {0, IB_STAGE_AVIONICS},  {0, IB_STAGE_COMPUTER},
        {0, IB_STAGE_FORCES},    {0, IB_STAGE_INTEGRATE}, {0, IB_STAGE_TRUTH},
        {1, IB_STAGE_AVIONICS},  {1, IB_STAGE_COMPUTER},  {1, IB_STAGE_FORCES},
        {1, IB_STAGE_INTEGRATE}, {1, IB_STAGE_TRUTH},     {-1, IB_STAGE_ROUTE},
        {-1, IB_STAGE_EVENTS}};
    ib_world *world = create_world(HEAD "vehicles: {a: {plant: brick}, b: {plant: brick}}\n", NULL);
    watched w = {.world = world};
    ib_world_observe(world, watch, &w);
    fly_to(world, MS);
    assert_stages(&w, wanted, IB_COUNT(wanted));
    for (int i = 0; i < w.n; i++)
        assert_int_equal(w.seen[i].tick, 1);
    ib_world_destroy(world);
}

/* avionics_dry: devices and the computer run, 3 and 4 are left out, the state stays. */
static void test_dry(void **state) {
    (void)state;
    static const int wanted[][2] = {{-1, IB_STAGE_ADVANCE}, {0, IB_STAGE_AVIONICS},
                                    {0, IB_STAGE_COMPUTER}, {0, IB_STAGE_TRUTH},
                                    {-1, IB_STAGE_ROUTE},   {-1, IB_STAGE_EVENTS}};
    ib_world *world = create_world(
        HEAD PROBE "mode: avionics_dry\nvehicles: {a: {plant: brick, flight_computer: probe, "
                   "initial: {rates: [0.1, 0.2, 0.3]}, devices: {imu: {type: imu, gyro: {noise: "
                   "1e-3}}, fin: {type: fin}}}}\n",
        NULL);
    watched w = {.world = world};
    const ib_flight_state before = ib_world_vehicle(world, 0)->state.flight;
    ib_world_observe(world, watch, &w);
    fly_to(world, MS);
    assert_stages(&w, wanted, IB_COUNT(wanted));
    fly_to(world, 200 * MS);
    assert_memory_equal(&before, &ib_world_vehicle(world, 0)->state.flight, sizeof before);
    assert_true(channel(world, "a.fin.angle") > 0.2); /* moved by the computer */
    assert_true(channel(world, "a.imu.rate.x") != 0.1);
    ib_world_destroy(world);
}

/* ---- the flight computer ---- */

#define FLOWN                                                                                      \
    HEAD PROBE "vehicles: {a: {plant: brick, flight_computer: probe, initial: {rates: [0.1, 0.2, " \
               "0.3]}, devices: {imu: {type: imu}, fin: {type: fin, lag: 0}}}}\n"

/* 50 ticks in a second, 20 ticks of physics apart, the first in tick 1; each sees the sample of its
 * own tick. */
static void test_computer(void **state) {
    (void)state;
    ib_world *world = create_world(FLOWN, NULL);
    ib_diags *diags = ib_diags_create();
    int64_t ticks = 0, last = -19;
    for (int64_t k = 1; k <= 3000; k++) {
        assert_int_equal(ib_world_tick(world, diags), IB_OK);
        for (size_t i = 0; i < ib_world_happenings(world); i++) {
            const ib_happening h = ib_world_happening(world, i);
            long long tick, time, stamp;
            assert_string_equal(h.what, "log");
            assert_int_equal(sscanf(h.detail, "%lld %lld %lld", &tick, &time, &stamp), 3);
            assert_int_equal(tick, ++ticks);
            assert_int_equal(k - last, 20);
            assert_int_equal(time, (k - 1) * MS);
            assert_int_equal(stamp, time);
            last = k;
        }
        if (k == 1000)
            assert_int_equal(ticks, 50);
    }
    assert_int_equal(ticks, 150);
    ib_diags_destroy(diags);
    ib_world_destroy(world);
}

/* A command of tick k acts in stage 1 of tick k + 1. */
static void test_command_acts_next(void **state) {
    (void)state;
    ib_world *world = create_world(FLOWN, NULL);
    fly_to(world, MS);
    assert_true(channel(world, "a.fin.angle") == 0);
    fly_to(world, 2 * MS);
    assert_true(channel(world, "a.fin.angle") > 0.2);
    ib_world_destroy(world);
}

/* A vehicle without one flies all the same. */
static void test_no_computer(void **state) {
    (void)state;
    ib_world *world = create_world(HEAD "vehicles: {a: {plant: brick}}\n", NULL);
    fly_to(world, 50 * MS);
    ib_world_destroy(world);
}

/* ---- the topology changes in D alone ---- */

#define STACK "plants: {stack: {model: stack.yaml}}\n"
#define SEQUENCE                                                                                   \
    "vehicles: {s: {plant: stack, initial: {position: [0, 0, 1e5]}, devices: {icu: {type: icu, "   \
    "sequence: [{do: arm}, {delay: 5 ms, do: fire, bolts: [b1]}, {do: separate, payload: "         \
    "stage1}]}}, separations: {stage1: {release: [interstage], as: spent}}}}\n"

static void test_topology_in_d(void **state) {
    (void)state;
    ib_world *world = create_world("ironbird: 1\nmission: sep\n" STACK SEQUENCE, NULL);
    watched w = {.world = world};
    fly_to(world, 5 * MS);
    assert_false(ib_world_vehicle_flies(world, 1));
    ib_world_observe(world, watch, &w);
    fly_to(world, 6 * MS);
    for (int i = 0; i < w.n; i++)
        assert_int_equal(w.parts[i], 3); /* whole until after D began */
    assert_int_equal(w.seen[w.n - 1].stage, IB_STAGE_EVENTS);
    assert_int_equal(ib_world_vehicle(world, 0)->state.parts, 1);
    assert_int_equal(ib_world_vehicle(world, 1)->state.parts, 2);
    /* What happened, in order: fired and separating as events, then the operation. */
    static const char *const what[] = {"bolt_fired", "stage_separation", "separated"};
    assert_int_equal(ib_world_happenings(world), 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(ib_world_happening(world, i).what, what[i]);
    assert_string_equal(ib_world_happening(world, 2).detail, "spent");
    /* The one that was born ticks from the next tick on, with a clean bus. */
    const ib_truth *truths;
    assert_int_equal(ib_world_truths(world, &truths), 1);
    assert_int_equal(ib_bus_waiting(ib_world_vehicle(world, 1)->bus), 0);
    ib_world_observe(world, NULL, NULL);
    fly_to(world, 7 * MS);
    assert_int_equal(ib_world_truths(world, &truths), 2);
    ib_world_destroy(world);
}

static void test_interpret(void **state) {
    (void)state;
    ib_world *world = create_world("ironbird: 1\nmission: sep\n" STACK SEQUENCE, NULL);
    static const struct {
        ib_event_kind event;
        ib_operation_kind operation;
    } all[] = {{IB_EVENT_ENGINE_SHUTDOWN, IB_OPERATION_NONE},
               {IB_EVENT_BOLT_FIRED, IB_OPERATION_NONE},
               {IB_EVENT_STAGE_SEPARATION, IB_OPERATION_SEPARATE},
               {IB_EVENT_FIN_DEPLOY, IB_OPERATION_TRANSITION}};
    for (size_t i = 0; i < IB_COUNT(all); i++) {
        const ib_event event = {.kind = all[i].event, .payload = 0};
        const ib_operation operation = ib_interpret(world, 0, &event);
        assert_int_equal(operation.kind, all[i].operation);
        assert_int_equal(operation.vehicle, 0);
    }
    ib_world_destroy(world);
}

/* ---- a vehicle's tick touches its own vehicle alone ---- */

#define NOISY(name, seed)                                                                          \
    name ": {plant: brick, initial: {position: [" seed ", 0, 1000], rates: [0.1, 0.2, 0.3]}, "     \
         "devices: {imu: {type: imu, rate: 100 Hz, gyro: {noise: 1e-3}}, gps: {type: gps, rate: "  \
         "10 Hz, place: {noise: 1}}}}"
#define NOISY_TURNED(name, seed)                                                                   \
    name ": {plant: brick, initial: {position: [" seed ", 0, 1000], rates: [0.1, 0.2, 0.3]}, "     \
         "devices: {gps: {type: gps, rate: 10 Hz, place: {noise: 1}}, imu: {type: imu, rate: 100 " \
         "Hz, gyro: {noise: 1e-3}}}}"

/* The same bits alone or in company, and in any order of vehicles and devices: noise too. */
static void test_alone_or_not(void **state) {
    (void)state;
    static const char *const texts[] = {
        HEAD "vehicles: {" NOISY("a", "0") "}\n",
        HEAD "vehicles: {" NOISY("a", "0") ", " NOISY("b", "7") "}\n",
        HEAD "vehicles: {" NOISY("b", "7") ", " NOISY("a", "0") "}\n",
        HEAD "vehicles: {" NOISY_TURNED("a", "0") ", " NOISY("b", "7") "}\n"};
    static const char *const names[] = {"a.eci.position.x", "a.eci.attitude.y", "a.imu.rate.x",
                                        "a.imu.rate.z",     "a.gps.latitude",   "a.gps.height"};
    double first[IB_COUNT(names)];
    for (size_t k = 0; k < IB_COUNT(texts); k++) {
        ib_world *world = create_world(texts[k], NULL);
        fly_to(world, 500 * MS);
        for (size_t i = 0; i < IB_COUNT(names); i++) {
            const double value = channel(world, names[i]);
            if (k == 0)
                first[i] = value;
            assert_memory_equal(&value, &first[i], sizeof value);
        }
        ib_world_destroy(world);
    }
}

/* What is worked out only when it is asked for changes nothing: the same bits whether everything is
 * read at every tick, at some, or only at the end; in air at rest, in wind, and without drag. */
static void test_looking(void **state) {
    (void)state;
    static const char *const airs[] = {"", "environment: {wind: {steady: [5, 1, 0]}}\n"};
    static const char *const drags[] = {"", "drag_area: 0.2, "};
    for (int k = 0; k < 4; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 HEAD
                 "%svehicles: {a: {plant: brick, %sinitial: {position: [0, 0, 1000], velocity: "
                 "[200, 0, 0], rates: [1, 2, 3]}, devices: {imu: {type: imu, gyro: {noise: "
                 "1e-3}}, baro: {type: baro, rate: 40 Hz}}}}\n",
                 airs[k % 2], drags[k / 2]);
        uint64_t flights[3], channels[3];
        for (int way = 0; way < 3; way++) {
            ib_world *world = create_world(text, NULL);
            for (int tick = 1; tick <= 200; tick++) {
                fly_to(world, tick * MS);
                if (way == 0 || (way == 1 && tick % 7 == 0))
                    hash_channels(world, 0);
            }
            flights[way] = ib_world_hash(world);
            channels[way] = hash_channels(world, IB_HASH_START);
            ib_world_destroy(world);
        }
        for (int way = 1; way < 3; way++) {
            assert_true(flights[way] == flights[0]);
            assert_true(channels[way] == channels[0]);
        }
    }
}

/* Another seed, other noise; another vehicle's name at birth too. */
static void test_seed(void **state) {
    (void)state;
    const uint64_t seed = 7;
    const ib_world_options options = {.seed = &seed};
    ib_world *a = create_world(HEAD "vehicles: {" NOISY("a", "0") "}\n", NULL);
    ib_world *b = create_world(HEAD "vehicles: {" NOISY("a", "0") "}\n", &options);
    ib_world *c = create_world(HEAD "seed: 7\nvehicles: {" NOISY("a", "0") "}\n", NULL);
    fly_to(a, 100 * MS), fly_to(b, 100 * MS), fly_to(c, 100 * MS);
    assert_true(channel(a, "a.imu.rate.x") != channel(b, "a.imu.rate.x"));
    assert_true(channel(b, "a.imu.rate.x") == channel(c, "a.imu.rate.x"));
    assert_true(channel(a, "a.eci.position.x") == channel(b, "a.eci.position.x"));
    ib_world_destroy(a), ib_world_destroy(b), ib_world_destroy(c);
}

/* Whatever the rates of devices, none is ever off: 50,000 ticks, counted by the bus. */
static void test_counts(void **state) {
    (void)state;
    ib_world *world = create_world(
        HEAD "vehicles: {a: {plant: brick, devices: {imu: {type: imu, rate: 200 Hz}, gps: {type: "
             "gps, rate: 10 Hz, phase: 3 ms}, baro: {type: baro, rate: 40 ms}}}}\n",
        NULL);
    fly_to(world, 50 * IB_SECOND);
    const ib_bus *bus = ib_world_vehicle(world, 0)->bus;
    assert_int_equal(ib_bus_counts(bus, IB_TOPIC_IMU).published, 10000);
    assert_int_equal(ib_bus_counts(bus, IB_TOPIC_GPS).published, 500);
    assert_int_equal(ib_bus_counts(bus, IB_TOPIC_BARO).published, 1250);
    ib_world_destroy(world);
}

/* ---- logs are a monoid ---- */

static ib_logbook logbook(ib_log_entry *entries, uint16_t first, size_t n) {
    ib_logbook log = {.capacity = 16, .entries = entries};
    for (size_t i = 0; i < n; i++)
        ib_log_add(&log, IB_LOG_EVENT, (uint16_t)(first + i), 0, 0);
    return log;
}

static void test_monoid(void **state) {
    (void)state;
    ib_log_entry room[5][16];
    ib_logbook a = logbook(room[0], 0, 2), b = logbook(room[1], 2, 3), c = logbook(room[2], 5, 1);
    ib_logbook left = logbook(room[3], 0, 0), right = logbook(room[4], 0, 0);
    const ib_logbook none = {0};
    /* (a + b) + c */
    ib_log_append(&left, &a);
    ib_log_append(&left, &b);
    ib_log_append(&left, &none);
    ib_log_append(&left, &c);
    /* a + (b + c) */
    ib_log_append(&b, &c);
    ib_log_append(&right, &a);
    ib_log_append(&right, &b);
    assert_int_equal(left.n, 6);
    assert_int_equal(right.n, 6);
    for (uint16_t i = 0; i < 6; i++) {
        assert_int_equal(left.entries[i].vehicle, i);
        assert_int_equal(right.entries[i].vehicle, i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),       cmocka_unit_test(test_dry),
        cmocka_unit_test(test_computer),    cmocka_unit_test(test_command_acts_next),
        cmocka_unit_test(test_no_computer), cmocka_unit_test(test_topology_in_d),
        cmocka_unit_test(test_interpret),   cmocka_unit_test(test_alone_or_not),
        cmocka_unit_test(test_seed),        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_monoid),      cmocka_unit_test(test_looking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
