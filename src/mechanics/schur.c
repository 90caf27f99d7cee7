/* The Schur complement A = G M^-1 Gᵀ, by blocks of constraints (docs/numerics.md, "Explicit
 * integration").
 *
 * Its pattern is the graph of constraints that share a body. Constraints are put into elimination
 * order once, so that multipliers need no permutation. Where each product goes is listed once.
 */
#include "mechanics/mechanism.h"

#include <stdlib.h>
#include <string.h>

/* A slot of a constraint on some body. */
typedef struct contact {
    int body, constraint, slot;
} contact;

static int by_body(const void *a, const void *b) {
    const contact *x = a, *y = b;
    if (x->body != y->body)
        return x->body < y->body ? -1 : 1;
    if (x->constraint != y->constraint)
        return x->constraint < y->constraint ? -1 : 1;
    return (x->slot > y->slot) - (x->slot < y->slot);
}

/* All slots of all constraints, grouped by body. */
static contact *list_contacts(const ib_mechanism *m, size_t *count) {
    contact *list = calloc(m->n_constraints * 2 * IB_SLOTS + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < m->n_constraints; i++)
        for (int a = 0; a < m->constraints[i].n_active; a++) {
            const int slot = m->constraints[i].active[a];
            list[(*count)++] = (contact){m->constraints[i].body[slot], (int)i, slot};
        }
    if (list)
        qsort(list, *count, sizeof *list, by_body);
    return list;
}

static bool add_pair(mech_schur *schur, mech_pair pair) {
    if (!IB_VEC_RESERVE(schur->pairs, schur->pairs_capacity, schur->n_pairs))
        return false;
    schur->pairs[schur->n_pairs++] = pair;
    return true;
}

static bool list_pairs(ib_mechanism *m) {
    size_t count;
    contact *list = list_contacts(m, &count);
    bool good = list != NULL;
    for (size_t i = 0; good && i < count; i++)
        for (size_t j = i + 1; good && j < count && list[j].body == list[i].body; j++)
            if (list[j].constraint != list[i].constraint)
                good =
                    add_pair(&m->schur, (mech_pair){list[j].constraint, list[i].constraint,
                                                    list[j].slot, list[i].slot, list[i].body, 0});
    free(list);
    return good;
}

static ib_blocks *analyse(const ib_mechanism *m) {
    int *sizes = calloc(m->n_constraints + 1, sizeof *sizes);
    ib_block_edge *edges = calloc(m->schur.n_pairs + 1, sizeof *edges);
    ib_blocks *blocks = NULL;
    if (sizes && edges) {
        for (size_t i = 0; i < m->n_constraints; i++)
            sizes[i] = m->constraints[i].n_rows;
        for (size_t i = 0; i < m->schur.n_pairs; i++)
            edges[i] = (ib_block_edge){m->schur.pairs[i].high, m->schur.pairs[i].low};
        blocks = ib_blocks_create(IB_BLOCK_CHOLESKY, (int)m->n_constraints, sizes, edges,
                                  m->schur.n_pairs, NULL);
    }
    free(sizes);
    free(edges);
    return blocks;
}

/* Puts the constraints themselves into elimination order and gives them their rows. */
static bool reorder(ib_mechanism *m) {
    const ib_blocks *blocks = m->schur.blocks;
    mech_constraint *sorted = calloc(m->n_constraints + 1, sizeof *sorted);
    m->by_declared = calloc(m->n_constraints + 1, sizeof(int));
    if (!sorted || !m->by_declared) {
        free(sorted);
        return false;
    }
    for (size_t i = 0; i < m->n_constraints; i++) {
        const int step = blocks->step[i];
        sorted[step] = m->constraints[i];
        sorted[step].row = blocks->row_of[step];
        m->by_declared[i] = step;
    }
    size_t jacobian = 0;
    for (size_t i = 0; i < m->n_constraints; i++) {
        sorted[i].jacobian = jacobian;
        jacobian += (size_t)(6 * sorted[i].n_slots * sorted[i].n_rows);
    }
    free(m->constraints);
    m->constraints = sorted;
    m->n_jacobian = jacobian;
    m->n_rows = blocks->n_rows;
    return true;
}

