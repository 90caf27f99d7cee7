/* The general matrix [M + ..., Gᵀ; G, -eps]: bodies and constraints eliminated in one static order.
 *
 * It serves the implicit integrator, whose body blocks are coupled by forces; mechanisms in which
 * some body has no inertia of its own in some direction; and star-shaped ones, whose Schur
 * complement would be dense. A constraint is never eliminated before one of its bodies, so that its
 * pivot block is -G S^-1 Gᵀ. A body without full inertia shares a node with constraints that hold
 * it.
 */
#include "mechanics/mechanism.h"

#include <stdlib.h>
#include <string.h>

/* Kinematics of a body at t = 0, as elements see them. */
static void initial_kin(const ib_mechanism *m, int body, double kin[IB_KIN]) {
    memset(kin, 0, IB_KIN * sizeof *kin);
    kin[3] = kin[7] = kin[11] = 1;
    if (body == (int)m->n_bodies)
        return;
    memcpy(kin, m->bodies[body].position, 3 * sizeof *kin);
    ib_quat_matrix(m->bodies[body].orientation, kin + IB_KIN_R);
}

/* A constraint's Jacobian at t = 0, into zeros. */
static void initial_jacobian(const ib_mechanism *m, const mech_constraint *c, double *J) {
    double kin[2 * IB_SLOTS][IB_KIN], phi[IB_MAX_ROWS], rates[2];
    const double *at[2 * IB_SLOTS] = {NULL};
    for (int s = 0; s < c->n_slots; s++) {
        initial_kin(m, c->body[s], kin[s]);
        at[s] = kin[s];
    }
    if (c->coupling >= 0) {
        ib_coupling_gradient(m, &m->couplings[c->coupling], at, phi, rates, J);
        return;
    }
    ib_site_constants(&c->site, J);
    c->site.code->gradient(at[0], at[1], at[2], c->site.p, phi, J);
    ib_site_merge(&c->site, c->n_rows, J);
}

/* Rows of a constraint's Jacobian for one body at t = 0 (n x 6). */
static void initial_rows(const ib_mechanism *m, const mech_constraint *c, int body, double *rows) {
    double J[18 * IB_MAX_ROWS] = {0};
    const int n = c->n_rows;
    initial_jacobian(m, c, J);
    for (int a = 0; a < c->n_active; a++) {
        const int slot = c->active[a];
        if (c->body[slot] != body)
            continue;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 3; k++) {
                rows[6 * i + k] = J[slot * 6 * n + 3 * i + k];
                rows[6 * i + 3 + k] = J[slot * 6 * n + 3 * n + 3 * i + k];
            }
    }
}

/* [M Gᵀ; G 0] of a body and the constraints merged with it so far. */
typedef struct held_body {
    int body, n;
    double matrix[IB_BLOCK_MAX * IB_BLOCK_MAX];
    double rows[IB_BLOCK_MAX * 6];
} held_body;

static void start_held(int body, held_body *held) {
    held->body = body;
    held->n = 6;
    memset(held->rows, 0, sizeof held->rows);
}

/* True when the body is held: [M Gᵀ; G -1e-6] can be inverted. The small diagonal stands for the
 * regularisation of constraints that hold the body more than once. */
static bool is_held(const ib_mechanism *m, held_body *held) {
    const int n = held->n;
    double *A = held->matrix;
    size_t exchanged[IB_BLOCK_MAX];
    memset(A, 0, sizeof(double) * (size_t)(n * n));
    for (int k = 0; k < 3; k++) {
        A[n * k + k] = m->bodies[held->body].mass;
        for (int l = 0; l < 3; l++)
            A[n * (3 + k) + 3 + l] = m->inertia[9 * held->body + 3 * k + l];
    }
    for (int i = 6; i < n; i++) {
        A[n * i + i] = -1e-6;
        for (int k = 0; k < 6; k++)
            A[n * i + k] = A[n * k + i] = held->rows[6 * (i - 6) + k];
    }
    return ib_lu_factor(A, (size_t)n, 1e-12, exchanged) == (size_t)n;
}

