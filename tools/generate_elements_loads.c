/* Loads among the library elements: generalised forces of several components on two bodies, built
 * with the guard and the energy that generate_elements.h asks for.
 */
#include "generate_elements.h"

static ib_node constant(ib_graph *g, double value) { return ib_graph_const(g, value); }

static ib_node parameter(ib_graph *g, int index) { return leaf(g, PARAMETER_LEAF + index); }

static ib_node op1(ib_graph *g, ib_op op, ib_node a) {
    return ib_graph_op(g, op, a, IB_NO_NODE, IB_NO_NODE);
}

static ib_node op2(ib_graph *g, ib_op op, ib_node a, ib_node b) {
    return ib_graph_op(g, op, a, b, IB_NO_NODE);
}

static ib_node sum_of(ib_graph *g, const ib_node *a, const ib_node *b, int n) {
    ib_node sum = constant(g, 0);
    for (int i = 0; i < n; i++)
        sum = ib_add(g, sum, product(g, a[i], b[i]));
    return sum;
}

/* sum a_i v_i */
static vec combined(ib_graph *g, vec a, const vec v[3]) {
    vec out;
    for (int k = 0; k < 3; k++) {
        const ib_node component[3] = {v[0].c[k], v[1].c[k], v[2].c[k]};
        out.c[k] = sum_of(g, a.c, component, 3);
    }
    return out;
}

/* The generalised forces of a force (global) on body 1 at its point s and a couple (global), and of
 * the opposite on body 2 at the same place. */
static void act(ib_graph *g, vec s, vec force, vec couple, ib_node *rows) {
    const vec arm = minus(g, point_of(g, 0, s), position_of(g, 1));
    const vec torque1 = plus(g, cross(g, s, turned_back(g, 0, force)), turned_back(g, 0, couple));
    const vec torque2 = negative(g, turned_back(g, 1, plus(g, cross(g, arm, force), couple)));
    const vec force2 = negative(g, force);
    memcpy(rows, force.c, sizeof force.c);
    memcpy(rows + 3, torque1.c, sizeof torque1.c);
    memcpy(rows + 6, force2.c, sizeof force2.c);
    memcpy(rows + 9, torque2.c, sizeof torque2.c);
}

/* ---- bushing ---- */

/* f / sin f of an angle f, from u = sin^2 (f / 2). The series asin(x) / (x sqrt(1 - x^2)) = sum
 * (2^n n!)^2 / (2 n + 1)! x^(2 n), x = sin (f / 2), is cut where neither the value nor its second
 * derivative loses anything below u = 1/64; above, f = atan2(sin f, cos f). */
static ib_node angle_over_sine(ib_graph *g, ib_node u) {
    enum { TERMS = 13 };
    double coefficient[TERMS] = {1};
    for (int n = 1; n < TERMS; n++)
        coefficient[n] = coefficient[n - 1] * (2.0 * n) / (2.0 * n + 1);
    ib_node series = constant(g, coefficient[TERMS - 1]);
    for (int n = TERMS - 2; n >= 0; n--)
        series = ib_add(g, constant(g, coefficient[n]), ib_mul(g, u, series));
    const ib_node one = constant(g, 1), two = constant(g, 2);
    const ib_node sine = ib_mul(g, two, op1(g, IB_OP_SQRT, ib_mul(g, u, ib_sub(g, one, u))));
    const ib_node cosine = ib_sub(g, one, ib_mul(g, two, u));
    const ib_node far = ib_div(g, op2(g, IB_OP_ATAN2, sine, cosine), sine);
    return ib_graph_op(g, IB_OP_SELECT, op2(g, IB_OP_LT, u, constant(g, 1.0 / 64)), series, far);
}

/* Displacement of P1 from P2 and the rotation vector of body 1's frame in that of body 2, both in
 * the latter. 6, 9, 12: x, y, z of the frame on body 1; 15, 18, 21: on body 2. *cosine is that of
 * the angle. */
static void displacement_and_rotation(ib_graph *g, ib_node rows[6], ib_node *cosine) {
    ib_node R[3][3];
    for (int i = 0; i < 3; i++) {
        const vec axis = turned(g, 1, parameter_vec(g, 15 + 3 * i));
        rows[i] = dot(g, separation(g), axis);
        for (int j = 0; j < 3; j++)
            R[i][j] = dot(g, axis, turned(g, 0, parameter_vec(g, 6 + 3 * j)));
    }
    const ib_node half = constant(g, 0.5);
    const ib_node trace = ib_add(g, ib_add(g, R[0][0], R[1][1]), R[2][2]);
    *cosine = ib_mul(g, half, ib_sub(g, trace, constant(g, 1)));
    const ib_node u = ib_mul(g, half, ib_sub(g, constant(g, 1), *cosine));
    const ib_node factor = ib_mul(g, half, angle_over_sine(g, u));
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        rows[3 + i] = ib_mul(g, factor, ib_sub(g, R[k][j], R[j][k]));
    }
}

