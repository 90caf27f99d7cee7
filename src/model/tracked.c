/* tracked: numbers of the model as functions of its parameters.
 *
 * Beside its value, a number that came from an expression of parameters has a node of a graph whose
 * leaves are the parameters; it is found by the number's address. What is computed from such
 * numbers while the model is read - unit vectors, frames, places - is computed by the functions
 * here, which do the same with the nodes. A number without a node does not depend on any parameter,
 * and costs nothing.
 */
#include "model/model_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- nodes by address ---- */

struct ib_tracks {
    const double **at; /* [size], a power of two; NULL where free */
    ib_node *nodes;    /* [size]; IB_NO_NODE: no longer */
    size_t size, n;
};

static size_t slot_of(const ib_tracks *t, const double *number) {
    size_t i = ((size_t)(uintptr_t)number / sizeof(double)) * UINT64_C(0x9e3779b97f4a7c15);
    i = (i ^ i >> 29) & (t->size - 1);
    while (t->at[i] && t->at[i] != number)
        i = (i + 1) & (t->size - 1);
    return i;
}

static bool grow(ib_tracks *t) {
    if (2 * (t->n + 1) <= t->size)
        return true;
    ib_tracks larger = {.size = t->size ? 2 * t->size : 64, .n = t->n};
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers is meant */
    larger.at = calloc(larger.size, sizeof *larger.at);
    larger.nodes = calloc(larger.size, sizeof *larger.nodes);
    if (!larger.at || !larger.nodes) {
        free(larger.at);
        free(larger.nodes);
        return false;
    }
    for (size_t i = 0; i < t->size; i++) {
        if (!t->at[i])
            continue;
        const size_t to = slot_of(&larger, t->at[i]);
        larger.at[to] = t->at[i];
        larger.nodes[to] = t->nodes[i];
    }
    const ib_tracks old = *t;
    t->at = larger.at;
    t->nodes = larger.nodes;
    t->size = larger.size;
    free(old.at);
    free(old.nodes);
    return true;
}

ib_tracks *ib_tracks_create(void) { return calloc(1, sizeof(ib_tracks)); }

void ib_tracks_destroy(ib_tracks *t) {
    if (!t)
        return;
    free(t->at);
    free(t->nodes);
    free(t);
}

ib_node ib_tracked_node(const ib_loader *l, const double *number) {
    const ib_tracks *t = l->tracks;
    if (t->n == 0)
        return IB_NO_NODE;
    const size_t i = slot_of(t, number);
    return t->at[i] ? t->nodes[i] : IB_NO_NODE;
}

void ib_track(ib_loader *l, const double *number, ib_node node) {
    ib_tracks *t = l->tracks;
    double constant;
    if (ib_graph_is_const(l->model->constant_graph, node, &constant))
        node = IB_NO_NODE;
    if (node == IB_NO_NODE && t->n == 0)
        return;
    if (!grow(t)) {
        l->no_memory = true;
        return;
    }
    const size_t i = slot_of(t, number);
    if (!t->at[i] && node == IB_NO_NODE)
        return;
    t->n += !t->at[i];
    t->at[i] = number;
    t->nodes[i] = node;
}

/* ---- several numbers ---- */

static bool depends(const ib_loader *l, const double *numbers, int n) {
    for (int i = 0; i < n; i++)
        if (ib_tracked_node(l, &numbers[i]) != IB_NO_NODE)
            return true;
    return false;
}

/* Numbers as nodes, constant ones too. */
static void take(const ib_loader *l, const double *numbers, int n, ib_node *nodes) {
    for (int i = 0; i < n; i++) {
        nodes[i] = ib_tracked_node(l, &numbers[i]);
        if (nodes[i] == IB_NO_NODE)
            nodes[i] = ib_graph_const(l->model->constant_graph, numbers[i]);
    }
}

static void give(ib_loader *l, double *numbers, int n, const ib_node *nodes) {
    for (int i = 0; i < n; i++)
        ib_track(l, &numbers[i], nodes ? nodes[i] : IB_NO_NODE);
}

void ib_tracked_copy(ib_loader *l, const double *from, double *to, int n) {
    for (int i = 0; i < n; i++) {
        const ib_node node = ib_tracked_node(l, &from[i]);
        to[i] = from[i];
        ib_track(l, &to[i], node);
    }
}

void ib_tracked_constant(ib_loader *l, const double *from, double *to, int n) {
    for (int i = 0; i < n; i++) {
        to[i] = from[i];
        ib_track(l, &to[i], IB_NO_NODE);
    }
}

void ib_tracked_divide(ib_loader *l, double *number, double divisor) {
    ib_graph *g = l->model->constant_graph;
    const ib_node node = ib_tracked_node(l, number);
    *number /= divisor;
    if (node != IB_NO_NODE)
        ib_track(l, number, ib_div(g, node, ib_graph_const(g, divisor)));
}

/* ---- vectors and quaternions of nodes ---- */

