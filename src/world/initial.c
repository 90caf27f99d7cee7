/* Where a vehicle is at t = 0: from the frame that the mission speaks in to the inertial one.
 *
 * At t = 0 Earth-fixed and inertial axes are the same. A velocity over the turning ground is w x r
 * more in inertial space, an angular velocity w more.
 */
#include "world/world_internal.h"

#include <string.h>

/* Where the vehicle is, inertial. */
static void place(const ib_world *world, const ib_initial_spec *spec, double r[3]) {
    const ib_earth *earth = &world->environment.earth;
    if (spec->geodetic) {
        const ib_geodetic at = {spec->latitude, ib_longitude(spec->longitude), spec->altitude};
        double ecef[3], origin[3], ned[9], away[3];
        ib_ecef_from_geodetic(earth, &at, ecef);
        if (earth->shape != IB_EARTH_FLAT) {
            memcpy(r, ecef, sizeof ecef);
            return;
        }
        /* Flat: the offset in the launch point's tangent plane, at that height. */
        const ib_geodetic ground = {world->environment.origin.latitude,
                                    world->environment.origin.longitude, 0};
        const ib_geodetic level = {at.latitude, at.longitude, 0};
        ib_ecef_from_geodetic(earth, &level, ecef);
        ib_ecef_from_geodetic(earth, &ground, origin);
        ib_ned_from_ecef(ground.latitude, ground.longitude, ned);
        ib_sub3(ecef, origin, away);
        ib_mul3v(ned, away, away);
        r[0] = away[0], r[1] = -away[1], r[2] = at.height;
        return;
    }
    if (spec->frame == IB_INITIAL_LAUNCH || spec->frame == IB_INITIAL_NED) {
        double R[9], away[3];
        const double ned[9] = {1, 0, 0, 0, -1, 0, 0, 0, -1};
        ib_launch_frame(earth, &world->environment.origin, 0, (double[3]){0}, R);
        if (spec->frame == IB_INITIAL_LAUNCH) {
            ib_mul3v(world->launch, spec->position, away);
        } else {
            ib_mul3v(ned, spec->position, away);
            ib_mul3v(R, away, away);
        }
        ib_axpy(world->origin, 1, away, r);
        return;
    }
    memcpy(r, spec->position, 3 * sizeof *r);
}

/* inertial_from_frame, at the place r. */
static void axes(const ib_world *world, const ib_initial_spec *spec, const double r[3],
                 double R[9]) {
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    ib_surroundings around;
    switch (spec->frame) {
    case IB_INITIAL_LAUNCH:
        memcpy(R, world->launch, 9 * sizeof *R);
        break;
    case IB_INITIAL_NED:
        ib_environment_probe(&world->environment, r, 0, &around);
        for (int i = 0; i < 9; i++)
            R[i] = around.ned_from_inertial[3 * (i % 3) + i / 3];
        break;
    default:
        memcpy(R, identity, sizeof identity);
    }
}

/* With axes that are the inertial ones the attitude is what the mission says, to the bit. */
static void attitude(const ib_initial_spec *spec, const double R[9], double q[4]) {
    double turn[4];
    if (spec->frame == IB_INITIAL_ECEF || spec->frame == IB_INITIAL_ECI) {
        memcpy(q, spec->attitude, sizeof spec->attitude);
        return;
    }
    ib_quat_from_matrix(R, turn);
    ib_quat_mul(turn, spec->attitude, q);
    ib_quat_normalize(q);
}

bool ib_load_initial(ib_world_loader *l, const ib_vehicle_spec *spec, ib_vehicle *vehicle) {
    const ib_world *world = l->world;
    const ib_initial_spec *initial = &spec->initial;
    ib_flight_state *flight = &vehicle->state.flight;
    const double turn[3] = {0, 0, world->environment.earth.rate};
    double R[9], swept[3], rate[3];
    place(world, initial, flight->position);
    axes(world, initial, flight->position, R);
    ib_mul3v(R, initial->velocity, flight->velocity);
    if (!initial->velocity_relative_to) {
        ib_cross(turn, flight->position, swept);
        ib_axpy(flight->velocity, 1, swept, flight->velocity);
    }
    attitude(initial, R, flight->attitude);
    memcpy(flight->rate, initial->rates, sizeof flight->rate);
    if (!initial->rates_relative_to) {
        ib_quat_rotate_back(flight->attitude, turn, rate);
        ib_axpy(flight->rate, 1, rate, flight->rate);
    }
    if (!(ib_norm(flight->position) < 1e13 && ib_norm(flight->velocity) < 3e8 &&
          ib_norm(flight->rate) < 1e6)) {
        ib_diags_add(l->diags, IB_ERROR, IB0607, initial->place.line ? initial->place : spec->place,
                     "vehicle '%s': its initial state is beyond what flies", spec->name);
        return false;
    }
    vehicle->state.before = *flight;
    return true;
}