/* The rate of the above: that of the rotation vector comes from the relative angular velocity in
 * body 1's axes by slope[i][k], its derivative as that body turns about its axis k. */
static void strain_rate(ib_graph *g, ib_node slope[3][3], ib_node rate[6]) {
    const vec w2 = turned(g, 1, rates_of(g, 1));
    const vec relative = minus(g, rates_of(g, 0), turned_back(g, 0, w2));
    const vec v = minus(g, separation_velocity(g), cross(g, w2, separation(g)));
    for (int i = 0; i < 3; i++) {
        rate[i] = dot(g, v, turned(g, 1, parameter_vec(g, 15 + 3 * i)));
        rate[3 + i] = sum_of(g, slope[i], relative.c, 3);
    }
}

/* f = K x + C x' + preload with the x above; K in 24-59 and C in 60-95 row by row, preload in
 * 96-101. Q = -D(x)^T f, so that K makes no energy; what it stores is x.K x / 2 + preload.x. The
 * guard is the cosine of the angle. */
void build_bushing(ib_graph *g, ib_node *rows) {
    ib_node x[6], rate[6], f[6], slope[3][3], energy = constant(g, 0);
    displacement_and_rotation(g, x, &rows[LOAD_GUARD]);
    for (int k = 0; k < 3; k++) {
        ib_node seeds[N_LEAVES], column[3];
        seed_direction(g, 0, 3 + k, seeds);
        ib_graph_tangent(g, x + 3, 3, seeds, N_LEAVES, column);
        for (int i = 0; i < 3; i++)
            slope[i][k] = column[i];
    }
    strain_rate(g, slope, rate);
    for (int i = 0; i < 6; i++) {
        ib_node K[6], C[6];
        for (int j = 0; j < 6; j++) {
            K[j] = parameter(g, 24 + 6 * i + j);
            C[j] = parameter(g, 60 + 6 * i + j);
        }
        const ib_node preload = parameter(g, 96 + i), spring = sum_of(g, K, x, 6);
        f[i] = ib_add(g, ib_add(g, spring, sum_of(g, C, rate, 6)), preload);
        energy = ib_add(g, energy,
                        ib_mul(g, x[i], ib_add(g, ib_mul(g, constant(g, 0.5), spring), preload)));
    }
    vec force = {{f[0], f[1], f[2]}}, frame[3];
    for (int i = 0; i < 3; i++)
        frame[i] = parameter_vec(g, 15 + 3 * i);
    vec couple = {{constant(g, 0), constant(g, 0), constant(g, 0)}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            couple.c[k] = ib_sub(g, couple.c[k], ib_mul(g, slope[i][k], f[3 + i]));
    force = negative(g, turned(g, 1, combined(g, force, frame)));
    act(g, parameter_vec(g, 0), force, turned(g, 0, couple), rows);
    rows[LOAD_ENERGY] = energy;
}

/* ---- contact ---- */

/* Parameters 0: centre on body 1; 3: point of the surface on body 2; 6, 9, 12: x, y, z of its frame
 * there; then these numbers; then, of a height field, where the foot of the centre is on it, the
 * height and its derivatives there. */
enum {
    RADIUS = 15,
    STIFFNESS,
    EXPONENT,
    DISSIPATION,
    FRICTION,
    STICK_SPEED,
    FOOT_X,
    FOOT_Y,
    HEIGHT,
    SLOPE_X,
    SLOPE_Y,
    BEND_XX,
    BEND_XY,
    BEND_YY
};

static ib_node square_of(ib_graph *g, vec a) { return dot(g, a, a); }

static vec scaled(ib_graph *g, ib_node factor, vec a) {
    return (vec){
        {product(g, factor, a.c[0]), product(g, factor, a.c[1]), product(g, factor, a.c[2])}};
}

/* Coulomb's limit mu N over the slip, in the direction of which friction acts: full from the stick
 * speed on, below it by x (15 - 10 x^2 + 3 x^4) / 8 of x = slip / stick speed, which goes through
 * zero with a slope and reaches 1 with two derivatives zero. */
static ib_node friction_over_slip(ib_graph *g, ib_node limit, ib_node slip2, ib_node stick) {
    const ib_node x2 = ib_div(g, slip2, ib_mul(g, stick, stick));
    const ib_node inner = ib_add(g, constant(g, -10), ib_mul(g, constant(g, 3), x2));
    const ib_node polynomial = ib_add(g, constant(g, 15), ib_mul(g, x2, inner));
    const ib_node sticking = ib_mul(g, constant(g, 0.125), polynomial);
    const ib_node slipping = ib_div(g, constant(g, 1), op1(g, IB_OP_SQRT, x2));
    const ib_node share =
        ib_graph_op(g, IB_OP_SELECT, op2(g, IB_OP_LT, x2, constant(g, 1)), sticking, slipping);
    return ib_div(g, ib_mul(g, limit, share), stick);
}

/* Hunt and Crossley's normal force k d^n (1 + dissipation d'), never pulling, and friction, at the
 * point of body 1's sphere that is deepest. `normal` points out of the surface, global. */
static void contact(ib_graph *g, vec normal, ib_node depth, ib_node *rows) {
    const vec s =
        minus(g, parameter_vec(g, 0), scaled(g, parameter(g, RADIUS), turned_back(g, 0, normal)));
    const vec arm2 = turned_back(g, 1, minus(g, point_of(g, 0, s), position_of(g, 1)));
    const vec slip = minus(g, point_velocity(g, 0, s), point_velocity(g, 1, arm2));
    const ib_node approach = ib_neg(g, dot(g, slip, normal));
    const ib_node one = constant(g, 1), zero = constant(g, 0);
    const ib_node exponent = parameter(g, EXPONENT);
    const ib_node in = op2(g, IB_OP_LT, zero, depth);
    const ib_node elastic = ib_mul(g, parameter(g, STIFFNESS),
                                   op2(g, IB_OP_POW, op2(g, IB_OP_MAX, depth, zero), exponent));
    const ib_node damped =
        ib_mul(g, elastic, ib_add(g, one, ib_mul(g, parameter(g, DISSIPATION), approach)));
    const ib_node N = ib_graph_op(g, IB_OP_SELECT, in, op2(g, IB_OP_MAX, damped, zero), zero);
    const vec across = plus(g, slip, scaled(g, approach, normal));
    const ib_node limit = ib_mul(g, parameter(g, FRICTION), N);
    const ib_node drag =
        friction_over_slip(g, limit, square_of(g, across), parameter(g, STICK_SPEED));
    const vec force = minus(g, scaled(g, N, normal), scaled(g, drag, across));
    act(g, s, force, (vec){{zero, zero, zero}}, rows);
    rows[LOAD_GUARD] = depth;
    rows[LOAD_ENERGY] = ib_graph_op(
        g, IB_OP_SELECT, in, ib_div(g, ib_mul(g, elastic, depth), ib_add(g, exponent, one)), zero);
}

/* Against the plane through the surface's point, z across it. */
void build_contact_plane(ib_graph *g, ib_node *rows) {
    const vec normal = turned(g, 1, parameter_vec(g, 12));
    const ib_node gap = dot(g, separation(g), normal);
    contact(g, normal, ib_sub(g, parameter(g, RADIUS), gap), rows);
}

/* The centre in the surface's frame. */
static vec centre_of(ib_graph *g) {
    vec centre;
    for (int i = 0; i < 3; i++)
        centre.c[i] = dot(g, separation(g), turned(g, 1, parameter_vec(g, 6 + 3 * i)));
    return centre;
}

/* Against a height field z = f(x, y): the gap is the distance from the foot, along the normal
 * there.
 */
void build_contact_field(ib_graph *g, ib_node *rows) {
    const vec centre = centre_of(g);
    const vec foot = {{parameter(g, FOOT_X), parameter(g, FOOT_Y), parameter(g, HEIGHT)}};
    const vec up = {
        {ib_neg(g, parameter(g, SLOPE_X)), ib_neg(g, parameter(g, SLOPE_Y)), constant(g, 1)}};
    const vec unit = scaled(g, ib_div(g, constant(g, 1), op1(g, IB_OP_SQRT, square_of(g, up))), up);
    const ib_node gap = dot(g, minus(g, centre, foot), unit);
    vec frame[3];
    for (int i = 0; i < 3; i++)
        frame[i] = parameter_vec(g, 6 + 3 * i);
    const vec normal = turned(g, 1, combined(g, unit, frame));
    contact(g, normal, ib_sub(g, parameter(g, RADIUS), gap), rows);
}

/* How the foot moves with the bodies. It is where
 *     (x - cx) + (f - cz) f_x = 0,   (y - cy) + (f - cz) f_y = 0,
 * so that a change of the centre (cx, cy, cz) moves it by a linear system of two. */
void follow_contact_field(ib_graph *g, ib_node *seeds) {
    const vec centre = centre_of(g);
    ib_node moved[3];
    ib_graph_tangent(g, centre.c, 3, seeds, N_LEAVES, moved);
    const ib_node fx = parameter(g, SLOPE_X), fy = parameter(g, SLOPE_Y);
    const ib_node below = ib_sub(g, parameter(g, HEIGHT), centre.c[2]), one = constant(g, 1);
    const ib_node fxx = parameter(g, BEND_XX), fxy = parameter(g, BEND_XY),
                  fyy = parameter(g, BEND_YY);
    const ib_node a = ib_add(g, ib_add(g, one, ib_mul(g, fx, fx)), ib_mul(g, below, fxx));
    const ib_node b = ib_add(g, ib_mul(g, fx, fy), ib_mul(g, below, fxy));
    const ib_node c = ib_add(g, ib_add(g, one, ib_mul(g, fy, fy)), ib_mul(g, below, fyy));
    const ib_node determinant = ib_sub(g, ib_mul(g, a, c), ib_mul(g, b, b));
    const ib_node p = ib_add(g, moved[0], product(g, fx, moved[2]));
    const ib_node q = ib_add(g, moved[1], product(g, fy, moved[2]));
    const ib_node dx = ib_div(g, ib_sub(g, product(g, c, p), product(g, b, q)), determinant);
    const ib_node dy = ib_div(g, ib_sub(g, product(g, a, q), product(g, b, p)), determinant);
    seeds[PARAMETER_LEAF + FOOT_X] = dx;
    seeds[PARAMETER_LEAF + FOOT_Y] = dy;
    seeds[PARAMETER_LEAF + HEIGHT] = ib_add(g, ib_mul(g, fx, dx), ib_mul(g, fy, dy));
    seeds[PARAMETER_LEAF + SLOPE_X] = ib_add(g, ib_mul(g, fxx, dx), ib_mul(g, fxy, dy));
    seeds[PARAMETER_LEAF + SLOPE_Y] = ib_add(g, ib_mul(g, fxy, dx), ib_mul(g, fyy, dy));
}

/* ---- friction in a joint ---- */

/* Parameters 0: point on body 1; 3: the axis on body 2; then these numbers. */
enum {
    JOINT_MU = 6,
    JOINT_RADIUS,
    JOINT_STICK_SPEED,
    JOINT_SLIDES, /* 1 where the joint lets body 1 slide along the axis, else 0 */
    JOINT_LOAD    /* N, that its surfaces are pressed together by */
};

/* Coulomb's friction of a pin in its sleeve, at the radius (0: it does not turn), against the slip
 * of the two: along the axis and around it. */
void build_joint_friction(ib_graph *g, ib_node *rows) {
    const ib_node radius = parameter(g, JOINT_RADIUS);
    const vec s = parameter_vec(g, 0), axis = turned(g, 1, parameter_vec(g, 3));
    const vec arm2 = turned_back(g, 1, minus(g, point_of(g, 0, s), position_of(g, 1)));
    const vec apart = minus(g, point_velocity(g, 0, s), point_velocity(g, 1, arm2));
    const vec spin = minus(g, turned(g, 0, rates_of(g, 0)), turned(g, 1, rates_of(g, 1)));
    const ib_node along = ib_mul(g, parameter(g, JOINT_SLIDES), dot(g, apart, axis));
    const ib_node around = ib_mul(g, radius, dot(g, spin, axis));
    const ib_node slip2 = ib_add(g, ib_mul(g, along, along), ib_mul(g, around, around));
    const ib_node limit = ib_mul(g, parameter(g, JOINT_MU), parameter(g, JOINT_LOAD));
    const ib_node drag =
        ib_neg(g, friction_over_slip(g, limit, slip2, parameter(g, JOINT_STICK_SPEED)));
    const ib_node torque = ib_mul(g, radius, ib_mul(g, drag, around));
    act(g, s, scaled(g, ib_mul(g, drag, along), axis), scaled(g, torque, axis), rows);
    rows[LOAD_GUARD] = constant(g, 1);
    rows[LOAD_ENERGY] = constant(g, 0);
}
