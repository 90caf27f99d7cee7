/* Sensors without errors read the truth; with them, the same whoever else is there; every fault. */
#include "avionics_test.h"

static ib_imu_spec imu;
static ib_gps_spec gps;
static ib_baro_spec baro;
static ib_mag_spec mag;
static ib_altimeter_spec altimeter;

static int defaults(void **state) {
    (void)state;
    ib_parameters_default(ib_parameters_of("imu"), &imu);
    ib_parameters_default(ib_parameters_of("gps"), &gps);
    ib_parameters_default(ib_parameters_of("baro"), &baro);
    ib_parameters_default(ib_parameters_of("mag"), &mag);
    ib_parameters_default(ib_parameters_of("altimeter"), &altimeter);
    return 0;
}

static void test_at_rest(void **state) {
    (void)state;
    const ib_device device = make_device("x", 5 * MS);
    const ib_truth_point truth = at_rest(0);
    ib_bus *bus = make_bus(16);
    ib_sensor_state a = {0}, b = {0}, c = {0}, d = {0};
    ib_message message;
    ib_imu_step(&device, &imu, &truth, &a, bus);
    ib_baro_step(&device, &baro, &truth, &b, bus);
    ib_mag_step(&device, &mag, &truth, &c, bus);
    ib_altimeter_step(&device, &altimeter, &truth, &d, bus);
    assert_true(ib_bus_take(bus, IB_TOPIC_IMU, IB_ANY, 0, &message));
    assert_memory_equal(message.payload.imu.specific_force, truth.specific_force,
                        sizeof truth.specific_force);
    assert_true(message.source == 7 && message.stamp == 0 && !message.payload.imu.flags);
    assert_true(ib_bus_take(bus, IB_TOPIC_BARO, IB_ANY, 0, &message));
    assert_true(message.payload.baro.pressure == 101325);
    assert_true(ib_bus_take(bus, IB_TOPIC_MAG, IB_ANY, 0, &message));
    assert_memory_equal(message.payload.mag.field, truth.magnetic_field,
                        sizeof truth.magnetic_field);
    assert_true(ib_bus_take(bus, IB_TOPIC_ALTIMETER, IB_ANY, 0, &message));
    assert_true(message.payload.altimeter.range == 3);
    ib_bus_destroy(bus);
}

/* On the rotating ellipsoid at rest: the reference's specific force and rates, axes NED. */
static void test_static_imu(void **state) {
    (void)state;
    table *known = table_read("flight/misc_expected_values.csv");
    const char *name = "static_imu_lat_40.9606";
    ib_truth_point truth = at_rest(0);
    truth.specific_force[0] = table_value(known, name, "f_N_mps2");
    truth.specific_force[2] = table_value(known, name, "f_D_mps2");
    truth.rate[0] = table_value(known, name, "gyro_N_radps");
    truth.rate[2] = table_value(known, name, "gyro_D_radps");
    free(known);
    const ib_device device = make_device("imu", 5 * MS);
    ib_bus *bus = make_bus(4);
    ib_sensor_state sensor = {0};
    ib_message message;
    imu.position[0] = 10; /* 10 m ahead: w x (w x r) along -x is w_z^2 r */
    ib_imu_step(&device, &imu, &truth, &sensor, bus);
    assert_true(ib_bus_take(bus, IB_TOPIC_IMU, IB_ANY, 0, &message));
    const ib_imu_frame *frame = &message.payload.imu;
    ASSERT_NEAR(frame->specific_force[0],
                truth.specific_force[0] - 10 * truth.rate[2] * truth.rate[2], 1e-20);
    ASSERT_NEAR(frame->specific_force[2],
                truth.specific_force[2] + 10 * truth.rate[0] * truth.rate[2], 1e-14);
    ASSERT_NEAR(frame->rate[0], 7.292115e-5 * cos(40.9606 * DEGREE), 1e-18);
    ib_bus_destroy(bus);
}

/* ---- satellite receiver ---- */