/* Pairs in terms of the new order: `high` is the later step. */
static void place_pairs(ib_mechanism *m) {
    const ib_blocks *blocks = m->schur.blocks;
    for (size_t i = 0; i < m->schur.n_pairs; i++) {
        mech_pair *pair = &m->schur.pairs[i];
        pair->offset = ib_blocks_offset(blocks, pair->low, pair->high);
        if (pair->offset < 0) {
            *pair =
                (mech_pair){pair->low, pair->high, pair->low_slot, pair->high_slot, pair->body, 0};
            pair->offset = ib_blocks_offset(blocks, pair->low, pair->high);
        }
        pair->high = blocks->step[pair->high];
        pair->low = blocks->step[pair->low];
    }
}

bool ib_schur_create(ib_mechanism *m) {
    if (!list_pairs(m))
        return false;
    m->schur.blocks = analyse(m);
    if (!m->schur.blocks)
        return false;
    place_pairs(m);
    return reorder(m);
}

/* ---- weights of rows ---- */

/* Diagonal entry of G M^-1 Gᵀ for one row, with what inverse mass there is. */
static double row_weight(const ib_dynamics *d, const mech_constraint *c, int row) {
    const ib_mechanism *m = d->mechanism;
    double weight = 0;
    for (int a = 0; a < c->n_active; a++) {
        const int slot = c->active[a], body = c->body[slot];
        const double *T = d->J + c->jacobian + slot * 6 * c->n_rows + 3 * row;
        const double *H = T + 3 * c->n_rows;
        double turn[3];
        ib_mul3v(m->inverse_inertia + 9 * body, H, turn);
        weight += m->inverse_mass[body] * ib_dot(T, T) + ib_dot(H, turn);
    }
    return weight;
}

IB_KERNEL void average(double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    for (int i = 0; i < n; i++)
        x[i] = sum / n;
}

/* The rows of a joint that hold a point, and those that hold directions, stand for components in
 * axes of no meaning: global ones, or some pair across the joint's axis. Their mean has one. */
IB_KERNEL void average_rows(int n, int points, double *weights) {
    average(weights, points);
    if (n > points)
        average(weights + points, n - points);
}

void ib_average_weights(const mech_constraint *c, double *weights) {
    average_rows(c->n_rows, c->site.code->n_points, weights);
}

void ib_row_weights(const ib_dynamics *d, const mech_constraint *c, double *weights) {
    for (int i = 0; i < c->n_rows; i++)
        weights[i] = ib_is_released(d, c) ? 1 : row_weight(d, c, i);
    ib_average_weights(c, weights);
}

/* ---- assembly ---- */

/* W = (H I^-1)ᵀ, 3 x n, of H, n x 3. */
IB_KERNEL void weigh_rows(int n, bool principal, const double *restrict inverse,
                          const double *restrict H, double *restrict W) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++)
            W[n * k + i] = principal
                               ? inverse[4 * k] * H[3 * i + k]
                               : inverse[3 * k] * H[3 * i] + inverse[3 * k + 1] * H[3 * i + 1] +
                                     inverse[3 * k + 2] * H[3 * i + 2];
}

/* C += H W, H n x 3 and W 3 x p. */
IB_KERNEL void add_product(int n, int p, const double *restrict H, const double *restrict W,
                           double *restrict C) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < p; j++)
            C[p * i + j] += H[3 * i] * W[j] + H[3 * i + 1] * W[p + j] + H[3 * i + 2] * W[2 * p + j];
}

static void add_rotations(int n, int p, const double *H, const double *W, double *C) {
    if (n == 5 && p == 5)
        add_product(5, 5, H, W, C);
    else if (n == 3 && p == 3)
        add_product(3, 3, H, W, C);
    else
        add_product(n, p, H, W, C);
}

