/* environment: frames, the Earth's shape, gravity, air, wind and magnetic field. The one header
 * that siblings include.
 *
 * Everything is a function of (place, time): nothing here has a state that advances. SI units and
 * radians. Nothing allocates.
 *
 * Frames (all right-handed):
 *   inertial   curved Earth: centre of the Earth, axes of the Earth-fixed frame at t = 0.
 *              Flat Earth: the launch place at height 0, axes north, west, up; it is Earth-fixed
 * too. Earth-fixed (ECEF)   z to the north pole, x to longitude 0 NED        axes north, east, down
 * at a place launch     origin at the launch point at t = 0; x along the azimuth (clockwise from
 * north), y to its left, z up along the ellipsoid's normal; not rotating body       of a vehicle A
 * matrix called a_from_b takes components in b to components in a.
 */
#ifndef IB_ENVIRONMENT_H
#define IB_ENVIRONMENT_H

#include "num/num.h"

/* ---- earth.c: shape, geodetic coordinates --------------------------------------------------- */

#define IB_WGS84_RADIUS 6378137.0
#define IB_WGS84_FLATTENING (1 / 298.257223563)
#define IB_WGS84_MU 3.986004418e14
#define IB_EARTH_J2 1.08262982e-3
#define IB_EARTH_RATE 7.292115e-5

typedef enum ib_earth_shape { IB_EARTH_FLAT, IB_EARTH_SPHERE, IB_EARTH_ELLIPSOID } ib_earth_shape;

typedef struct ib_earth {
    ib_earth_shape shape;
    double radius;     /* equatorial, m */
    double flattening; /* 0 for a sphere */
    double rate;       /* rotation about z, rad/s; 0 on a flat Earth */
} ib_earth;

/* Latitude and longitude along the ellipsoid's normal, rad, longitude in (-pi, pi]; height above
 * the ellipsoid, m. */
typedef struct ib_geodetic {
    double latitude, longitude, height;
} ib_geodetic;

/* The longitude in (-pi, pi] of any finite angle. */
double ib_longitude(double angle);
/* Earth-fixed place of geodetic coordinates (curved Earth; a flat one is taken as its ellipsoid).
 */
void ib_ecef_from_geodetic(const ib_earth *earth, const ib_geodetic *place, double r[3]);
/* Its inverse, outside the centre to rounding; the centre itself is on the equator at longitude 0.
 * Longitude is 0 on the axis. */
void ib_geodetic_from_ecef(const ib_earth *earth, const double r[3], ib_geodetic *place);

/* The same without angles: sine and cosine of latitude and (east, ahead) of longitude. */
typedef struct ib_normal {
    double sine, cosine, east, ahead, height;
} ib_normal;

void ib_normal_at(const ib_earth *earth, const double r[3], ib_normal *normal);
/* The height alone, of a place in axes with z along the Earth's. */
double ib_height_at(const ib_earth *earth, const double r[3]);
void ib_geodetic_from_normal(const ib_normal *normal, ib_geodetic *place);

/* ---- frame.c: turning from frame to frame ---------------------------------------------------- */

/* Axes of NED at a place, Earth-fixed components. */
void ib_ned_from_ecef(double latitude, double longitude, double R[9]);
void ib_ned_from_normal(const ib_normal *normal, double R[9]);
/* The Earth's turn since t = 0. */
void ib_ecef_from_inertial(const ib_earth *earth, double t, double R[9]);
/* Position and velocity: the velocity is relative to the frame's own axes, so the Earth's rotation
 * comes in. v may be NULL, then v_out is left alone; results may alias arguments. */
void ib_state_to_ecef(const ib_earth *earth, double t, const double r[3], const double v[3],
                      double r_out[3], double v_out[3]);
void ib_state_to_inertial(const ib_earth *earth, double t, const double r[3], const double v[3],
                          double r_out[3], double v_out[3]);

/* The launch frame at a place: its origin in the inertial frame (m) and inertial_from_launch. */
void ib_launch_frame(const ib_earth *earth, const ib_geodetic *place, double azimuth,
                     double origin[3], double R[9]);

/* Yaw, pitch, roll (intrinsic z, y, x; rad) of the rotation frame_from_body; pitch in
 * [-pi/2, pi/2], never NaN. Where yaw and roll turn about one axis their split is arbitrary but the
 * three give the rotation back to rounding. */
void ib_euler_zyx(const double R[9], double angles[3]);
void ib_matrix_from_euler_zyx(const double angles[3], double R[9]);

/* ---- gravity.c ------------------------------------------------------------------------------ */

typedef enum ib_gravity_kind {
    IB_GRAVITY_NONE,
    IB_GRAVITY_UNIFORM,
    IB_GRAVITY_INVERSE_SQUARE,
    IB_GRAVITY_J2,
} ib_gravity_kind;

typedef struct ib_gravity {
    ib_gravity_kind kind;
    double uniform[3]; /* m/s^2, inertial axes */
    double mu;         /* m^3/s^2 */
    double j2;
    double radius; /* that j2 refers to, m */
} ib_gravity;

/* Attraction (m/s^2; no centrifugal part) at the place r from the Earth's centre and, unless NULL,
 * its gradient dg_i/dr_j (1/s^2, symmetric, row-major). Axes: any with z along the Earth's. Zero at
 * the centre itself. */
void ib_gravity_at(const ib_gravity *gravity, const double r[3], double g[3], double gradient[9]);

/* ---- atmosphere.c: US Standard Atmosphere 1976 ------------------------------------------------
 */