static ib_node product_sum(ib_graph *g, const ib_node *a, const ib_node *b, int n) {
    ib_node sum = ib_mul(g, a[0], b[0]);
    for (int i = 1; i < n; i++)
        sum = ib_add(g, sum, ib_mul(g, a[i], b[i]));
    return sum;
}

static void cross(ib_graph *g, const ib_node a[3], const ib_node b[3], ib_node out[3]) {
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = ib_sub(g, ib_mul(g, a[j], b[k]), ib_mul(g, a[k], b[j]));
    }
}

static void normalize(ib_graph *g, ib_node *a, int n) {
    const ib_node square = product_sum(g, a, a, n);
    const ib_node length = ib_graph_op(g, IB_OP_SQRT, square, IB_NO_NODE, IB_NO_NODE);
    for (int i = 0; i < n; i++)
        a[i] = ib_div(g, a[i], length);
}

/* v + 2 u x (u x v + w v) with q = (w, u) of unit length; w changes its sign for the way back. */
static void rotate(ib_graph *g, const ib_node q[4], bool back, const ib_node v[3], ib_node out[3]) {
    const ib_node w = back ? ib_neg(g, q[0]) : q[0];
    ib_node inner[3], outer[3];
    cross(g, q + 1, v, inner);
    for (int i = 0; i < 3; i++)
        inner[i] = ib_add(g, inner[i], ib_mul(g, w, v[i]));
    cross(g, q + 1, inner, outer);
    for (int i = 0; i < 3; i++)
        out[i] = ib_add(g, v[i], ib_add(g, outer[i], outer[i]));
}

static void quat_mul(ib_graph *g, const ib_node a[4], const ib_node b[4], ib_node out[4]) {
    ib_node turned[3];
    cross(g, a + 1, b + 1, turned);
    out[0] = ib_sub(g, ib_mul(g, a[0], b[0]), product_sum(g, a + 1, b + 1, 3));
    for (int i = 0; i < 3; i++)
        out[1 + i] =
            ib_add(g, turned[i], ib_add(g, ib_mul(g, a[0], b[1 + i]), ib_mul(g, b[0], a[1 + i])));
}

/* ---- the same with the numbers ---- */

bool ib_tracked_unit(ib_loader *l, const double v[3], double out[3]) {
    ib_node nodes[3];
    const bool moves = depends(l, v, 3);
    if (moves) {
        take(l, v, 3, nodes);
        normalize(l->model->constant_graph, nodes, 3);
    }
    const bool good = ib_unit(v, out);
    give(l, out, 3, moves ? nodes : NULL);
    return good;
}

void ib_tracked_add(ib_loader *l, const double a[3], double s, const double b[3], double out[3]) {
    ib_graph *g = l->model->constant_graph;
    ib_node first[3], second[3];
    const bool moves = depends(l, a, 3) || depends(l, b, 3);
    if (moves) {
        take(l, a, 3, first);
        take(l, b, 3, second);
        for (int i = 0; i < 3; i++)
            first[i] = ib_add(g, first[i], ib_mul(g, ib_graph_const(g, s), second[i]));
    }
    ib_axpy(a, s, b, out);
    give(l, out, 3, moves ? first : NULL);
}

void ib_tracked_reject(ib_loader *l, const double x[3], const double z[3], double out[3]) {
    ib_graph *g = l->model->constant_graph;
    ib_node a[3], b[3];
    const bool moves = depends(l, x, 3) || depends(l, z, 3);
    if (moves) {
        take(l, x, 3, a);
        take(l, z, 3, b);
        const ib_node along = product_sum(g, a, b, 3);
        for (int i = 0; i < 3; i++)
            a[i] = ib_sub(g, a[i], ib_mul(g, along, b[i]));
    }
    ib_axpy(x, -ib_dot(x, z), z, out);
    give(l, out, 3, moves ? a : NULL);
}

void ib_tracked_cross(ib_loader *l, const double a[3], const double b[3], double out[3]) {
    ib_node first[3], second[3], nodes[3];
    const bool moves = depends(l, a, 3) || depends(l, b, 3);
    if (moves) {
        take(l, a, 3, first);
        take(l, b, 3, second);
        cross(l->model->constant_graph, first, second, nodes);
    }
    ib_cross(a, b, out);
    give(l, out, 3, moves ? nodes : NULL);
}

static void tracked_rotate(ib_loader *l, const double q[4], bool back, const double v[3],
                           double out[3]) {
    ib_node turn[4], vector[3], nodes[3];
    const bool moves = depends(l, q, 4) || depends(l, v, 3);
    if (moves) {
        take(l, q, 4, turn);
        take(l, v, 3, vector);
        rotate(l->model->constant_graph, turn, back, vector, nodes);
    }
    if (back)
        ib_quat_rotate_back(q, v, out);
    else
        ib_quat_rotate(q, v, out);
    give(l, out, 3, moves ? nodes : NULL);
}

void ib_tracked_rotate(ib_loader *l, const double q[4], const double v[3], double out[3]) {
    tracked_rotate(l, q, false, v, out);
}