static bool touches(const mech_constraint *c, int body) {
    for (int a = 0; a < c->n_active; a++)
        if (c->body[c->active[a]] == body)
            return true;
    return false;
}

/* Merges constraints into the node of a body that cannot stand alone. False when none hold it. */
static bool hold_body(const ib_mechanism *m, mech_kkt *kkt, int body) {
    held_body held;
    start_held(body, &held);
    for (size_t i = 0; i < m->n_constraints && !is_held(m, &held); i++) {
        const mech_constraint *c = &m->constraints[i];
        const int unit = (int)(m->n_bodies + i);
        if (kkt->node[unit] >= 0 || c->driver >= 0 || !touches(c, body) ||
            held.n + c->n_rows > IB_BLOCK_MAX)
            continue;
        kkt->node[unit] = body;
        kkt->at[unit] = held.n;
        initial_rows(m, c, body, held.rows + (size_t)(6 * (held.n - 6)));
        held.n += c->n_rows;
    }
    return is_held(m, &held);
}

/* Gives every unit its node; nodes 0 .. n_bodies - 1 are those of the bodies. Returns their number,
 * or -1 with *massless set. */
static int number_nodes(const ib_mechanism *m, mech_kkt *kkt, int *massless) {
    int n = (int)m->n_bodies;
    for (size_t i = 0; i < m->n_constraints; i++)
        kkt->node[m->n_bodies + i] = -1;
    for (int b = 0; b < n; b++) {
        kkt->node[b] = b;
        kkt->at[b] = 0;
        if (m->singular[b] && !hold_body(m, kkt, b)) {
            *massless = b;
            return -1;
        }
    }
    for (size_t i = 0; i < m->n_constraints; i++)
        if (kkt->node[m->n_bodies + i] < 0)
            kkt->node[m->n_bodies + i] = n++;
    return n;
}

typedef struct edge_list {
    ib_block_edge *items;
    size_t count, capacity;
    bool failed;
} edge_list;

static void add_edge(edge_list *edges, int a, int b) {
    if (a == b)
        return;
    if (!IB_VEC_RESERVE(edges->items, edges->capacity, edges->count))
        edges->failed = true;
    else
        edges->items[edges->count++] = (ib_block_edge){a, b};
}

/* Couples all bodies of two elements with each other. */
static void couple_sites(const ib_mechanism *m, const mech_site *a, const mech_site *b,
                         edge_list *edges) {
    for (int i = 0; i < IB_SLOTS; i++)
        for (int j = 0; j < IB_SLOTS; j++)
            if (a->body[i] != (int)m->n_bodies && b->body[j] != (int)m->n_bodies)
                add_edge(edges, a->body[i], b->body[j]);
}

static void list_edges(const ib_mechanism *m, const mech_kkt *kkt, bool couple, edge_list *edges) {
    for (size_t i = 0; i < m->n_constraints; i++) {
        const mech_constraint *c = &m->constraints[i];
        for (int a = 0; a < c->n_active; a++)
            add_edge(edges, kkt->node[m->n_bodies + i], c->body[c->active[a]]);
        for (int term = 0; couple && term < ib_term_count(c); term++)
            couple_sites(m, ib_term_site(m, c, term), ib_term_site(m, c, term), edges);
    }
    for (size_t i = 0; couple && i < m->n_forces; i++)
        couple_sites(m, &m->forces[i].site, &m->forces[i].site, edges);
    for (size_t i = 0; couple && i < m->n_loads; i++)
        couple_sites(m, &m->loads[i].site, &m->loads[i].site, edges);
    for (size_t i = 0; couple && i < m->n_slopes; i++)
        couple_sites(m, &m->forces[m->slope[i].force].site, &m->measures[m->slope[i].measure].site,
                     edges);
}