static void test_gps_truth(void **state) {
    (void)state;
    const ib_device device = make_device("gps", 200 * MS);
    const ib_geodetic place = {0.7, -2.1, 1234};
    ib_truth_point truth = at_rest(0);
    double ned[9];
    ib_ecef_from_geodetic(&wgs84, &place, truth.position);
    ib_ned_from_ecef(place.latitude, place.longitude, ned);
    ib_mul3tv(ned, (const double[3]){30, -40, 5}, truth.velocity);
    ib_gps_state receiver = {0};
    ib_bus *bus = make_bus(4);
    ib_message message;
    ib_gps_time epoch;
    assert_true(ib_gps_time_from_utc(2026, 11, 30, 12, 0, 0, 18, &epoch));
    gps.latency = 0.12;
    ib_gps_step(&device, &gps, &wgs84, epoch, &truth, &receiver, bus);
    assert_false(ib_bus_take(bus, IB_TOPIC_GPS, IB_ANY, 119 * MS, &message));
    assert_true(ib_bus_take(bus, IB_TOPIC_GPS, IB_ANY, 120 * MS, &message));
    const ib_gps_frame *frame = &message.payload.gps;
    assert_true(message.stamp == 0 && frame->fix == 3 && frame->satellites == 10);
    assert_true(frame->week == 2447 && frame->time_of_week == 129618000);
    ASSERT_NEAR(frame->place.latitude, 0.7, 1e-15);
    ASSERT_NEAR(frame->place.longitude, -2.1, 1e-15);
    ASSERT_NEAR(frame->place.height, 1234, 3e-9);
    ASSERT_NEAR(frame->velocity[0], 30, 1e-13);
    ASSERT_NEAR(frame->velocity[1], -40, 1e-13);
    ASSERT_NEAR(frame->velocity[2], 5, 1e-13);
    ib_bus_destroy(bus);
}

/* 3 m north, 4 m east, 1 m up of bias; an antenna on a turning body moves. */
static void test_gps_errors(void **state) {
    (void)state;
    const ib_device device = make_device("gps", 200 * MS);
    ib_truth_point truth = at_rest(0);
    ib_gps_state receiver = {0};
    ib_bus *bus = make_bus(4);
    ib_message message;
    gps.place.bias[0] = 3, gps.place.bias[1] = 4, gps.place.bias[2] = -1;
    ib_gps_step(&device, &gps, &wgs84, 0, &truth, &receiver, bus);
    assert_true(ib_bus_take(bus, IB_TOPIC_GPS, IB_ANY, 0, &message));
    const ib_gps_frame *frame = &message.payload.gps;
    const double meridian = 6335439.32729282;
    ASSERT_NEAR(frame->place.latitude * meridian, 3, 1e-5);
    ASSERT_NEAR(frame->place.longitude * IB_WGS84_RADIUS, 4, 1e-5);
    ASSERT_NEAR(frame->place.height, 1, 1e-5);
    /* At rest relative to the turning Earth, nose to the north; then yawing at 0.1 rad/s. */
    gps = (ib_gps_spec){0};
    ib_parameters_default(ib_parameters_of("gps"), &gps);
    gps.position[0] = 2;
    truth.rate[0] = IB_EARTH_RATE;
    truth.rate[2] = 0.1;
    ib_gps_step(&device, &gps, &wgs84, 0, &truth, &receiver, bus);
    assert_true(ib_bus_take(bus, IB_TOPIC_GPS, IB_ANY, 0, &message));
    ASSERT_NEAR(message.payload.gps.velocity[1], 0.2, 1e-6);
    ASSERT_NEAR(message.payload.gps.velocity[0], 0, 1e-6);
    ib_bus_destroy(bus);
}

/* First fix after 2 s, none during an outage, another 1 s after it. */
static void test_gps_fix(void **state) {
    (void)state;
    ib_device device = make_device("gps", IB_SECOND / 2);
    device.n_faults = 1;
    device.faults[0] = (ib_device_fault){IB_FAULT_DROPOUT, 4 * IB_SECOND, 5 * IB_SECOND, 1, 0};
    gps.startup = 2;
    gps.reacquire = 1;
    ib_gps_state receiver = {0};
    ib_bus *bus = make_bus(4);
    char seen[17] = {0};
    for (int i = 0; i < 16; i++) {
        const ib_truth_point truth = at_rest(i * device.period);
        ib_message message;
        ib_gps_step(&device, &gps, &wgs84, 0, &truth, &receiver, bus);
        seen[i] = '-';
        if (ib_bus_take(bus, IB_TOPIC_GPS, IB_ANY, truth.time, &message))
            seen[i] = (char)('0' + message.payload.gps.fix);
    }
    /* Searching from 0 s, fix from 2 s, silent from 4 s, the outage's last sample is at 4.5 s. */
    assert_string_equal(seen, "00003333--033333");
    ib_bus_destroy(bus);
}