/* The first derivatives are by geometric height (1/m of each). */
typedef struct ib_air {
    double temperature, d_temperature; /* kinetic, K */
    double pressure, d_pressure;       /* Pa */
    double density, d_density;         /* kg/m^3 */
    double sound_speed, d_sound_speed; /* m/s */
    double viscosity;                  /* dynamic, Pa s */
} ib_air;

/* Air at a geometric height (m). To 86 km the standard's own equations; above, smooth curves
 * through its tables to 1000 km, exponential beyond. Below -10 km it is what it is there. Positive
 * and finite at every height that is a number. */
void ib_us76(double height, ib_air *air);
/* Its density and temperature alone, the same bits. */
double ib_us76_density(double height, double *temperature);
/* Geopotential height (m) of a geometric one, as the standard defines it. */
double ib_us76_geopotential(double height);

/* ---- wind.c, turbulence.c -------------------------------------------------------------------- */

#define IB_WIND_LEVELS 64
#define IB_WIND_GUSTS 16
#define IB_TURBULENCE_MODES 64

typedef struct ib_wind_level {
    double height;  /* m */
    double wind[3]; /* NED, m/s */
} ib_wind_level;

/* A pulse amplitude/2 (1 - cos(2 pi (t - start) / duration)) while it lasts. */
typedef struct ib_wind_gust {
    double start, duration; /* s */
    double amplitude[3];    /* NED, m/s */
} ib_wind_gust;

/* Dryden turbulence as one frozen, isotropic, incompressible field that the mean wind carries. */
typedef struct ib_turbulence {
    double intensity; /* standard deviation of each component, m/s; 0: none */
    double scale;     /* L, m */
    double carry[3];  /* velocity of the field, Earth-fixed axes (flat Earth: inertial), m/s */
    /* Made by ib_turbulence_prepare: wave vectors (rad/m), amplitudes (m/s) of the cosine and the
     * sine, both across their wave vector. */
    double wave[IB_TURBULENCE_MODES][3];
    double cosine[IB_TURBULENCE_MODES][3];
    double sine[IB_TURBULENCE_MODES][3];
} ib_turbulence;

typedef struct ib_wind {
    double steady[3]; /* NED, m/s: where the air goes */
    int n_levels;     /* a profile, heights rising; linear between, held below and above */
    ib_wind_level levels[IB_WIND_LEVELS];
    int n_gusts;
    ib_wind_gust gusts[IB_WIND_GUSTS];
    ib_turbulence turbulence;
} ib_wind;

/* The NED vector of a wind of that speed that comes from a direction (rad, clockwise from north).
 */
void ib_wind_from_direction(double speed, double direction, double wind[3]);
/* Steady, profile and gusts at a height and time (s): NED, m/s; and the derivative by height. */
void ib_wind_mean(const ib_wind *wind, double height, double t, double ned[3], double d_height[3]);
/* Draws the field's modes from streams keyed by the seed. */
void ib_turbulence_prepare(ib_turbulence *turbulence, uint64_t seed);
/* Velocity of the turbulence (m/s) at a place and time and its gradient du_i/dr_j (1/s), in the
 * axes of r: Earth-fixed, or inertial on a flat Earth. */
void ib_turbulence_at(const ib_turbulence *turbulence, const double r[3], double t, double u[3],
                      double gradient[9]);

/* ---- magnetic.c: a tilted dipole ----------------------------------------------------------------
 */

/* Flux density (T, Earth-fixed axes) of the degree-1 part of IGRF-13 for 2020.0. Zero at the
 * centre. The true field differs by up to a third. */
void ib_magnetic_dipole(const double r[3], double B[3]);

/* ---- environment.c: all of it, probed once an evaluation ----------------------------------------
 */

typedef enum ib_atmosphere_kind { IB_ATMOSPHERE_NONE, IB_ATMOSPHERE_US76 } ib_atmosphere_kind;

/* Plain data: a copy is as good as the original. */
typedef struct ib_environment {
    ib_earth earth;
    ib_geodetic origin; /* the launch place; of a flat Earth the place of the inertial frame */
    ib_gravity gravity;
    ib_atmosphere_kind atmosphere;
    ib_wind wind;
    bool magnetic_field;
} ib_environment;

/* What surrounds a place at a time, in inertial axes unless the name says otherwise. */
typedef struct ib_surroundings {
    ib_normal normal;            /* where it is; ib_geodetic_from_normal makes angles of it */
    double up[3];                /* also the gradient of the height by place */
    double ned_from_inertial[9]; /* axes at the place */
    double gravity[3], gravity_gradient[9];
    ib_air air;               /* all zero without an atmosphere, gradient d_x * up */
    double air_velocity[3];   /* of the air: the Earth's rotation and the wind, m/s */
    double air_rate[3];       /* half the curl of the turbulence, rad/s */
    double magnetic_field[3]; /* T */
} ib_surroundings;

/* WGS-84 rotating, J2, US76, no wind, magnetic field; origin at latitude and longitude 0. */
void ib_environment_default(ib_environment *environment);
/* Checks every number, draws the turbulence. IB_BAD_INPUT with a diagnostic at `place` for what is
 * not finite, out of range or does not fit together. */
ib_status ib_environment_prepare(ib_environment *environment, uint64_t seed, ib_diags *diags,
                                 ib_place place);
/* The one probe. r: inertial (m), t: s since the start. The environment must be prepared. */
void ib_environment_probe(const ib_environment *environment, const double r[3], double t,
                          ib_surroundings *around);
/* What forces need of the same, sooner: gravity, air.density, air.temperature and air_velocity;
 * what becomes of the rest is not said. True when the rest was probed too. */
bool ib_environment_feel(const ib_environment *environment, const double r[3], double t,
                         ib_surroundings *around);

#endif
