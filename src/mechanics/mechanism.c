/* Building a mechanism: bodies, the analysis of its structure, and the compilation of its laws. */
#include "mechanics/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ib_mechanism *ib_mechanism_create(void) { return calloc(1, sizeof(ib_mechanism)); }

void ib_mechanism_destroy(ib_mechanism *m) {
    if (!m)
        return;
    free(m->bodies);
    free(m->inverse_mass);
    free(m->inertia);
    free(m->inverse_inertia);
    free(m->principal);
    free(m->singular);
    free(m->ones);
    free(m->constraints);
    free(m->by_declared);
    free(m->joints);
    free(m->measures);
    free(m->drivers);
    free(m->couplings);
    free(m->forces);
    free(m->angles);
    free(m->auxiliaries);
    free(m->airs);
    free(m->tanks);
    free(m->events);
    ib_tape_destroy(m->crossings);
    free(m->outlets);
    free(m->carries);
    free(m->loads);
    free(m->frictions);
    ib_blocks_destroy(m->schur.blocks);
    free(m->schur.pairs);
    ib_kkt_free(&m->kkt);
    ib_kkt_free(&m->newton);
    ib_tape_destroy(m->laws);
    ib_tape_destroy(m->slopes);
    ib_tape_destroy(m->motions);
    free(m->slope);
    ib_tape_destroy(m->lags.slopes);
    free(m->lags.column);
    free(m->law_measure);
    free(m);
}

int ib_mechanism_add_body(ib_mechanism *m, const ib_mech_body *body) {
    if (!IB_VEC_RESERVE(m->bodies, m->bodies_capacity, m->n_bodies))
        return -1;
    m->bodies[m->n_bodies] = *body;
    return (int)m->n_bodies++;
}

/* ---- masses ---- */

/* Inverse of the inertia where it has one. Where it lacks some, a small share of m L^2 stands in,
 * in the weights of regularisation and assembly only, and the general matrix does the motion. */
static void invert_inertia(ib_mechanism *m, size_t b) {
    double values[3], axes[9], filled[9];
    const double *inertia = m->inertia + 9 * b;
    const double mass = m->bodies[b].mass;
    ib_sym3_eigen(inertia, values, axes);
    const double scale = mass * m->length * m->length;
    m->singular[b] = !(mass > 0) || !(values[0] > 1e-12 * values[2]) || !(values[0] > 0);
    memcpy(filled, inertia, sizeof filled);
    const double fill = scale > 0 ? 1e-3 * scale : 1;
    for (int k = 0; m->singular[b] && k < 3; k++)
        filled[4 * k] += fill;
    double *inverse = m->inverse_inertia + 9 * b;
    ib_sym3_inverse(filled, inverse);
    m->principal[b] = inverse[1] == 0 && inverse[2] == 0 && inverse[5] == 0;
    m->inverse_mass[b] = mass > 0 ? 1 / mass : 1;
}

static void measure_length(ib_mechanism *m) {
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (size_t b = 0; b < m->n_bodies; b++)
        for (int k = 0; k < 3; k++) {
            const double x = m->bodies[b].position[k];
            low[k] = b == 0 || x < low[k] ? x : low[k];
            high[k] = b == 0 || x > high[k] ? x : high[k];
        }
    ib_sub3(high, low, high);
    m->length = ib_norm(high);
    if (!(m->length > 0.1))
        m->length = 1;
}

