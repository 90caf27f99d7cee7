/* Turning from frame to frame: Earth-fixed, inertial, north-east-down, launch, and Euler angles.
 *
 * The Earth turns by rate * t about z. Velocities are relative to their frame's axes:
 *     v_ecef = R (v_inertial - w x r_inertial).
 * Euler angles come out without an arc sine: roll first, then yaw of what is left when the roll is
 * taken back, so that all three together give the rotation to rounding at any pitch.
 */
#include "environment/environment.h"

#include <string.h>

void ib_ned_from_normal(const ib_normal *normal, double R[9]) {
    const double s = normal->sine, c = normal->cosine, e = normal->east, a = normal->ahead;
    R[0] = -s * a, R[1] = -s * e, R[2] = c;
    R[3] = -e, R[4] = a, R[5] = 0;
    R[6] = -c * a, R[7] = -c * e, R[8] = -s;
}

void ib_ned_from_ecef(double latitude, double longitude, double R[9]) {
    ib_normal normal;
    ib_sincos(latitude, &normal.sine, &normal.cosine);
    ib_sincos(longitude, &normal.east, &normal.ahead);
    ib_ned_from_normal(&normal, R);
}

void ib_ecef_from_inertial(const ib_earth *earth, double t, double R[9]) {
    double s, c;
    ib_sincos(earth->rate * t, &s, &c);
    R[0] = c, R[1] = s, R[2] = 0;
    R[3] = -s, R[4] = c, R[5] = 0;
    R[6] = 0, R[7] = 0, R[8] = 1;
}

void ib_state_to_ecef(const ib_earth *earth, double t, const double r[3], const double v[3],
                      double r_out[3], double v_out[3]) {
    double R[9];
    ib_ecef_from_inertial(earth, t, R);
    if (v) {
        const double relative[3] = {v[0] + earth->rate * r[1], v[1] - earth->rate * r[0], v[2]};
        ib_mul3v(R, relative, v_out);
    }
    ib_mul3v(R, r, r_out);
}

void ib_state_to_inertial(const ib_earth *earth, double t, const double r[3], const double v[3],
                          double r_out[3], double v_out[3]) {
    double R[9];
    ib_ecef_from_inertial(earth, t, R);
    if (v) {
        const double whole[3] = {v[0] - earth->rate * r[1], v[1] + earth->rate * r[0], v[2]};
        ib_mul3tv(R, whole, v_out);
    }
    ib_mul3tv(R, r, r_out);
}

/* Rows of north, east, down to columns of x along the azimuth, y to its left, z up. */
static void turn_to_azimuth(const double ned[9], double azimuth, double R[9]) {
    double s, c;
    ib_sincos(azimuth, &s, &c);
    for (int i = 0; i < 3; i++) {
        R[3 * i] = c * ned[i] + s * ned[3 + i];
        R[3 * i + 1] = s * ned[i] - c * ned[3 + i];
        R[3 * i + 2] = -ned[6 + i];
    }
}

void ib_launch_frame(const ib_earth *earth, const ib_geodetic *place, double azimuth,
                     double origin[3], double R[9]) {
    /* On a flat Earth the inertial axes are north, west, up. */
    double ned[9] = {1, 0, 0, 0, -1, 0, 0, 0, -1};
    if (earth->shape == IB_EARTH_FLAT) {
        origin[0] = origin[1] = 0;
        origin[2] = place->height;
    } else {
        ib_ecef_from_geodetic(earth, place, origin);
        ib_ned_from_ecef(place->latitude, place->longitude, ned);
    }
    turn_to_azimuth(ned, azimuth, R);
}

void ib_euler_zyx(const double R[9], double angles[3]) {
    const double roll = ib_atan2(R[7], R[8]);
    double s, c;
    ib_sincos(roll, &s, &c);
    angles[0] = ib_atan2(s * R[2] - c * R[1], c * R[4] - s * R[5]);
    angles[1] = ib_atan2(-R[6], ib_hypot(R[7], R[8]));
    angles[2] = roll;
}

void ib_matrix_from_euler_zyx(const double angles[3], double R[9]) {
    double sz, cz, sy, cy, sx, cx;
    ib_sincos(angles[0], &sz, &cz);
    ib_sincos(angles[1], &sy, &cy);
    ib_sincos(angles[2], &sx, &cx);
    const double turned[9] = {cz * cy,
                              cz * sy * sx - sz * cx,
                              cz * sy * cx + sz * sx,
                              sz * cy,
                              sz * sy * sx + cz * cx,
                              sz * sy * cx - cz * sx,
                              -sy,
                              cy * sx,
                              cy * cx};
    memcpy(R, turned, sizeof turned);
}
