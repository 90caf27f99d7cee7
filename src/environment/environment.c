/* The environment as one: its settings, and the one probe that every force and device of an
 * evaluation shares.
 *
 * On a flat Earth the inertial frame is the place's own (north, west, up) and turns with nothing;
 * latitude and longitude are those beneath the same offset in the tangent plane.
 */
#include "environment/environment.h"

#include <string.h>

void ib_environment_default(ib_environment *environment) {
    *environment = (ib_environment){
        .earth = {IB_EARTH_ELLIPSOID, IB_WGS84_RADIUS, IB_WGS84_FLATTENING, IB_EARTH_RATE},
        .gravity = {IB_GRAVITY_J2, {0}, IB_WGS84_MU, IB_EARTH_J2, IB_WGS84_RADIUS},
        .atmosphere = IB_ATMOSPHERE_US76,
        .magnetic_field = true,
    };
}

/* ---- checking ---- */

typedef struct checker {
    ib_diags *diags;
    ib_place place;
    bool failed;
} checker;

/* A number within [low, high]; NaN is outside. */
static void within(checker *check, const char *name, double value, double low, double high) {
    if (value >= low && value <= high)
        return;
    char text[3][IB_NUMBER_SIZE];
    ib_diags_add(check->diags, IB_ERROR, IB0607, check->place,
                 "environment: %s is %s; it lies between %s and %s", name,
                 ib_number_text(value, text[0]), ib_number_text(low, text[1]),
                 ib_number_text(high, text[2]));
    check->failed = true;
}

static void vector_within(checker *check, const char *name, const double value[3], double size) {
    for (int i = 0; i < 3; i++)
        within(check, name, value[i], -size, size);
}

static void refuse(checker *check, const char *message) {
    ib_diags_add(check->diags, IB_ERROR, IB0607, check->place, "environment: %s", message);
    check->failed = true;
}

static void check_earth(checker *check, const ib_environment *environment) {
    const ib_earth *earth = &environment->earth;
    const bool flat = earth->shape == IB_EARTH_FLAT;
    within(check, "the Earth's radius", earth->radius, 1, 1e12);
    within(check, "the flattening", earth->flattening, 0,
           earth->shape == IB_EARTH_SPHERE ? 0 : 0.5);
    within(check, "the rotation rate", earth->rate, flat ? 0 : -1, flat ? 0 : 1);
    within(check, "the latitude", environment->origin.latitude, -0x1.921fb54442d18p+0,
           0x1.921fb54442d18p+0);
    within(check, "the longitude", environment->origin.longitude, -0x1.921fb54442d18p+2,
           0x1.921fb54442d18p+2);
    within(check, "the altitude", environment->origin.height, -1e5, 1e12);
}

static void check_gravity(checker *check, const ib_environment *environment) {
    const ib_gravity *gravity = &environment->gravity;
    const bool central =
        gravity->kind == IB_GRAVITY_INVERSE_SQUARE || gravity->kind == IB_GRAVITY_J2;
    vector_within(check, "uniform gravity", gravity->uniform, 1e6);
    within(check, "the gravitational parameter", gravity->mu, 0, 1e30);
    within(check, "J2", gravity->j2, -1, 1);
    within(check, "the radius of J2", gravity->radius, 0, 1e12);
    if (central && environment->earth.shape == IB_EARTH_FLAT)
        refuse(check, "inverse-square and J2 gravity point to the centre of the Earth, and a flat "
                      "Earth has none; 'uniform' goes with it");
}

static void check_wind(checker *check, const ib_wind *wind) {
    vector_within(check, "steady wind", wind->steady, 1e4);
    if (wind->n_levels < 0 || wind->n_levels > IB_WIND_LEVELS || wind->n_gusts < 0 ||
        wind->n_gusts > IB_WIND_GUSTS) {
        refuse(check, "a wind has at most 64 levels and 16 gusts");
        return;
    }
    for (int i = 0; i < wind->n_levels; i++) {
        within(check, "a level's height", wind->levels[i].height, -1e6, 1e9);
        vector_within(check, "a level's wind", wind->levels[i].wind, 1e4);
        if (i > 0 && !(wind->levels[i].height > wind->levels[i - 1].height))
            refuse(check, "the heights of a wind profile rise from level to level");
    }
    for (int i = 0; i < wind->n_gusts; i++) {
        within(check, "a gust's start", wind->gusts[i].start, -1e10, 1e10);
        within(check, "a gust's duration", wind->gusts[i].duration, 1e-9, 1e10);
        vector_within(check, "a gust", wind->gusts[i].amplitude, 1e4);
    }
    within(check, "the intensity of turbulence", wind->turbulence.intensity, 0, 1e3);
    if (wind->turbulence.intensity > 0)
        within(check, "the scale of turbulence", wind->turbulence.scale, 1e-3, 1e7);
}

/* The mean wind at the origin carries the turbulence. */
static void carry_turbulence(ib_environment *environment) {
    ib_wind *wind = &environment->wind;
    double ned[3], slope[3], R[9] = {1, 0, 0, 0, -1, 0, 0, 0, -1};
    ib_wind_mean(wind, environment->origin.height, -1e300, ned, slope);
    if (environment->earth.shape != IB_EARTH_FLAT)
        ib_ned_from_ecef(environment->origin.latitude, environment->origin.longitude, R);
    ib_mul3tv(R, ned, wind->turbulence.carry);
}