static bool prepare_masses(ib_mechanism *m) {
    const size_t n = m->n_bodies + 1;
    m->inverse_mass = calloc(n, sizeof(double));
    m->inertia = calloc(9 * n, sizeof(double));
    m->inverse_inertia = calloc(9 * n, sizeof(double));
    m->principal = calloc(2 * n, sizeof(bool));
    m->singular = calloc(n, sizeof(bool));
    m->ones = calloc(10 * n, sizeof(double));
    m->carries = calloc(n, sizeof(bool));
    if (!m->carries || !m->inverse_mass || !m->inertia || !m->inverse_inertia || !m->principal ||
        !m->singular || !m->ones)
        return false;
    for (size_t b = 0; b < m->n_bodies; b++) {
        m->ones[b] = 1;
        m->principal[n + b] = true;
        for (size_t k = 0; k < 3; k++)
            m->ones[n + 9 * b + 4 * k] = 1;
    }
    m->own = (mech_weights){m->inverse_mass, m->inverse_inertia, m->principal};
    m->unit = (mech_weights){m->ones, m->ones + n, m->principal + n};
    measure_length(m);
    for (size_t i = 0; i < m->n_tanks; i++)
        m->carries[m->tanks[i].given.body] = true;
    for (size_t b = 0; b < m->n_bodies; b++) {
        const double *I = m->bodies[b].inertia;
        const double full[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
        memcpy(m->inertia + 9 * b, full, sizeof full);
        invert_inertia(m, b);
    }
    return true;
}

/* ---- laws ---- */

bool ib_mark_measures(ib_mechanism *m, ib_node node) {
    const size_t n = m->options.n_leaves;
    bool *used = calloc(n + 1, sizeof *used);
    const bool good = used && ib_graph_depends(m->options.graph, node, used, n);
    for (size_t i = 0; good && i < m->n_measures; i++)
        if (used[m->options.measure_leaf + i])
            m->law_measure[i] = true;
    free(used);
    return good;
}

static bool compile_laws(ib_mechanism *m) {
    const size_t n_rates = m->n_auxiliaries + m->n_outlets;
    ib_node *roots = calloc(m->n_forces + n_rates + 1, sizeof *roots);
    bool good = roots != NULL;
    for (size_t i = 0; good && i < m->n_forces; i++) {
        mech_force *force = &m->forces[i];
        if (force->given.law == IB_NO_NODE)
            continue;
        force->law = (int)m->n_laws;
        roots[m->n_laws++] = force->given.law;
        good = ib_mark_measures(m, force->given.law);
    }
    for (size_t i = 0; good && i < m->n_auxiliaries; i++) {
        roots[m->n_laws + i] = m->auxiliaries[i].rate;
        good = ib_mark_measures(m, m->auxiliaries[i].rate);
    }
    for (size_t i = 0; good && i < m->n_outlets; i++) {
        roots[m->n_laws + m->n_auxiliaries + i] = m->outlets[i].given.flow;
        good = ib_mark_measures(m, m->outlets[i].given.flow);
    }
    if (good && m->n_laws + n_rates > 0) {
        m->laws = ib_tape_create(m->options.graph, roots, m->n_laws + n_rates);
        good = m->laws != NULL;
    }
    free(roots);
    return good;
}

/* Motion, first and second time derivative: measures do not enter, inputs are held. */
static bool compile_motions(ib_mechanism *m) {
    if (m->n_drivers == 0)
        return true;
    ib_graph *graph = m->options.graph;
    ib_node *roots = calloc(3 * m->n_drivers, sizeof *roots);
    if (!roots)
        return false;
    const ib_node seed = ib_graph_const(graph, 1);
    for (size_t i = 0; i < m->n_drivers; i++) {
        roots[3 * i] = m->drivers[i].given.motion;
        ib_graph_tangent(graph, roots + 3 * i, 1, &seed, 1, roots + 3 * i + 1);
        ib_graph_tangent(graph, roots + 3 * i + 1, 1, &seed, 1, roots + 3 * i + 2);
    }
    m->motions = ib_graph_failed(graph) ? NULL : ib_tape_create(graph, roots, 3 * m->n_drivers);
    free(roots);
    return m->motions != NULL;
}

typedef struct slope_list {
    ib_node *nodes;
    size_t nodes_capacity, slopes_capacity;
} slope_list;

/* Marks the leaves that a law depends on, by itself or through auxiliary states. */
static bool mark_all(const ib_mechanism *m, ib_node law, bool *used) {
    const ib_mech_options *options = &m->options;
    bool *seen = calloc(m->n_auxiliaries + 1, sizeof *seen);
    bool good = seen && ib_graph_depends(options->graph, law, used, options->n_leaves);
    for (bool more = good; good && more;) {
        more = false;
        for (size_t i = 0; good && i < m->n_auxiliaries; i++) {
            if (seen[i] || !used[options->auxiliary_leaf + i])
                continue;
            more = seen[i] = true;
            good =
                ib_graph_depends(options->graph, m->auxiliaries[i].rate, used, options->n_leaves);
        }
    }
    free(seen);
    return good;
}

/* Derivatives of one law by every measure it uses. */
static bool add_slopes(ib_mechanism *m, int force, slope_list *list) {
    ib_graph *graph = m->options.graph;
    bool *used = calloc(m->options.n_leaves + 1, sizeof *used);
    bool good = used && mark_all(m, m->forces[force].given.law, used);
    for (size_t i = 0; good && i < m->n_measures; i++) {
        const uint32_t leaf = (uint32_t)(m->options.measure_leaf + i);
        if (!used[leaf])
            continue;
        good = IB_VEC_RESERVE(list->nodes, list->nodes_capacity, m->n_slopes) &&
               IB_VEC_RESERVE(m->slope, list->slopes_capacity, m->n_slopes);
        if (!good)
            break;
        ib_graph_gradient(graph, m->forces[force].given.law, &leaf, 1, &list->nodes[m->n_slopes]);
        m->slope[m->n_slopes++] = (mech_slope){force, (int)i};
    }
    free(used);
    return good;
}

static bool compile_slopes(ib_mechanism *m) {
    slope_list list = {0};
    bool good = true;
    for (size_t i = 0; good && i < m->n_forces; i++)
        if (m->forces[i].law >= 0)
            good = add_slopes(m, (int)i, &list);
    if (good && m->n_slopes > 0) {
        m->slopes = ib_tape_create(m->options.graph, list.nodes, m->n_slopes);
        good = m->slopes != NULL && !ib_graph_failed(m->options.graph);
    }
    free(list.nodes);
    return good;
}

/* ---- finishing ---- */

/* Below, the stiff method has little but rounding errors to work with. */
static const double least_stiff_rtol = 1e-12;

static bool any_singular(const ib_mechanism *m) {
    for (size_t b = 0; b < m->n_bodies; b++)
        if (m->singular[b])
            return true;
    return false;
}

/* A hub with many constraints makes the Schur complement dense: each pair of them is a block. */
static bool is_star(const ib_mechanism *m) {
    return m->schur.n_pairs > 12 * m->n_constraints + 200;
}

/* The lowest body of the tree that a body is joined to so far. */
static int root_of(const int *joined, int body) {
    while (joined[body] != body)
        body = joined[body];
    return body;
}

/* Joins two bodies; true when they were already. */
static bool join(int *joined, int one, int other) {
    const int a = root_of(joined, one), b = root_of(joined, other);
    joined[a > b ? a : b] = a > b ? b : a;
    return a == b;
}

/* Joins all bodies of a constraint, with the ground where it has a part in it; true when that
 * closes a loop. */
static bool join_all(const ib_mechanism *m, const mech_constraint *c, int *joined) {
    int bodies[2 * IB_SLOTS], n = 0;
    bool closed = false;
    for (int s = 0; s < c->n_slots; s++) {
        const mech_site *site = ib_term_site(m, c, s / IB_SLOTS);
        bool seen = s % IB_SLOTS >= site->code->n_bodies;
        for (int k = 0; k < n; k++)
            seen = seen || bodies[k] == c->body[s];
        if (seen)
            continue;
        bodies[n++] = c->body[s];
        if (n > 1)
            closed = join(joined, bodies[0], c->body[s]) || closed;
    }
    return closed;
}

/* A constraint between bodies that are joined already closes a loop; those of one joint count once.
 */
static bool find_loops(ib_mechanism *m) {
    int *joined = calloc(m->n_bodies + 1, sizeof *joined);
    if (!joined)
        return false;
    for (size_t b = 0; b <= m->n_bodies; b++)
        joined[b] = (int)b;
    for (size_t i = 0; i < m->n_joints; i++) {
        if (m->joints[i].count == 0)
            continue;
        const mech_constraint *c = &m->constraints[m->by_declared[m->joints[i].first]];
        m->looped = join_all(m, c, joined) || m->looped;
    }
    free(joined);
    return true;
}

/* Forces that the state changes, without which no mode is fast. */
static bool may_be_stiff(const ib_mechanism *m) {
    bool any = m->n_loads > 0 || m->n_frictions > 0;
    for (size_t i = 0; i < m->n_forces; i++)
        any = any || m->forces[i].law < 0;
    for (size_t i = 0; i < m->n_measures; i++)
        any = any || m->law_measure[i];
    return any;
}

/* The general matrix of the explicit path, or that of the implicit methods. */
static ib_status build_matrix(ib_mechanism *m, mech_kkt *kkt, bool couple, ib_diags *diags) {
    int massless;
    if (ib_kkt_create(m, kkt, couple, &massless))
        return (couple ? ib_implicit_record(m) : ib_solver_record(m)) ? IB_OK
                                                                      : ib_diags_no_memory(diags);
    if (massless < 0)
        return ib_diags_no_memory(diags);
    const ib_mech_body *body = &m->bodies[massless];
    ib_diags_add(diags, IB_ERROR, IB0631, body->place,
                 "%s: nothing determines its motion: it has no mass or inertia in a direction "
                 "that its joints leave free",
                 body->name);
    ib_diags_suggest(diags, "give it mass and inertia, or a joint that holds it");
    return IB_BAD_INPUT;
}

ib_status ib_mechanism_finish(ib_mechanism *m, const ib_mech_options *options, ib_diags *diags) {
    m->options = *options;
    m->law_measure = calloc(m->n_measures + 1, sizeof(bool));
    if (!m->law_measure || !prepare_masses(m) || !compile_laws(m) || !compile_motions(m) ||
        !ib_crossings_compile(m))
        return ib_diags_no_memory(diags);
    m->options.fallback = options->fallback && options->step == 0 && may_be_stiff(m) &&
                          options->rtol >= least_stiff_rtol;
    m->stiff = options->solver == IB_MECH_STIFF || m->options.fallback;
    m->implicit = m->stiff || options->solver == IB_MECH_GENERALIZED_ALPHA;
    if ((m->implicit && (!compile_slopes(m) || !ib_auxiliary_compile(m))) || !ib_schur_create(m) ||
        !find_loops(m))
        return ib_diags_no_memory(diags);
    m->general = any_singular(m) || is_star(m) || (m->n_tanks > 0 && m->n_constraints > 0);
    ib_status status = IB_OK;
    if (m->general)
        status = build_matrix(m, &m->kkt, false, diags);
    if (status == IB_OK && m->implicit)
        status = build_matrix(m, &m->newton, true, diags);
    return status;
}

size_t ib_mechanism_tapes(const ib_mechanism *m, ib_tape *tapes[IB_MECH_TAPES]) {
    ib_tape *const all[] = {m->laws, m->slopes, m->motions, m->crossings, m->lags.slopes};
    size_t n = 0;
    for (size_t i = 0; i < IB_COUNT(all); i++)
        if (all[i])
            tapes[n++] = all[i];
    return n;
}
