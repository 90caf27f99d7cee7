/* The standard atmosphere against tables of 14 digits, its derivatives, and what lies above it. */
#include "environment_test.h"

#define ASSERT_RELATIVE(a, b, tolerance) ASSERT_NEAR((a) / (b), 1, tolerance)

static void test_reference_heights(void **state) {
    (void)state;
    table *known = table_read("flight/us76_geometric.csv");
    for (int i = 0; i < known->n_rows; i++) {
        const double z = table_number(known, i, "z_m");
        ib_air air;
        ib_us76(z, &air);
        ASSERT_RELATIVE(air.temperature, table_number(known, i, "T_kinetic_K"), 1e-12);
        ASSERT_RELATIVE(air.pressure, table_number(known, i, "p_Pa"), 1e-12);
        ASSERT_RELATIVE(air.density, table_number(known, i, "rho_kgm3"), 1e-12);
        ASSERT_RELATIVE(air.sound_speed, table_number(known, i, "a_mps"), 1e-12);
        ASSERT_RELATIVE(air.viscosity, table_number(known, i, "mu_Pas"), 1e-12);
        ASSERT_NEAR(ib_us76_geopotential(z), table_number(known, i, "h_geopot_m"), 1e-9);
    }
    free(known);
}

static void test_layer_bases(void **state) {
    (void)state;
    table *known = table_read("flight/us76_layer_bases_geopotential.csv");
    for (int i = 0; i < known->n_rows; i++) {
        ib_air air;
        ib_us76(table_number(known, i, "z_m"), &air);
        ASSERT_RELATIVE(air.pressure, table_number(known, i, "p_Pa"), 2e-12);
        ASSERT_RELATIVE(air.density, table_number(known, i, "rho_kgm3"), 2e-12);
    }
    free(known);
}

/* No jump where one formula hands over to the next. */
static void test_continuity(void **state) {
    (void)state;
    static const double joints[] = {
        -10000, 0,     11019.0678320001, 20063.1236817014, 32161.9032229809, 80000, 86000, 90e3,
        150e3,  1000e3};
    for (size_t i = 0; i < IB_COUNT(joints); i++) {
        ib_air below, above;
        ib_us76(joints[i] - 1e-6, &below);
        ib_us76(joints[i] + 1e-6, &above);
        ASSERT_RELATIVE(above.temperature, below.temperature, 2e-10);
        ASSERT_RELATIVE(above.pressure, below.pressure, 1e-9);
        ASSERT_RELATIVE(above.density, below.density, 1e-9);
    }
    /* At 86 km the slopes go on too. */
    ib_air below, above;
    ib_us76(86000, &below);
    ib_us76(86000.001, &above);
    ASSERT_RELATIVE(above.d_temperature, below.d_temperature, 1e-5);
    ASSERT_RELATIVE(above.d_pressure, below.d_pressure, 1e-5);
    ASSERT_RELATIVE(above.d_density, below.d_density, 1e-5);
    ASSERT_RELATIVE(above.d_sound_speed, below.d_sound_speed, 1e-5);
}

/* The standard's own values above 86 km. */
static void test_above(void **state) {
    (void)state;
    static const double known[][4] = {{100e3, 195.08, 3.2011e-2, 5.604e-7},
                                      {200e3, 854.56, 8.4736e-5, 2.541e-10},
                                      {400e3, 995.83, 1.4518e-6, 2.803e-12},
                                      {1000e3, 1000.0, 7.5138e-9, 3.561e-15}};
    for (size_t i = 0; i < IB_COUNT(known); i++) {
        ib_air air;
        ib_us76(known[i][0], &air);
        ASSERT_RELATIVE(air.temperature, known[i][1], 1e-12);
        ASSERT_RELATIVE(air.pressure, known[i][2], 1e-12);
        ASSERT_RELATIVE(air.density, known[i][3], 1e-12);
    }
}

/* Slope of a quantity by differences of the fourth order. */
static void differences(double z, double step, ib_air *slope) {
    ib_air at[4];
    for (int i = 0; i < 4; i++)
        ib_us76(z + step * (i < 2 ? i - 2 : i - 1), &at[i]);
#define SLOPE(what) ((8 * (at[2].what - at[1].what) - (at[3].what - at[0].what)) / (12 * step))
    slope->d_temperature = SLOPE(temperature);
    slope->d_pressure = SLOPE(pressure);
    slope->d_density = SLOPE(density);
    slope->d_sound_speed = SLOPE(sound_speed);
#undef SLOPE
}

/* T has kinks at the layers' bases and, for the molecular weight, every 500 m from 80 km. */
static bool near_a_kink(double z) {
    static const double bases[] = {11019.0678320001, 20063.1236817014, 32161.9032229809,
                                   47350.0922221204, 51412.4796257901, 71801.9706746958};
    for (size_t i = 0; i < IB_COUNT(bases); i++)
        if (fabs(z - bases[i]) < 8)
            return true;
    return z > 79990 && z < 86010 && fabs(z - 500 * round(z / 500)) < 8;
}

static void test_derivatives(void **state) {
    (void)state;
    uint64_t sequence = 0;
    for (int i = 0; i < 3000; i++) {
        const double z =
            i % 2 ? next_random(&sequence, -9000, 85900) : next_random(&sequence, 86100, 1200e3);
        ib_air air, slope;
        ib_us76(z, &air);
        differences(z, 2, &slope);
        if (near_a_kink(z))
            continue;
        ASSERT_NEAR(air.d_temperature, slope.d_temperature, 1e-8);
        ASSERT_NEAR(air.d_pressure / air.pressure, slope.d_pressure / air.pressure, 1e-11);
        ASSERT_NEAR(air.d_density / air.density, slope.d_density / air.density, 1e-9);
        ASSERT_NEAR(air.d_sound_speed, slope.d_sound_speed, 1e-8);
    }
}

/* Positive and finite everywhere, pressure and density falling. */
static void test_everywhere(void **state) {
    (void)state;
    double p = HUGE_VAL, rho = HUGE_VAL;
    for (int i = -400; i < 12000; i++) {
        const double z = 100.0 * i + (i > 11000 ? ldexp(1, i - 11000) : 0);
        ib_air air;
        ib_us76(isfinite(z) ? z : 1e308, &air);
        const double all[] = {air.temperature, air.pressure, air.density, air.sound_speed,
                              air.viscosity};
        for (size_t k = 0; k < IB_COUNT(all); k++)
            assert_true(all[k] > 0 && isfinite(all[k]));
        assert_true(isfinite(air.d_temperature) && isfinite(air.d_sound_speed));
        assert_true(air.pressure <= p && air.density <= rho);
        p = air.pressure, rho = air.density;
    }
    ib_air air;
    ib_us76(-1e300, &air);
    assert_true(air.density > 0 && isfinite(air.density) && air.d_density == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_heights), cmocka_unit_test(test_layer_bases),
        cmocka_unit_test(test_continuity),        cmocka_unit_test(test_above),
        cmocka_unit_test(test_derivatives),       cmocka_unit_test(test_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
