/* The Earth's shape: geodetic coordinates and Earth-fixed ones.
 *
 * Forward: N = a / sqrt(1 - e^2 sin^2(lat)), p = (N + h) cos(lat), z = (N (1 - e^2) + h) sin(lat).
 * Back: B. R. Bowring's fixed point (Survey Review 23, 1976) for the parametric latitude b,
 *     tan(lat) = (z + e'^2 B sin^3(b)) / (p - e^2 a cos^3(b)),  tan(b) = (1 - f) tan(lat),
 * in sines and cosines, so that poles are places like others. From the ground to orbit one round
 * leaves less than a nanometre; four reach rounding from 1000 km below the ground to any height.
 * The height p cos(lat) + z sin(lat) - a sqrt(1 - e^2 sin^2(lat)) does not feel the rest of the
 * latitude's error in first order.
 *
 * Within some 45 km of the centre a place has more than one normal; there the result is finite, no
 * more.
 */
#include "environment/environment.h"

#define PI 0x1.921fb54442d18p+1
#define ROUNDS 4
#define SETTLED                                                                                    \
    1e-13 /* what a round leaves of a change is a thousandth at most, mostly far less              \
           */

double ib_longitude(double angle) {
    if (angle > -PI && angle <= PI)
        return angle;
    double sine, cosine;
    ib_sincos(angle, &sine, &cosine);
    const double wrapped = ib_atan2(sine, cosine);
    return wrapped <= -PI ? PI : wrapped;
}

void ib_ecef_from_geodetic(const ib_earth *earth, const ib_geodetic *place, double r[3]) {
    const double f = earth->flattening, e2 = f * (2 - f);
    double sine, cosine, east, ahead;
    ib_sincos(place->latitude, &sine, &cosine);
    ib_sincos(place->longitude, &east, &ahead);
    const double normal = earth->radius / sqrt(1 - e2 * sine * sine);
    const double p = (normal + place->height) * cosine;
    r[0] = p * ahead;
    r[1] = p * east;
    r[2] = (normal * (1 - e2) + place->height) * sine;
}

/* Sine and cosine of the direction (y, x); along x where there is none. */
static void direction(double y, double x, double *sine, double *cosine) {
    const double length = sqrt(x * x + y * y);
    const double inverse = length > 0 ? 1 / length : 0;
    *sine = y * inverse;
    *cosine = length > 0 ? x * inverse : 1;
}

/* All of the normal but for the longitude. */
static void latitude_at(const ib_earth *earth, const double r[3], ib_normal *normal) {
    const double a = earth->radius, f = earth->flattening, e2 = f * (2 - f);
    const double p = sqrt(r[0] * r[0] + r[1] * r[1]), z = r[2];
    double sine, cosine, before = 2;
    const double above = e2 * a / (1 - f), across = e2 * a;
    direction(z, p * (1 - f), &sine, &cosine);
    for (int i = 0; i < ROUNDS && e2 > 0; i++) {
        /* e'^2 B = e^2 a / (1 - f); here sine and cosine are those of b. */
        const double up = z + above * sine * sine * sine;
        double out = p - across * cosine * cosine * cosine;
        const double change = sine - before;
        if (change < SETTLED && change > -SETTLED)
            break;
        before = sine;
        out = out > 0 ? out : 0; /* near the centre */
        direction((1 - f) * up, out, &sine, &cosine);
    }
    direction(sine, (1 - f) * cosine, &sine, &cosine);
    normal->sine = sine;
    normal->cosine = cosine;
    normal->height = p * cosine + z * sine - a * sqrt(1 - e2 * sine * sine);
}

void ib_normal_at(const ib_earth *earth, const double r[3], ib_normal *normal) {
    latitude_at(earth, r, normal);
    direction(r[1], r[0], &normal->east, &normal->ahead);
}

double ib_height_at(const ib_earth *earth, const double r[3]) {
    const double a = earth->radius, f = earth->flattening, e2 = f * (2 - f);
    const double p2 = r[0] * r[0] + r[1] * r[1], z = r[2], size2 = p2 + z * z;
    if (!(size2 > 0.98 * a * a)) {
        ib_normal normal;
        latitude_at(earth, r, &normal);
        return normal.height;
    }
    /* Above the ground one round leaves a millionth of its change, and the height feels the square
     * of that: 1e-11 m. Without the rounds' unit vectors there are two divisions, and the roots run
     * side by side: a sqrt(1 - e^2 sin^2) = a sqrt((L^2 - e^2 up^2) / L^2), L = |(up, out)|. */
    const double p = sqrt(p2), shrink = 1 - f;
    const double inverse = 1 / sqrt(shrink * shrink * p2 + z * z);
    const double sine = z * inverse, cosine = shrink * p * inverse;
    const double up = z + e2 * a / shrink * (sine * sine * sine);
    const double out = p - e2 * a * (cosine * cosine * cosine);
    const double length2 = up * up + out * out;
    return (p * out + z * up - a * sqrt(length2 - e2 * (up * up))) / sqrt(length2);
}

void ib_geodetic_from_normal(const ib_normal *normal, ib_geodetic *place) {
    const double longitude = ib_atan2(normal->east, normal->ahead);
    place->latitude = ib_atan2(normal->sine, normal->cosine);
    place->longitude = longitude <= -PI ? PI : longitude;
    place->height = normal->height;
}

void ib_geodetic_from_ecef(const ib_earth *earth, const double r[3], ib_geodetic *place) {
    ib_normal normal;
    ib_normal_at(earth, r, &normal);
    ib_geodetic_from_normal(&normal, place);
}
