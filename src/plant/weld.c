/* Bodies that fixed joints weld together, computed as one: its mass is the sum, its axes are those
 * of the first of them, its inertia is their inertias moved to the common centre of mass (Steiner).
 *
 * A weld is merged when it holds as the model gives it at t = 0. Everything else in the model is
 * global at t = 0, so that only vectors in a body's own axes have to be turned.
 */
#include "plant/weld.h"

#include <math.h>
#include <string.h>

static const double aligned = 1e-12; /* how far a weld may be off as given: m, and quaternions */

static bool close_to(const double *a, const double *b, int n) {
    bool close = true;
    for (int k = 0; k < n; k++)
        close = close && fabs(a[k] - b[k]) <= aligned;
    return close;
}

static bool holds(const ib_joint *joint) {
    return joint->type == IB_JOINT_FIXED && joint->release < 0 &&
           close_to(joint->point1, joint->point2, 3) &&
           close_to(joint->orientation, joint->orientation2, 4);
}

/* ---- who belongs together: trees of bodies, the ground the last of them ---- */

static int root_of(const int *joined, int body) {
    while (joined[body] != body)
        body = joined[body];
    return body;
}

static int tree_index(const ib_model *model, int body) {
    return body == IB_GROUND ? (int)model->n_bodies : body;
}

/* What a body carries is burnt, so its mass is not that of a part for good. */
static bool carries(const ib_model *model, int body) {
    return body != IB_GROUND && model->bodies[body].propellant.tank >= 0;
}

/* Joins the bodies of a weld; of two roots the earlier one stays, and the ground before all. False
 * when they are joined already. */
static bool join(const ib_model *model, const ib_joint *joint, int *joined) {
    const int ground = (int)model->n_bodies;
    const int a = root_of(joined, tree_index(model, joint->body1));
    const int b = root_of(joined, tree_index(model, joint->body2));
    if (a == b)
        return false;
    const bool a_stays = a == ground || (b != ground && a < b);
    joined[a_stays ? b : a] = a_stays ? a : b;
    return true;
}

static bool is_one(const ib_model *model, const int *joined, int body1, int body2) {
    return root_of(joined, tree_index(model, body1)) == root_of(joined, tree_index(model, body2));
}

/* True when a joint that stays, or a driver, acts between parts of one merged body. */
static bool acts_inside(const ib_model *model, const ib_welds *w, const int *joined) {
    for (size_t i = 0; i < model->n_joints; i++) {
        const ib_joint *joint = &model->joints[i];
        const bool between_bodies = joint->body1 != joint->body2; /* not so for gears and racks */
        if (!w->gone[i] && between_bodies && is_one(model, joined, joint->body1, joint->body2))
            return true;
    }
    for (size_t i = 0; i < model->n_drivers; i++) {
        const ib_measure *measure = &model->measures[model->drivers[i].measure];
        if (is_one(model, joined, measure->body1, measure->body2))
            return true;
    }
    return false;
}

/* Marks the welds. Returns how many there are, none when they cannot be merged. */
static size_t find_groups(const ib_model *model, ib_welds *w, int *joined) {
    size_t count = 0;
    for (size_t b = 0; b <= model->n_bodies; b++)
        joined[b] = (int)b;
    for (size_t i = 0; i < model->n_joints; i++) {
        const ib_joint *joint = &model->joints[i];
        w->gone[i] = holds(joint) && !carries(model, joint->body1) &&
                     !carries(model, joint->body2) && join(model, joint, joined);
        count += w->gone[i];
    }
    return acts_inside(model, w, joined) ? 0 : count;
}

/* ---- the merged bodies ---- */

/* Numbers the groups by their first bodies. */
static void number_groups(const ib_model *model, const int *joined, ib_welds *w) {
    const int ground = (int)model->n_bodies;
    for (int b = 0; b < ground; b++) {
        const int root = root_of(joined, b);
        if (root == b)
            w->body[b] = (int)w->n_merged++;
        else
            w->body[b] = root == ground ? IB_GROUND : w->body[root];
    }
}

static void add_part(ib_mech_body *merged, const ib_body *part) {
    if (!merged->name) {
        merged->name = part->element.name;
        merged->place = part->element.place;
        memcpy(merged->orientation, part->orientation, sizeof merged->orientation);
        memcpy(merged->position, part->position, sizeof merged->position); /* if without mass */
    }
    const double mass = merged->mass + part->mass;
    for (int k = 0; k < 3 && mass > 0; k++)
        merged->position[k] += part->mass / mass * (part->position[k] - merged->position[k]);
    merged->mass = mass;
}

/* Where the part is in the merged body's axes. */
static void place_part(const ib_mech_body *merged, const ib_body *part, double turn[9],
                       double origin[3]) {
    double back[4], quaternion[4];
    memcpy(back, merged->orientation, sizeof back);
    for (int k = 1; k < 4; k++)
        back[k] = -back[k];
    ib_quat_mul(back, part->orientation, quaternion);
    ib_quat_matrix(quaternion, turn);
    ib_sub3(part->position, merged->position, origin);
    ib_quat_rotate_back(merged->orientation, origin, origin);
}