void ib_tracked_rotate_back(ib_loader *l, const double q[4], const double v[3], double out[3]) {
    tracked_rotate(l, q, true, v, out);
}

void ib_tracked_quat_mul(ib_loader *l, const double a[4], const double b[4], double out[4]) {
    ib_node first[4], second[4], nodes[4];
    const bool moves = depends(l, a, 4) || depends(l, b, 4);
    if (moves) {
        take(l, a, 4, first);
        take(l, b, 4, second);
        quat_mul(l->model->constant_graph, first, second, nodes);
    }
    ib_quat_mul(a, b, out);
    give(l, out, 4, moves ? nodes : NULL);
}

void ib_tracked_quat_normalize(ib_loader *l, double q[4]) {
    ib_node nodes[4];
    const bool moves = depends(l, q, 4);
    if (moves) {
        take(l, q, 4, nodes);
        normalize(l->model->constant_graph, nodes, 4);
    }
    ib_quat_normalize(q);
    give(l, q, 4, moves ? nodes : NULL);
}

void ib_tracked_distance(ib_loader *l, const double a[3], const double b[3], double *distance) {
    ib_graph *g = l->model->constant_graph;
    ib_node line[3], length = IB_NO_NODE;
    double apart[3];
    ib_sub3(a, b, apart);
    if (depends(l, a, 3) || depends(l, b, 3)) {
        ib_node to[3];
        take(l, a, 3, line);
        take(l, b, 3, to);
        for (int i = 0; i < 3; i++)
            line[i] = ib_sub(g, line[i], to[i]);
        length = ib_graph_op(g, IB_OP_SQRT, product_sum(g, line, line, 3), IB_NO_NODE, IB_NO_NODE);
    }
    *distance = ib_norm(apart);
    ib_track(l, distance, length);
}

void ib_tracked_half_turn(ib_loader *l, const double *angle, double *sine, double *cosine) {
    ib_graph *g = l->model->constant_graph;
    ib_node half = ib_tracked_node(l, angle);
    ib_node s = IB_NO_NODE, c = IB_NO_NODE;
    if (half != IB_NO_NODE) {
        half = ib_mul(g, ib_graph_const(g, 0.5), half);
        s = ib_graph_op(g, IB_OP_SIN, half, IB_NO_NODE, IB_NO_NODE);
        c = ib_graph_op(g, IB_OP_COS, half, IB_NO_NODE, IB_NO_NODE);
    }
    ib_sincos(0.5 * *angle, sine, cosine);
    ib_track(l, sine, s);
    ib_track(l, cosine, c);
}

void ib_tracked_between(ib_loader *l, const double a[3], const double b[3], double turn[4]) {
    ib_graph *g = l->model->constant_graph;
    ib_node first[3], second[3], nodes[4];
    const bool moves = depends(l, a, 3) || depends(l, b, 3);
    if (moves) {
        take(l, a, 3, first);
        take(l, b, 3, second);
        nodes[0] = ib_add(g, ib_graph_const(g, 1), product_sum(g, first, second, 3));
        cross(g, first, second, nodes + 1);
    }
    turn[0] = 1 + ib_dot(a, b);
    ib_cross(a, b, turn + 1);
    give(l, turn, 4, moves ? nodes : NULL);
}

void ib_tracked_from_axes(ib_loader *l, const double x[3], const double y[3], const double z[3],
                          double q[4]) {
    ib_graph *g = l->model->constant_graph;
    const double R[9] = {x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]};
    ib_node c[3][3], rows[4][4], nodes[4];
    const bool moves = depends(l, x, 3) || depends(l, y, 3) || depends(l, z, 3);
    int largest = 0;
    ib_quat_from_matrix(R, q);
    for (int i = 1; i < 4; i++)
        if (q[i] * q[i] > q[largest] * q[largest])
            largest = i;
    if (moves) {
        take(l, x, 3, c[0]); /* c[j][i] is R(i, j) */
        take(l, y, 3, c[1]);
        take(l, z, 3, c[2]);
        const ib_node trace = ib_add(g, ib_add(g, c[0][0], c[1][1]), c[2][2]);
        for (int i = 0; i < 4; i++) {
            const ib_node twice = i ? ib_add(g, c[i - 1][i - 1], c[i - 1][i - 1]) : trace;
            const ib_node size = i ? ib_sub(g, twice, trace) : trace;
            rows[i][i] = ib_add(g, ib_graph_const(g, 1), size);
        }
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            rows[0][1 + i] = rows[1 + i][0] = ib_sub(g, c[j][k], c[k][j]);
            rows[1 + j][1 + k] = rows[1 + k][1 + j] = ib_add(g, c[j][k], c[k][j]);
        }
        memcpy(nodes, rows[largest], sizeof nodes);
        normalize(g, nodes, 4);
        for (int i = 0; i < 4 && q[largest] < 0; i++)
            nodes[i] = ib_neg(g, nodes[i]);
    }
    give(l, q, 4, moves ? nodes : NULL);
}