static void test_gps_time(void **state) {
    (void)state;
    table *known = table_read("flight/misc_expected_values.csv");
    int n = 0;
    for (int i = 0; i < known->n_rows; i++) {
        int year, month, day, hour, minute, second;
        if (sscanf(known->cell[i][0], "gps_time_utc_%d-%d-%dT%d:%d:%d", &year, &month, &day, &hour,
                   &minute, &second) != 6)
            continue;
        ib_gps_time time;
        uint32_t week, modulo, of_week;
        assert_true(ib_gps_time_from_utc(year, month, day, hour, minute, second, 18, &time));
        ib_gps_week(time, false, &week, &of_week);
        ib_gps_week(time, true, &modulo, &of_week);
        const double value = strtod(known->cell[i][2], NULL);
        const char *what = known->cell[i][1];
        const double got = !strcmp(what, "week_full")      ? week
                           : !strcmp(what, "week_mod1024") ? modulo
                                                           : of_week / 1000.0;
        assert_true(got == value);
        n++;
    }
    assert_int_equal(n, 15);
    free(known);
    ib_gps_time time;
    assert_true(ib_gps_time_from_utc(1980, 1, 6, 0, 0, 0, 0, &time) && time == 0);
    assert_true(ib_gps_time_from_utc(2000, 2, 29, 0, 0, 0, 13, &time));
    assert_false(ib_gps_time_from_utc(2100, 2, 29, 0, 0, 0, 18, &time));
    assert_false(ib_gps_time_from_utc(1980, 1, 5, 23, 59, 59, 0, &time));
    assert_false(ib_gps_time_from_utc(2026, 13, 1, 0, 0, 0, 18, &time));
    assert_false(ib_gps_time_from_utc(2026, 4, 31, 0, 0, 0, 18, &time));
}

/* The pair never tears: over a week's end every millisecond is one later than the one before. */
static void test_gps_pair(void **state) {
    (void)state;
    const int64_t week_end = INT64_C(1024) * 604800 * IB_SECOND;
    int64_t before = -1;
    for (int64_t t = week_end - 50 * MS; t < week_end + 50 * MS; t += MS) {
        uint32_t week, of_week, modulo, same;
        ib_gps_week(t, false, &week, &of_week);
        ib_gps_week(t, true, &modulo, &same);
        const int64_t whole = (int64_t)week * 604800000 + of_week;
        assert_true(before < 0 || whole == before + 1);
        assert_true(same == of_week && modulo == week % 1024);
        before = whole;
    }
}

/* ---- independence ---- */

/* Two sensors stepped in either order, with another device between: the same bits. */
static void test_order_of_devices(void **state) {
    (void)state;
    const ib_device one = make_device("imu1", 5 * MS), two = make_device("imu2", 5 * MS);
    imu.accelerometer.noise = 0.01, imu.accelerometer.instability = 0.1;
    imu.gyro.noise = 1e-3, imu.gyro.walk = 1e-4, imu.gyro.turn_on = 1e-2;
    ib_sensor_state a1 = {0}, a2 = {0}, b1 = {0}, b2 = {0}, other = {0};
    ib_bus *bus = make_bus(16);
    baro.pressure.noise = 5;
    for (int i = 0; i < 100; i++) {
        const ib_truth_point truth = at_rest(i * one.period);
        ib_imu_step(&one, &imu, &truth, &a1, bus);
        ib_imu_step(&two, &imu, &truth, &a2, bus);
        ib_imu_step(&two, &imu, &truth, &b2, bus);
        ib_baro_step(&one, &baro, &truth, &other, bus);
        ib_imu_step(&one, &imu, &truth, &b1, bus);
    }
    assert_memory_equal(&a1, &b1, sizeof a1);
    assert_memory_equal(&a2, &b2, sizeof a2);
    assert_true(a1.last.imu.rate[0] != a2.last.imu.rate[0]);
    /* Seed, vehicle and device all count, and names do not run into each other. */
    const uint64_t key = ib_stream_key(1, "ab", "c");
    assert_true(key != ib_stream_key(2, "ab", "c") && key != ib_stream_key(1, "a", "bc"));
    assert_true(key != ib_stream_key(1, "ab", "d") && key == ib_stream_key(1, "ab", "c"));
    ib_bus_destroy(bus);
}

/* ---- faults ---- */

enum { STEPS = 40 };

/* Steps a barometer of noise 1 Pa a sample with one fault from step 10 to step 20; pressures, or -1
 * where nothing came. */