ib_status ib_environment_prepare(ib_environment *environment, uint64_t seed, ib_diags *diags,
                                 ib_place place) {
    checker check = {.diags = diags, .place = place};
    check_earth(&check, environment);
    check_gravity(&check, environment);
    check_wind(&check, &environment->wind);
    if (check.failed)
        return IB_BAD_INPUT;
    if (environment->wind.turbulence.intensity > 0) {
        carry_turbulence(environment);
        ib_turbulence_prepare(&environment->wind.turbulence, seed);
    }
    return IB_OK;
}

/* ---- probing ---- */

/* Leaves ecef_from_inertial in `turn` and the Earth-fixed place in `fixed`. */
static void locate_flat(const ib_environment *environment, const double r[3],
                        ib_surroundings *around, double turn[9], double fixed[3]) {
    static const double axes[9] = {1, 0, 0, 0, -1, 0, 0, 0, -1};
    const ib_earth *earth = &environment->earth;
    const ib_geodetic ground = {environment->origin.latitude, environment->origin.longitude, 0};
    double ned[9], origin[3], level[3], beneath[3];
    ib_ned_from_ecef(ground.latitude, ground.longitude, ned);
    for (int i = 0; i < 3; i++)
        turn[3 * i] = ned[i], turn[3 * i + 1] = -ned[3 + i], turn[3 * i + 2] = -ned[6 + i];
    ib_ecef_from_geodetic(earth, &ground, origin);
    ib_mul3v(turn, r, fixed);
    ib_axpy(origin, 1, fixed, fixed);
    ib_mul3v(turn, (const double[3]){r[0], r[1], 0}, level);
    ib_axpy(origin, 1, level, beneath);
    ib_normal_at(earth, beneath, &around->normal);
    around->normal.height = r[2];
    memcpy(around->ned_from_inertial, axes, sizeof axes);
}

static void locate_curved(const ib_environment *environment, const double r[3], double t,
                          ib_surroundings *around, double turn[9], double fixed[3]) {
    double ned[9];
    ib_ecef_from_inertial(&environment->earth, t, turn);
    ib_mul3v(turn, r, fixed);
    ib_normal_at(&environment->earth, fixed, &around->normal);
    ib_ned_from_normal(&around->normal, ned);
    ib_mul33(ned, turn, around->ned_from_inertial);
}

/* The air moves with the Earth, the mean wind and the turbulence. */
static void blow(const ib_environment *environment, const double r[3], double t,
                 const double turn[9], const double fixed[3], ib_surroundings *around) {
    double ned[3], slope[3], u[3], gradient[9];
    const bool flat = environment->earth.shape == IB_EARTH_FLAT;
    ib_wind_mean(&environment->wind, around->normal.height, t, ned, slope);
    ib_mul3tv(around->ned_from_inertial, ned, around->air_velocity);
    around->air_velocity[0] -= environment->earth.rate * r[1];
    around->air_velocity[1] += environment->earth.rate * r[0];
    memset(around->air_rate, 0, sizeof around->air_rate);
    if (!(environment->wind.turbulence.intensity > 0))
        return;
    ib_turbulence_at(&environment->wind.turbulence, flat ? r : fixed, t, u, gradient);
    double curl[3] = {(gradient[7] - gradient[5]) / 2, (gradient[2] - gradient[6]) / 2,
                      (gradient[3] - gradient[1]) / 2};
    if (!flat) {
        ib_mul3tv(turn, u, u);
        ib_mul3tv(turn, curl, curl);
    }
    ib_axpy(around->air_velocity, 1, u, around->air_velocity);
    memcpy(around->air_rate, curl, sizeof curl);
}

void ib_environment_probe(const ib_environment *environment, const double r[3], double t,
                          ib_surroundings *around) {
    double turn[9], fixed[3];
    if (environment->earth.shape == IB_EARTH_FLAT)
        locate_flat(environment, r, around, turn, fixed);
    else
        locate_curved(environment, r, t, around, turn, fixed);
    for (int i = 0; i < 3; i++)
        around->up[i] = -around->ned_from_inertial[6 + i];
    ib_gravity_at(&environment->gravity, r, around->gravity, around->gravity_gradient);
    if (environment->atmosphere == IB_ATMOSPHERE_US76)
        ib_us76(around->normal.height, &around->air);
    else
        around->air = (ib_air){0};
    blow(environment, r, t, turn, fixed, around);
    memset(around->magnetic_field, 0, sizeof around->magnetic_field);
    if (environment->magnetic_field) {
        ib_magnetic_dipole(fixed, around->magnetic_field);
        ib_mul3tv(turn, around->magnetic_field, around->magnetic_field);
    }
}

/* No air moves over the ground. */
static bool is_calm(const ib_wind *wind) {
    return !(ib_dot(wind->steady, wind->steady) > 0) && wind->n_levels == 0 && wind->n_gusts == 0 &&
           !(wind->turbulence.intensity > 0);
}

bool ib_environment_feel(const ib_environment *environment, const double r[3], double t,
                         ib_surroundings *around) {
    if (environment->earth.shape == IB_EARTH_FLAT || !is_calm(&environment->wind)) {
        ib_environment_probe(environment, r, t, around);
        return true;
    }
    ib_gravity_at(&environment->gravity, r, around->gravity, NULL);
    if (environment->atmosphere == IB_ATMOSPHERE_US76)
        around->air.density =
            ib_us76_density(ib_height_at(&environment->earth, r), &around->air.temperature);
    else
        around->air.density = around->air.temperature = 0;
    around->air_velocity[0] = -environment->earth.rate * r[1];
    around->air_velocity[1] = environment->earth.rate * r[0];
    around->air_velocity[2] = 0;
    return false;
}