/* C += s T_a T_bᵀ. */
static void add_translations(const mech_constraint *a, int a_slot, const mech_constraint *b,
                             int b_slot, const double *T_a, const double *T_b, double s,
                             double *C) {
    const int n = a->n_rows, p = b->n_rows;
    if (a->site.code->coincident && b->site.code->coincident) {
        const double signed_s = a_slot == b_slot ? s : -s;
        for (int k = 0; k < 3; k++)
            C[p * k + k] += signed_s;
        return;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < p; j++)
            C[p * i + j] += s * ib_dot(T_a + 3 * i, T_b + 3 * j);
}

/* What an assembly is told. */
typedef struct assembly {
    ib_dynamics *d;
    const mech_weights *weights;
    double epsilon, absolute;
} assembly;

/* One slot's part of a diagonal block, and M^-1 Hᵀ of the slot into the place of H in d->W. */
IB_KERNEL void add_slot(const assembly *w, const mech_constraint *c, int slot, int n,
                        bool coincident, double *D) {
    const size_t at = c->jacobian + (size_t)(slot * 6 * n);
    const int body = c->body[slot];
    const double *T = w->d->J + at, *H = T + 3 * n;
    double *W = w->d->W + at + 3 * n;
    const double s = w->weights->inverse_mass[body];
    if (w->weights->principal[body])
        weigh_rows(n, true, w->weights->inverse_inertia + 9 * body, H, W);
    else
        weigh_rows(n, false, w->weights->inverse_inertia + 9 * body, H, W);
    add_product(n, n, H, W, D);
    for (int i = 0; coincident && i < 3; i++)
        D[n * i + i] += s;
    for (int i = 0; !coincident && i < n; i++)
        for (int j = 0; j < n; j++)
            D[n * i + j] += s * ib_dot(T + 3 * i, T + 3 * j);
}

IB_KERNEL void add_diagonal(const assembly *w, const mech_constraint *c, int n, bool coincident,
                            double *D) {
    double own[IB_MAX_ROWS] = {0}, *slack = w->d->slack + c->row;
    for (int a = 0; a < c->n_active; a++)
        add_slot(w, c, c->active[a], n, coincident, D);
    for (int i = 0; i < n; i++)
        own[i] = D[n * i + i];
    average_rows(n, coincident ? 3 : c->site.code->n_points, own);
    for (int i = 0; i < n; i++) {
        slack[i] = w->epsilon * own[i] + w->absolute;
        D[n * i + i] += slack[i];
    }
}

/* Rows that say nothing, by themselves: their multipliers are zero. */
static void add_nothing(const assembly *w, const mech_constraint *c, double *D) {
    for (int i = 0; i < c->n_rows; i++) {
        D[c->n_rows * i + i] = 1;
        w->d->slack[c->row + i] = 0;
    }
}

static void add_constraint(const assembly *w, const mech_constraint *c, double *D) {
    if (ib_is_released(w->d, c)) {
        add_nothing(w, c, D);
        return;
    }
    const bool coincident = c->site.code->coincident;
    if (coincident && c->n_rows == 5)
        add_diagonal(w, c, 5, true, D);
    else if (coincident && c->n_rows == 3)
        add_diagonal(w, c, 3, true, D);
    else
        add_diagonal(w, c, c->n_rows, coincident, D);
}

static void add_pair_block(const assembly *w, const mech_pair *pair, double *C) {
    const ib_mechanism *m = w->d->mechanism;
    const mech_constraint *high = &m->constraints[pair->high], *low = &m->constraints[pair->low];
    const double *J = w->d->J;
    if (ib_is_released(w->d, high) || ib_is_released(w->d, low))
        return;
    const size_t high_at = high->jacobian + (size_t)(pair->high_slot * 6 * high->n_rows);
    const size_t low_at = low->jacobian + (size_t)(pair->low_slot * 6 * low->n_rows);
    add_rotations(low->n_rows, high->n_rows, J + low_at + 3 * low->n_rows,
                  w->d->W + high_at + 3 * high->n_rows, C);
    add_translations(low, pair->low_slot, high, pair->high_slot, J + low_at, J + high_at,
                     w->weights->inverse_mass[pair->body], C);
}