static void run_fault(ib_fault_kind kind, double value, double out[STEPS]) {
    ib_device device = make_device("baro", 10 * MS);
    device.n_faults = 1;
    device.faults[0] = (ib_device_fault){kind, 100 * MS, 200 * MS, value, 0};
    assert_int_equal(ib_device_check(&device, "baro", NULL, IB_NO_PLACE), IB_OK);
    baro.pressure.noise = 0.1;
    ib_sensor_state sensor = {0};
    ib_bus *bus = make_bus(4);
    for (int i = 0; i < STEPS; i++) {
        ib_truth_point truth = at_rest(i * device.period);
        ib_message message;
        truth.pressure = 100000 - 10 * i;
        ib_baro_step(&device, &baro, &truth, &sensor, bus);
        const bool came = ib_bus_take(bus, IB_TOPIC_BARO, IB_ANY, truth.time, &message);
        out[i] = came ? message.payload.baro.pressure : -1;
        assert_true(!came || message.stamp == truth.time);
        assert_true((sensor.mode == IB_SENSOR_RUNNING) == came || kind == IB_FAULT_SLOW);
    }
    ib_bus_destroy(bus);
}

static void test_faults(void **state) {
    (void)state;
    double healthy[STEPS], faulty[STEPS];
    run_fault(IB_FAULT_BIAS, 0, healthy);
    for (int kind = 0; kind < IB_FAULT_FLOATING; kind++) {
        const double value = kind == IB_FAULT_BIAS ? 50 : kind == IB_FAULT_DROPOUT ? 0.5 : 4;
        run_fault((ib_fault_kind)kind, value, faulty);
        int came = 0;
        for (int i = 0; i < STEPS; i++) {
            if (i < 10 || i >= 20) { /* before and after: as if nothing had been */
                assert_true(faulty[i] == healthy[i]);
                continue;
            }
            const double truth = 100000 - 10 * i;
            came += faulty[i] >= 0;
            switch (kind) {
            case IB_FAULT_STUCK:
                assert_true(faulty[i] == healthy[9]);
                break;
            case IB_FAULT_BIAS:
                ASSERT_NEAR(faulty[i], healthy[i] + 50, 1e-9);
                break;
            case IB_FAULT_NOISE:
                ASSERT_NEAR(faulty[i] - truth, 4 * (healthy[i] - truth), 1e-9);
                break;
            case IB_FAULT_DEAD:
                assert_true(faulty[i] == -1);
                break;
            case IB_FAULT_SLOW:
                assert_true(faulty[i] == (i % 4 ? -1 : healthy[i]));
                break;
            default:
                assert_true(faulty[i] == -1 || faulty[i] == healthy[i]);
            }
        }
        if (kind == IB_FAULT_DROPOUT)
            assert_true(came > 0 && came < 10);
    }
}

/* A bias on the gyro leaves the accelerometer alone. */
static void test_fault_of_a_part(void **state) {
    (void)state;
    ib_device device = make_device("imu", 10 * MS);
    device.n_faults = 1;
    device.faults[0] = (ib_device_fault){IB_FAULT_BIAS, 0, IB_SECOND, 0.25, 1};
    ib_sensor_state sensor = {0};
    ib_bus *bus = make_bus(4);
    const ib_truth_point truth = at_rest(0);
    ib_imu_step(&device, &imu, &truth, &sensor, bus);
    assert_true(sensor.last.imu.rate[1] == 0.25);
    assert_true(sensor.last.imu.specific_force[0] == 0);
    ib_bus_destroy(bus);
}

static void test_startup_and_range(void **state) {
    (void)state;
    const ib_device device = make_device("altimeter", IB_SECOND);
    altimeter.startup = 3;
    altimeter.lowest = 1, altimeter.highest = 100;
    ib_sensor_state sensor = {0};
    ib_bus *bus = make_bus(4);
    for (int i = 0; i < 6; i++) {
        ib_truth_point truth = at_rest(i * IB_SECOND);
        ib_message message;
        truth.height = i == 5 ? 200 : 50;
        ib_altimeter_step(&device, &altimeter, &truth, &sensor, bus);
        const bool came = ib_bus_take(bus, IB_TOPIC_ALTIMETER, IB_ANY, truth.time, &message);
        assert_true(came == (i >= 3));
        assert_true((sensor.mode == IB_SENSOR_OFF) == (i < 3));
        if (came)
            assert_true(message.payload.altimeter.flags == (i == 5 ? IB_FLAG_INVALID : 0));
    }
    ib_bus_destroy(bus);
}

/* ---- wrong input ---- */

static void expect(ib_status status, ib_diags *diags, const char *words) {
    assert_int_equal(status, IB_BAD_INPUT);
    assert_int_equal(ib_diags_count(diags), 1);
    if (!strstr(ib_diags_at(diags, 0)->message, words))
        fail_msg("'%s' lacks '%s'", ib_diags_at(diags, 0)->message, words);
    ib_diags_clear(diags);
}