/* I += R I_part Rᵀ + m (|d|² - d dᵀ) */
static void add_inertia(const ib_body *part, const double R[9], const double d[3], double I[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const double *P = part->inertia;
    const double full[9] = {P[0], P[3], P[4], P[3], P[1], P[5], P[4], P[5], P[2]};
    double half[9];
    ib_mul33(R, full, half);
    for (int e = 0; e < 6; e++) {
        const double steiner = (e < 3 ? ib_dot(d, d) : 0) - d[row[e]] * d[column[e]];
        I[e] += ib_dot(half + 3 * row[e], R + 3 * column[e]) + part->mass * steiner;
    }
}

/* The ground as a merged body. */
static const ib_mech_body ground_body = {.orientation = {1, 0, 0, 0}};

static const ib_mech_body *merged_of(const ib_welds *w, size_t body) {
    return w->body[body] == IB_GROUND ? &ground_body : &w->merged[w->body[body]];
}

static void build_bodies(const ib_model *model, ib_welds *w) {
    for (size_t b = 0; b < model->n_bodies; b++)
        if (w->body[b] != IB_GROUND)
            add_part(&w->merged[w->body[b]], &model->bodies[b]);
    for (size_t b = 0; b < model->n_bodies; b++) {
        place_part(merged_of(w, b), &model->bodies[b], w->turn + 9 * b, w->origin + 3 * b);
        if (w->body[b] != IB_GROUND)
            add_inertia(&model->bodies[b], w->turn + 9 * b, w->origin + 3 * b,
                        w->merged[w->body[b]].inertia);
    }
}

bool ib_welds_find(const ib_model *model, ib_arena *arena, ib_welds *w) {
    const size_t n = model->n_bodies + 1;
    memset(w, 0, sizeof *w);
    int *joined = IB_ARENA_ARRAY(arena, n, int);
    w->body = IB_ARENA_ARRAY(arena, n, int);
    w->turn = IB_ARENA_ARRAY(arena, 9 * n, double);
    w->origin = IB_ARENA_ARRAY(arena, 3 * n, double);
    w->gone = IB_ARENA_ARRAY(arena, model->n_joints + 1, bool);
    if (!joined || !w->body || !w->turn || !w->origin || !w->gone)
        return false;
    if (find_groups(model, w, joined) == 0)
        return true;
    number_groups(model, joined, w);
    w->merged = IB_ARENA_ARRAY(arena, w->n_merged + 1, ib_mech_body);
    if (w->merged)
        build_bodies(model, w);
    return w->merged != NULL;
}

int ib_weld_body(const ib_welds *w, int body) {
    return w && body != IB_GROUND ? w->body[body] : body;
}

void ib_weld_vector(const ib_welds *w, int body, double v[3]) {
    if (w && body != IB_GROUND)
        ib_mul3v(w->turn + 9 * body, v, v);
}

/* ---- states ---- */

/* A merged body's state, or the ground's. */
static const double *merged_state(const ib_welds *w, size_t body, const double *merged) {
    static const double at_rest[IB_STATE] = {[IB_STATE_Q] = 1};
    return w->body[body] == IB_GROUND ? at_rest : merged + IB_STATE * w->body[body];
}

/* The quaternion of a body relative to its merged one, as both were given. */
static void relative(const ib_welds *w, const ib_model *model, size_t body, double q[4]) {
    double back[4];
    memcpy(back, merged_of(w, body)->orientation, sizeof back);
    for (int k = 1; k < 4; k++)
        back[k] = -back[k];
    ib_quat_mul(back, model->bodies[body].orientation, q);
}

/* Moves a rigid body's state by `arm` and `turn`, in its own axes. */
static void move_state(const double *from, const double arm[3], const double turn[4], double *to) {
    double offset[3], swing[3], state[IB_STATE];
    ib_quat_rotate(from + IB_STATE_Q, arm, offset);
    ib_axpy(from, 1, offset, state);
    ib_quat_mul(from + IB_STATE_Q, turn, state + IB_STATE_Q);
    ib_cross(from + IB_STATE_W, arm, swing);
    ib_quat_rotate(from + IB_STATE_Q, swing, swing);
    ib_axpy(from + IB_STATE_V, 1, swing, state + IB_STATE_V);
    ib_quat_rotate_back(turn, from + IB_STATE_W, state + IB_STATE_W);
    memcpy(to, state, sizeof state);
}

void ib_welds_part(const ib_welds *w, const ib_model *model, const double *merged, double *bodies) {
    for (size_t b = 0; b < model->n_bodies; b++) {
        double turn[4];
        relative(w, model, b, turn);
        move_state(merged_state(w, b, merged), w->origin + 3 * b, turn, bodies + IB_STATE * b);
    }
}

void ib_welds_merge(const ib_welds *w, const ib_model *model, const double *bodies,
                    double *merged) {
    for (size_t b = model->n_bodies; b-- > 0;) {
        double turn[4], arm[3];
        if (w->body[b] == IB_GROUND)
            continue;
        relative(w, model, b, turn);
        for (int k = 1; k < 4; k++)
            turn[k] = -turn[k];
        for (int k = 0; k < 3; k++)
            arm[k] = -w->origin[3 * b + (size_t)k];
        ib_mul3tv(w->turn + 9 * b, arm, arm);
        move_state(bodies + IB_STATE * b, arm, turn, merged + IB_STATE * w->body[b]);
    }
}
