/* What the parts of the generator of elements share: leaves, vector algebra over the graph, and
 * derivatives on the group.
 */
#ifndef GENERATE_ELEMENTS_H
#define GENERATE_ELEMENTS_H

#include "expr/expr.h"
#include "mechanics/element.h"

#include <string.h>

enum {
    PARAMETER_LEAF = IB_SLOTS * IB_KIN,
    LAMBDA_LEAF = PARAMETER_LEAF + IB_LOAD_PARAMETERS,
    N_LEAVES = LAMBDA_LEAF + IB_MAX_ROWS,
    MAX_DIRECTIONS = 6 * IB_SLOTS
};

typedef struct vec {
    ib_node c[3];
} vec;

/* ---- leaves and vector algebra over the graph ---- */

static inline ib_node leaf(ib_graph *g, int index) { return ib_graph_leaf(g, (uint32_t)index); }

static inline vec leaf_vec(ib_graph *g, int first) {
    return (vec){{leaf(g, first), leaf(g, first + 1), leaf(g, first + 2)}};
}

static inline vec position_of(ib_graph *g, int body) { return leaf_vec(g, body * IB_KIN); }

static inline vec velocity_of(ib_graph *g, int body) {
    return leaf_vec(g, body * IB_KIN + IB_KIN_V);
}

static inline vec rates_of(ib_graph *g, int body) { return leaf_vec(g, body * IB_KIN + IB_KIN_W); }

static inline ib_node rotation_entry(ib_graph *g, int body, int i, int j) {
    return leaf(g, body * IB_KIN + IB_KIN_R + 3 * i + j);
}

static inline vec parameter_vec(ib_graph *g, int first) {
    return leaf_vec(g, PARAMETER_LEAF + first);
}

static inline bool is_zero(const ib_graph *g, ib_node node) {
    double value;
    return ib_graph_is_const(g, node, &value) && value == 0;
}

/* A product; nothing where a factor is the constant zero, as everything is finite here. */
static inline ib_node product(ib_graph *g, ib_node a, ib_node b) {
    return is_zero(g, a) || is_zero(g, b) ? ib_graph_const(g, 0) : ib_mul(g, a, b);
}

static inline ib_node dot(ib_graph *g, vec a, vec b) {
    return ib_add(g, ib_add(g, product(g, a.c[0], b.c[0]), product(g, a.c[1], b.c[1])),
                  product(g, a.c[2], b.c[2]));
}

static inline vec cross(ib_graph *g, vec a, vec b) {
    vec out;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out.c[i] = ib_sub(g, product(g, a.c[j], b.c[k]), product(g, a.c[k], b.c[j]));
    }
    return out;
}

static inline vec plus(ib_graph *g, vec a, vec b) {
    return (vec){{ib_add(g, a.c[0], b.c[0]), ib_add(g, a.c[1], b.c[1]), ib_add(g, a.c[2], b.c[2])}};
}

static inline vec minus(ib_graph *g, vec a, vec b) {
    return (vec){{ib_sub(g, a.c[0], b.c[0]), ib_sub(g, a.c[1], b.c[1]), ib_sub(g, a.c[2], b.c[2])}};
}

static inline vec negative(ib_graph *g, vec a) {
    return (vec){{ib_neg(g, a.c[0]), ib_neg(g, a.c[1]), ib_neg(g, a.c[2])}};
}

/* R a: a body vector in global axes. */
static inline vec turned(ib_graph *g, int body, vec a) {
    vec out;
    for (int i = 0; i < 3; i++)
        out.c[i] = dot(g,
                       (vec){{rotation_entry(g, body, i, 0), rotation_entry(g, body, i, 1),
                              rotation_entry(g, body, i, 2)}},
                       a);
    return out;
}

/* R^T a: a global vector in body axes. */
static inline vec turned_back(ib_graph *g, int body, vec a) {
    vec out;
    for (int i = 0; i < 3; i++)
        out.c[i] = dot(g,
                       (vec){{rotation_entry(g, body, 0, i), rotation_entry(g, body, 1, i),
                              rotation_entry(g, body, 2, i)}},
                       a);
    return out;
}

/* The global place of a point fixed on a body. */
static inline vec point_of(ib_graph *g, int body, vec s) {
    return plus(g, position_of(g, body), turned(g, body, s));
}

/* Its velocity: v + R (w x s). */
static inline vec point_velocity(ib_graph *g, int body, vec s) {
    return plus(g, velocity_of(g, body), turned(g, body, cross(g, rates_of(g, body), s)));
}

/* P1 - P2 with the body points in parameters 0-2 and 3-5. */
static inline vec separation(ib_graph *g) {
    return minus(g, point_of(g, 0, parameter_vec(g, 0)), point_of(g, 1, parameter_vec(g, 3)));
}

static inline vec separation_velocity(ib_graph *g) {
    return minus(g, point_velocity(g, 0, parameter_vec(g, 0)),
                 point_velocity(g, 1, parameter_vec(g, 3)));
}

/* ---- derivatives on the group ---- */

static inline void clear_seeds(ib_node seeds[N_LEAVES]) {
    for (int i = 0; i < N_LEAVES; i++)
        seeds[i] = IB_NO_NODE;
}

