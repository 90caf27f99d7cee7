/* Bodies whose mass changes: propellant in tanks, burnt by thrusts (docs/numerics.md, "Variable
 * mass").
 *
 * A body's axes and its place are those of the body without propellant, so that points fixed on it
 * stay what they are, and its equations are those of a rigid body about a point beside its centre
 * of mass:
 *     m a + R (alpha x s) = F - R (w x (w x s)),        s = m c the first moment,
 *     J alpha + s x Rt a  = T - w x J w,                J about that point,
 * with m, s and J of what is left in the tanks. The propellant that flows from where a tank loses
 * it, d/dm of s, to the nozzle at p adds, for a flow of mu,
 *     F_flow = -2 R (w x (mu p + s')),
 *     T_flow = -J' w - mu (p x (w x p)) + w x (s' x p),    s' = ds/dt = -mu d,  J' = dJ/dt,
 * the Coriolis forces of a steady, straight flow (J. W. Cornelisse, H. F. R. Schoyer, K. F. Wakker,
 * Rocket Propulsion and Spaceflight Dynamics, 1979, chapters 3 and 4); about the axes across the
 * thrust they are the jet damping. The thrust itself is a force.
 */
#include "mechanics/mechanism.h"

#include <string.h>

int ib_mechanism_add_tank(ib_mechanism *m, const ib_mech_tank *given) {
    if (!IB_VEC_RESERVE(m->tanks, m->tanks_capacity, m->n_tanks))
        return -1;
    mech_tank *tank = &m->tanks[m->n_tanks];
    memset(tank, 0, sizeof *tank);
    tank->given = *given;
    ib_to_body(m->bodies, given->body, given->position, tank->position);
    ib_vector_to_body(m->bodies, given->body, given->axis, tank->axis);
    const ib_mech_auxiliary left = {.name = given->name,
                                    .place = given->place,
                                    .rate_place = given->place,
                                    .rate = given->rate,
                                    .start = given->mass};
    tank->auxiliary = ib_mechanism_add_auxiliary(m, &left);
    return tank->auxiliary < 0 ? -1 : (int)m->n_tanks++;
}

int ib_mechanism_add_outlet(ib_mechanism *m, const ib_mech_outlet *given) {
    if (!IB_VEC_RESERVE(m->outlets, m->outlets_capacity, m->n_outlets))
        return -1;
    mech_outlet *outlet = &m->outlets[m->n_outlets];
    outlet->given = *given;
    ib_to_body(m->bodies, m->tanks[given->tank].given.body, given->point, outlet->p);
    return (int)m->n_outlets++;
}

/* ---- mass, first moment and inertia ---- */

/* J += m (|x|^2 - x xT) */
static void add_point(double mass, const double x[3], double J[9]) {
    const double square = ib_dot(x, x);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[3 * i + j] += mass * ((i == j ? square : 0) - x[i] * x[j]);
}