/* A + epsilon W + absolute I, W the diagonal of A as ib_row_weights says. */
void ib_schur_assemble(ib_dynamics *d, const mech_weights *weights, double epsilon, double absolute,
                       double *values) {
    const ib_mechanism *m = d->mechanism;
    const mech_schur *schur = &m->schur;
    const assembly w = {d, weights, epsilon, absolute};
    memset(values, 0, sizeof(double) * (size_t)schur->blocks->n_values);
    for (size_t i = 0; i < m->n_constraints; i++)
        add_constraint(&w, &m->constraints[i], values + schur->blocks->diagonal[i]);
    for (size_t i = 0; i < schur->n_pairs; i++)
        add_pair_block(&w, &schur->pairs[i], values + schur->pairs[i].offset);
}

/* x -= M^-1 [T H]ᵀ lambda of one slot, where W is M^-1 Hᵀ. */
IB_KERNEL void pull_rows(int n, const double *restrict W, const double *restrict lambda,
                         double *restrict x) {
    for (int k = 0; k < 3; k++) {
        double turn = 0;
        for (int i = 0; i < n; i++)
            turn += W[n * k + i] * lambda[i];
        x[3 + k] -= turn;
    }
}

IB_KERNEL void pull_translations(int n, bool coincident, double inverse, const double *T,
                                 const double *lambda, double *x) {
    for (int k = 0; coincident && k < 3; k++)
        x[k] -= inverse * lambda[k];
    for (int i = 0; !coincident && i < n; i++)
        ib_axpy(x, -inverse * lambda[i], T + 3 * i, x);
}

IB_KERNEL void pull_constraint(const ib_dynamics *d, const mech_weights *weights,
                               const mech_constraint *c, int n, bool coincident,
                               const double *lambda, double *x) {
    for (int a = 0; a < c->n_active; a++) {
        const int slot = c->active[a], body = c->body[slot];
        const size_t at = c->jacobian + (size_t)(slot * 6 * n);
        const double inverse = weights->inverse_mass[body];
        pull_translations(n, coincident, coincident && slot ? -inverse : inverse, d->J + at, lambda,
                          x + 6 * body);
        pull_rows(n, d->W + at + 3 * n, lambda, x + 6 * body);
    }
}

/* x -= M^-1 Gᵀ lambda, by the J and the weights of the last assembly. */
void ib_schur_pull(const ib_dynamics *d, const mech_weights *weights, const double *lambda,
                   double *x) {
    const ib_mechanism *m = d->mechanism;
    for (size_t i = 0; i < m->n_constraints; i++) {
        const mech_constraint *c = &m->constraints[i];
        const bool coincident = c->site.code->coincident;
        if (ib_is_released(d, c))
            continue;
        if (coincident && c->n_rows == 5)
            pull_constraint(d, weights, c, 5, true, lambda + c->row, x);
        else if (coincident && c->n_rows == 3)
            pull_constraint(d, weights, c, 3, true, lambda + c->row, x);
        else
            pull_constraint(d, weights, c, c->n_rows, coincident, lambda + c->row, x);
    }
}

/* out = G M^-1 Gᵀ lambda, likewise. */
void ib_schur_apply(ib_dynamics *d, const mech_weights *weights, const double *lambda,
                    double *out) {
    const ib_mechanism *m = d->mechanism;
    memset(d->work_body, 0, sizeof(double) * 6 * m->n_bodies);
    ib_schur_pull(d, weights, lambda, d->work_body);
    ib_constraints_apply(d, d->work_body, NULL, out);
    for (int k = 0; k < m->n_rows; k++)
        out[k] = -out[k];
}