/* Adds to the seeds of R the matrix R (w^), whose column j is R (w x e_j). */
static inline void seed_rotation(ib_graph *g, int body, vec w, ib_node *seeds) {
    for (int j = 0; j < 3; j++) {
        vec e = {{ib_graph_const(g, 0), ib_graph_const(g, 0), ib_graph_const(g, 0)}};
        e.c[j] = ib_graph_const(g, 1);
        const vec column = turned(g, body, cross(g, w, e));
        for (int i = 0; i < 3; i++)
            seeds[body * IB_KIN + IB_KIN_R + 3 * i + j] = column.c[i];
    }
}

/* Seeds of D_k: translation along global axis k (0-2) or rotation about body axis k - 3 (3-5). */
static inline void seed_direction(ib_graph *g, int body, int k, ib_node *seeds) {
    clear_seeds(seeds);
    if (k < 3) {
        seeds[body * IB_KIN + k] = ib_graph_const(g, 1);
        return;
    }
    vec e = {{ib_graph_const(g, 0), ib_graph_const(g, 0), ib_graph_const(g, 0)}};
    e.c[k - 3] = ib_graph_const(g, 1);
    seed_rotation(g, body, e, seeds);
}

/* d/dt at zero acceleration, in terms of v and w: r' = v, R' = R w^. */
static inline void time_derivative(ib_graph *g, const ib_node *rows, int n, ib_node *rates) {
    ib_node seeds[N_LEAVES];
    clear_seeds(seeds);
    for (int body = 0; body < IB_SLOTS; body++) {
        memcpy(seeds + body * IB_KIN, velocity_of(g, body).c, 3 * sizeof(ib_node));
        seed_rotation(g, body, rates_of(g, body), seeds);
    }
    ib_graph_tangent(g, rows, (size_t)n, seeds, N_LEAVES, rates);
}

/* Second time derivative at zero acceleration. R' and R'' are leaves here: they are the same for
 * all elements on a body, and are computed once for each. */
static inline void second_derivative(ib_graph *g, const ib_node *rows, int n, ib_node *gamma) {
    ib_node seeds[N_LEAVES], rates[IB_MAX_ROWS];
    clear_seeds(seeds);
    for (int body = 0; body < IB_SLOTS; body++) {
        const int first = body * IB_KIN;
        memcpy(seeds + first, velocity_of(g, body).c, 3 * sizeof(ib_node));
        for (int i = 0; i < 9; i++) {
            seeds[first + IB_KIN_R + i] = leaf(g, first + IB_KIN_R1 + i);
            seeds[first + IB_KIN_R1 + i] = leaf(g, first + IB_KIN_R2 + i);
        }
    }
    ib_graph_tangent(g, rows, (size_t)n, seeds, N_LEAVES, rates);
    ib_graph_tangent(g, rates, (size_t)n, seeds, N_LEAVES, gamma);
}

/* ---- elements ---- */

typedef enum element_kind {
    ROWS,      /* functions of position: constraints and position-level measures */
    RATE,      /* one function of position and velocity */
    DIRECTION, /* the direction of a scalar force */
    LOAD       /* generalised forces as functions of position and velocity */
} element_kind;

/* The rows that a load of two bodies builds: 6 generalised forces a body, then these. */
enum { LOAD_FORCES = 12, LOAD_GUARD = LOAD_FORCES, LOAD_ENERGY, LOAD_ROWS };

typedef struct element {
    const char *name;
    element_kind kind;
    int n_bodies, n_rows, n_parameters;
    int n_points;    /* the first rows are components of P1 - P2, the others only rotational */
    bool coincident; /* those are three, in global axes */
    void (*build)(ib_graph *g, ib_node *rows);
    /* Of a load: adds to the seeds of a direction those of parameters that follow the bodies. */
    void (*follow)(ib_graph *g, ib_node *seeds);
} element;

/* D of each of n rows in every direction of n_bodies: jacobian[(6 body + k) n + row]. */
static inline void differentiate(ib_graph *g, int n_bodies, const ib_node *rows, int n,
                                 ib_node *jacobian) {
    ib_node seeds[N_LEAVES];
    for (int d = 0; d < 6 * n_bodies; d++) {
        seed_direction(g, d / 6, d % 6, seeds);
        ib_graph_tangent(g, rows, (size_t)n, seeds, N_LEAVES, jacobian + d * n);
    }
}

/* The derivative of each of n rows by v (k < 3) or w of a body. */
static inline void by_velocity(ib_graph *g, int body, int k, const ib_node *rows, int n,
                               ib_node *derivatives) {
    ib_node seeds[N_LEAVES];
    clear_seeds(seeds);
    seeds[body * IB_KIN + IB_KIN_V + k] = ib_graph_const(g, 1);
    ib_graph_tangent(g, rows, (size_t)n, seeds, N_LEAVES, derivatives);
}

/* generate_elements_loads.c */
void build_bushing(ib_graph *g, ib_node *rows);
void build_contact_plane(ib_graph *g, ib_node *rows);
void build_contact_field(ib_graph *g, ib_node *rows);
void build_joint_friction(ib_graph *g, ib_node *rows);
void follow_contact_field(ib_graph *g, ib_node *seeds);

#endif