static void test_wrong_faults(void **state) {
    (void)state;
    static const struct {
        ib_device_fault fault;
        const char *words;
    } cases[] = {
        {{IB_FAULT_STUCK, 5, 5, 0, 0}, "ends before it starts"},
        {{IB_FAULT_DROPOUT, 0, 1, 1.5, 0}, "probability between 0 and 1"},
        {{IB_FAULT_NOISE, 0, 1, -1, 0}, "'noise' takes a factor"},
        {{IB_FAULT_SLOW, 0, 1, 0.5, 0}, "'slow' takes a factor"},
        {{IB_FAULT_BIAS, 0, 1, HUGE_VAL, 0}, "finite"},
        {{IB_FAULT_BIAS, 0, 1, 0, 2}, "part 0 or 1"},
    };
    ib_diags *diags = ib_diags_create();
    for (size_t i = 0; i < IB_COUNT(cases); i++) {
        ib_device device = make_device("baro", MS);
        device.n_faults = 1;
        device.faults[0] = cases[i].fault;
        expect(ib_device_check(&device, "baro", diags, IB_NO_PLACE), diags, cases[i].words);
    }
    ib_device device = make_device("baro", 0);
    expect(ib_device_check(&device, "baro", diags, IB_NO_PLACE), diags, "period");
    device.period = 1;
    device.n_faults = 9;
    expect(ib_device_check(&device, "baro", diags, IB_NO_PLACE), diags, "at most 8");
    ib_diags_destroy(diags);
}

static void test_wrong_parameters(void **state) {
    (void)state;
    ib_diags *diags = ib_diags_create();
    const ib_parameter_table *imu_table = ib_parameters_of("imu");
    imu.gyro.noise = -1;
    expect(ib_parameters_check(imu_table, &imu, "imu1", diags, NULL), diags,
           "imu1.gyro.noise is -1 rad/s s^0.5; it lies between 0 and");
    defaults(NULL);
    imu.accelerometer.bias[2] = (double)NAN;
    expect(ib_parameters_check(imu_table, &imu, "imu1", diags, NULL), diags,
           "imu1.accelerometer.bias is nan m/s^2");
    assert_null(ib_parameters_of("sextant"));
    ib_diags_destroy(diags);
}

/* Every parameter is inside its description, its default within its bounds, and documented. */
static void test_tables(void **state) {
    (void)state;
    ib_str text = {0};
    ib_parameters_markdown(&text);
    const ib_parameter_table *of;
    size_t n = 0;
    for (; (of = ib_parameters_at(n)); n++) {
        double spec[256] = {0};
        ib_parameters_default(of, spec);
        assert_int_equal(ib_parameters_check(of, spec, of->device, NULL, NULL), IB_OK);
        assert_ptr_equal(ib_parameters_of(of->device), of);
        for (size_t i = 0; i < of->n; i++) {
            char row[160];
            snprintf(row, sizeof row, "| `%s` |", of->parameters[i].name);
            assert_non_null(strstr(text.data, row));
            assert_true(of->parameters[i].text[0] &&
                        of->parameters[i].low <= of->parameters[i].high);
        }
    }
    assert_true(n >= 5);
    ib_str_free(&text);
}

/* The page of the documentation is what the tables say. */
static void test_page(void **state) {
    (void)state;
    ib_str text = {0};
    char *page = NULL;
    size_t length = 0;
    ib_parameters_markdown(&text);
    assert_int_equal(ib_file_read(IB_TEST_SOURCE "/docs/device-reference.md", 1 << 20, NULL,
                                  IB_NO_PLACE, &page, &length),
                     IB_OK);
    assert_string_equal(page, text.data);
    free(page);
    ib_str_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_at_rest, defaults),
        cmocka_unit_test_setup(test_static_imu, defaults),
        cmocka_unit_test_setup(test_gps_truth, defaults),
        cmocka_unit_test_setup(test_gps_errors, defaults),
        cmocka_unit_test_setup(test_gps_fix, defaults),
        cmocka_unit_test(test_gps_time),
        cmocka_unit_test(test_gps_pair),
        cmocka_unit_test_setup(test_order_of_devices, defaults),
        cmocka_unit_test_setup(test_faults, defaults),
        cmocka_unit_test_setup(test_fault_of_a_part, defaults),
        cmocka_unit_test_setup(test_startup_and_range, defaults),
        cmocka_unit_test(test_wrong_faults),
        cmocka_unit_test_setup(test_wrong_parameters, defaults),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