/* J += along n nT + across (1 - n nT) */
static void add_round(double along, double across, const double n[3], double J[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[3 * i + j] += (i == j ? across : 0) + (along - across) * n[i] * n[j];
}

/* How high a cylinder is filled. */
static double level_of(const mech_tank *tank, double mass) {
    return tank->given.length * (mass / tank->given.mass);
}

static void add_contents(const mech_tank *tank, double mass, double *total, double moment[3],
                         double J[9]) {
    const ib_mech_tank *t = &tank->given;
    const double square = t->radius * t->radius;
    double centre[3];
    memcpy(centre, tank->position, sizeof centre);
    if (t->shape == IB_MECH_TANK_CYLINDER) {
        const double level = level_of(tank, mass);
        ib_axpy(centre, level / 2, tank->axis, centre);
        add_round(mass * square / 2, mass * (square / 4 + level * level / 12), tank->axis, J);
    } else if (t->shape == IB_MECH_TANK_SPHERE) {
        add_round(0.4 * mass * square, 0.4 * mass * square, tank->axis, J);
    }
    add_point(mass, centre, J);
    ib_axpy(moment, mass, centre, moment);
    *total += mass;
}

/* The same over the mass that leaves: where it is taken from, and its inertia. */
static void taken_from(const mech_tank *tank, double mass, double where[3], double J[9]) {
    const ib_mech_tank *t = &tank->given;
    const double square = t->radius * t->radius;
    memset(J, 0, 9 * sizeof *J);
    memcpy(where, tank->position, 3 * sizeof *where);
    if (t->shape == IB_MECH_TANK_CYLINDER) {
        ib_axpy(where, level_of(tank, mass), tank->axis, where);
        add_round(square / 2, square / 4, tank->axis, J);
    } else if (t->shape == IB_MECH_TANK_SPHERE) {
        add_round(0.4 * square, 0.4 * square, tank->axis, J);
    }
    add_point(1, where, J);
}

static double left_in(const ib_dynamics *d, const mech_tank *tank) {
    const double mass = d->leaves[d->mechanism->options.auxiliary_leaf + (size_t)tank->auxiliary];
    return mass > 0 ? mass : 0;
}

void ib_masses_set(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    for (size_t i = 0; i < m->n_tanks; i++) {
        const size_t b = (size_t)m->tanks[i].given.body;
        d->mass[b] = m->bodies[b].mass;
        memset(d->moment + 3 * b, 0, 3 * sizeof(double));
        memcpy(d->inertia + 9 * b, m->inertia + 9 * b, 9 * sizeof(double));
    }
    for (size_t i = 0; i < m->n_tanks; i++) {
        const mech_tank *tank = &m->tanks[i];
        const size_t b = (size_t)tank->given.body;
        add_contents(tank, left_in(d, tank), &d->mass[b], d->moment + 3 * b, d->inertia + 9 * b);
    }
}

void ib_mass_couple(const ib_dynamics *d, size_t b, const double *R, double factor,
                    const double x[6], double out[6]) {
    const double *s = d->moment + 3 * b;
    double turn[3], push[3], local[3] = {x[0], x[1], x[2]};
    if (!d->mechanism->carries[b])
        return;
    ib_cross(x + 3, s, push);
    if (R) {
        ib_mul3v(R, push, push);
        ib_mul3tv(R, x, local);
    }
    ib_cross(s, local, turn);
    ib_axpy(out, factor, push, out);
    ib_axpy(out + 3, factor, turn, out + 3);
}

void ib_mass_solve(const ib_dynamics *d, size_t b, const double f[6], double out[6]) {
    const double *R = d->kin + IB_KIN * b + IB_KIN_R, *s = d->moment + 3 * b;
    const double mass = d->mass[b];
    double c[3], J[9], inverse[9], local[3], turn[3], push[3];
    for (int k = 0; k < 3; k++)
        c[k] = s[k] / mass;
    memcpy(J, d->inertia + 9 * b, sizeof J);
    add_point(-mass, c, J);
    ib_sym3_inverse(J, inverse);
    ib_mul3tv(R, f, local);
    ib_cross(c, local, turn);
    ib_sub3(f + 3, turn, turn);
    ib_mul3v(inverse, turn, out + 3);
    ib_cross(out + 3, c, push);
    ib_mul3v(R, push, push);
    for (int k = 0; k < 3; k++)
        out[k] = f[k] / mass - push[k];
}

/* ---- forces ---- */

void ib_mass_forces(ib_dynamics *d, size_t b) {
    const double *kin = d->kin + IB_KIN * b, *w = kin + IB_KIN_W, *s = d->moment + 3 * b;
    double *Q = d->Q + 6 * b, push[3], turn[3];
    ib_cross(w, s, push);
    ib_cross(w, push, push);
    ib_mul3v(kin + IB_KIN_R, push, push);
    ib_axpy(Q, -1, push, Q);
    ib_mul3tv(kin + IB_KIN_R, d->gravity + 3 * b, turn);
    ib_cross(s, turn, turn);
    ib_axpy(Q + 3, 1, turn, Q + 3);
}

/* What an outlet's flow makes of its body's rates: F = -2 R (w x push), and T = A w. */
typedef struct flow_terms {
    double push[3], A[9];
} flow_terms;

/* A += factor a^ b^ */
static void add_skews(double factor, const double a[3], const double b[3], double A[9]) {
    double X[9], Y[9], XY[9];
    ib_skew(a, X);
    ib_skew(b, Y);
    ib_mul33(X, Y, XY);
    for (int i = 0; i < 9; i++)
        A[i] += factor * XY[i];
}

static double flow_of(const ib_dynamics *d, size_t outlet) {
    const ib_mechanism *m = d->mechanism;
    return d->law[m->n_laws + m->n_auxiliaries + outlet];
}

static void find_terms(const ib_dynamics *d, size_t index, flow_terms *terms) {
    const mech_outlet *outlet = &d->mechanism->outlets[index];
    const mech_tank *tank = &d->mechanism->tanks[outlet->given.tank];
    const double flow = flow_of(d, index), *p = outlet->p;
    double where[3], J[9], moment[3], turn[9];
    taken_from(tank, left_in(d, tank), where, J);
    ib_cross(where, p, moment);
    ib_skew(moment, turn);
    for (int k = 0; k < 3; k++)
        terms->push[k] = flow * (p[k] - where[k]);
    for (int k = 0; k < 9; k++) /* -J' w = flow J w, and -flow w x (where x p) */
        terms->A[k] = flow * (J[k] + turn[k]);
    add_skews(flow, p, p, terms->A);
}

void ib_flows_eval(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    for (size_t i = 0; i < m->n_outlets; i++) {
        const size_t b = (size_t)m->tanks[m->outlets[i].given.tank].given.body;
        const double *kin = d->kin + IB_KIN * b, *w = kin + IB_KIN_W;
        double push[3], turn[3];
        flow_terms terms;
        find_terms(d, i, &terms);
        ib_cross(w, terms.push, push);
        ib_mul3v(kin + IB_KIN_R, push, push);
        ib_axpy(d->Q + 6 * b, -2, push, d->Q + 6 * b);
        ib_mul3v(terms.A, w, turn);
        ib_axpy(d->Q + 6 * b + 3, 1, turn, d->Q + 6 * b + 3);
    }
}

/* ---- slopes ---- */

/* Rows 3 to 6 of K or Kv, columns of rotation, += A. */
static void add_torque(const double A[9], double factor, double K[36]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            K[6 * (3 + i) + 3 + j] += factor * A[3 * i + j];
}

/* The same of a force R A. */
static void add_force(const double R[9], const double A[9], double factor, double K[36]) {
    double RA[9];
    ib_mul33(R, A, RA);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            K[6 * i + 3 + j] += factor * RA[3 * i + j];
}

/* A force R f: by rotation R (e x f) = -R f^ e. */
static void add_carried(const double R[9], const double f[3], double factor, double K[36]) {
    double F[9];
    ib_skew(f, F);
    add_force(R, F, -factor, K);
}

/* s x Rt g by place. */
static void add_field(const ib_dynamics *d, size_t b, double K[36]) {
    const double *R = d->kin + IB_KIN * b + IB_KIN_R, *G = d->gravity_gradient + 9 * b;
    for (int j = 0; j < 3; j++) {
        double column[3] = {G[j], G[3 + j], G[6 + j]};
        ib_mul3tv(R, column, column);
        ib_cross(d->moment + 3 * b, column, column);
        for (int i = 0; i < 3; i++)
            K[6 * (3 + i) + j] += column[i];
    }
}

void ib_mass_slopes(const ib_dynamics *d, size_t b, const double *acceleration, double K[36],
                    double Kv[36]) {
    const ib_mechanism *m = d->mechanism;
    const double *kin = d->kin + IB_KIN * b, *R = kin + IB_KIN_R, *w = kin + IB_KIN_W;
    const double *s = d->moment + 3 * b;
    double A[9] = {0}, swing[3], f[3], local[3], g[3];
    /* -R (w x (w x s)) */
    ib_cross(w, s, swing);
    ib_cross(w, swing, f);
    add_carried(R, f, -1, K);
    ib_skew(swing, A);
    add_skews(1, w, s, A);
    add_force(R, A, 1, Kv);
    /* s x Rt g, and what an acceleration makes of s: -R (alpha x s), -s x Rt a */
    memcpy(g, d->gravity + 3 * b, sizeof g);
    if (acceleration) {
        ib_axpy(g, -1, acceleration, g);
        ib_cross(acceleration + 3, s, f);
        add_carried(R, f, -1, K);
    }
    ib_mul3tv(R, g, local);
    memset(A, 0, sizeof A);
    add_skews(1, s, local, A);
    add_torque(A, 1, K);
    add_field(d, b, K);
    for (size_t i = 0; i < m->n_outlets; i++) {
        flow_terms terms;
        if ((size_t)m->tanks[m->outlets[i].given.tank].given.body != b)
            continue;
        find_terms(d, i, &terms);
        ib_cross(w, terms.push, f);
        add_carried(R, f, -2, K);
        ib_skew(terms.push, A);
        add_force(R, A, 2, Kv);
        add_torque(terms.A, 1, Kv);
    }
}

/* ---- reading ---- */

double ib_dynamics_mass(const ib_dynamics *d, int body) { return d->mass[body]; }

double ib_dynamics_propellant(const ib_dynamics *d, int tank) {
    return ib_dynamics_auxiliary(d, d->mechanism->tanks[tank].auxiliary);
}

void ib_dynamics_centre(const ib_dynamics *d, int body, double centre[3]) {
    const double *kin = d->kin + IB_KIN * body, *s = d->moment + 3 * body;
    double arm[3];
    ib_mul3v(kin + IB_KIN_R, s, arm);
    ib_axpy(kin, 1 / d->mass[body], arm, centre);
}