static ib_blocks *analyse(const ib_mechanism *m, const mech_kkt *kkt, bool couple, int n) {
    edge_list edges = {0};
    int *sizes = calloc((size_t)n + 1, sizeof *sizes);
    bool *late = calloc((size_t)n + 1, sizeof *late);
    ib_blocks *blocks = NULL;
    list_edges(m, kkt, couple, &edges);
    if (sizes && late && !edges.failed) {
        for (size_t b = 0; b < m->n_bodies; b++)
            sizes[b] += 6;
        for (size_t i = 0; i < m->n_constraints; i++)
            sizes[kkt->node[m->n_bodies + i]] += m->constraints[i].n_rows;
        for (int k = (int)m->n_bodies; k < n; k++)
            late[k] = true;
        blocks = ib_blocks_create(IB_BLOCK_LU, n, sizes, edges.items, edges.count, late);
    }
    free(sizes);
    free(late);
    free(edges.items);
    return blocks;
}

bool ib_kkt_create(ib_mechanism *m, mech_kkt *kkt, bool couple, int *massless) {
    const size_t units = m->n_bodies + m->n_constraints + 1;
    *massless = -1;
    kkt->node = calloc(units, sizeof(int));
    kkt->at = calloc(units, sizeof(int));
    if (!kkt->node || !kkt->at)
        return false;
    const int n = number_nodes(m, kkt, massless);
    if (n < 0)
        return false;
    kkt->blocks = analyse(m, kkt, couple, n);
    return kkt->blocks != NULL;
}

void ib_kkt_free(mech_kkt *kkt) {
    ib_blocks_destroy(kkt->blocks);
    free(kkt->node);
    free(kkt->at);
    free(kkt->map.targets);
}

static void record(mech_writer *writer, int row, int column) {
    const mech_kkt *kkt = writer->kkt;
    const int row_node = kkt->node[row], column_node = kkt->node[column];
    const int stride = kkt->blocks->size[kkt->blocks->step[column_node]];
    const int offset = ib_blocks_offset(kkt->blocks, row_node, column_node);
    mech_map *map = writer->record;
    if (offset < 0 || !IB_VEC_RESERVE(map->targets, map->capacity, map->count)) {
        writer->failed = true;
        return;
    }
    map->targets[map->count++] =
        (mech_target){offset + kkt->at[row] * stride + kkt->at[column], stride};
}

mech_writer *ib_kkt_begin(ib_dynamics *d, const mech_kkt *kkt, double *values) {
    memset(values, 0, sizeof(double) * (size_t)kkt->blocks->n_values);
    d->writer->values = values;
    d->writer->kkt = kkt;
    d->writer->cursor = 0;
    return d->writer;
}

double *ib_kkt_block(mech_writer *writer, int row, int column, int *stride) {
    if (writer->record) {
        record(writer, row, column);
        *stride = 0;
        return writer->sink;
    }
    const mech_target *target = &writer->kkt->map.targets[writer->cursor++];
    *stride = target->stride;
    return writer->values + target->offset;
}

void ib_kkt_slot(mech_writer *writer, int unit, int body, int n, const double *J,
                 const double *turn) {
    int stride, stride_t;
    double *G = ib_kkt_block(writer, unit, body, &stride);
    double *Gt = ib_kkt_block(writer, body, unit, &stride_t);
    for (int i = 0; J && i < n; i++) {
        const double *T = J + 3 * i, *H = J + 3 * n + 3 * i;
        double turned[3] = {H[0], H[1], H[2]};
        if (turn)
            ib_mul3tv(turn, H, turned);
        for (int k = 0; k < 3; k++) {
            G[stride * i + k] += T[k];
            G[stride * i + 3 + k] += turned[k];
            Gt[stride_t * k + i] += T[k];
            Gt[stride_t * (3 + k) + i] += H[k];
        }
    }
}

int ib_kkt_row(const mech_kkt *kkt, int unit) {
    const ib_blocks *blocks = kkt->blocks;
    return blocks->row_of[blocks->step[kkt->node[unit]]] + kkt->at[unit];
}
