/* A run's memory: the state in one block that a snapshot copies, and scratch beside it. */
#include "mechanics/radau.h"

#include <stdlib.h>
#include <string.h>

/* An array inside a block of doubles. */
typedef struct field {
    double **array;
    size_t count;
} field;

/* Points the arrays into the block one after the other; NULL only measures. Returns its size. */
static size_t lay_out(const field *fields, size_t n, double *block) {
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        if (block)
            *fields[i].array = block + at;
        at += fields[i].count;
    }
    return at;
}

static size_t lay_out_state(ib_dynamics *d, double *block) {
    const ib_mechanism *m = d->mechanism;
    const size_t stiff = m->stiff ? 1 : 0, stages = stiff * IB_RADAU_MOST;
    const field fields[] = {
        {&d->y, ib_state_size(m)},
        {&d->rate, ib_state_size(m) + m->n_auxiliaries},
        {&d->lambda, (size_t)m->n_rows},
        {&d->angle, m->n_angles},
        {&d->angle_rate, m->n_angles},
        {&d->offset, m->n_measures},
        {&d->constant, m->n_couplings},
        {&d->released, m->n_events > 0 ? m->n_joints : 0},
        {&d->leaves, m->options.n_leaves + 1},
        {&d->history, stages * (6 * m->n_bodies + m->n_auxiliaries + (size_t)m->n_rows)},
        {&d->point, stiff * ib_state_size(m)},
        {&d->point_lambda, stiff * (size_t)m->n_rows},
        {&d->point_angle, stiff * m->n_angles},
    };
    return lay_out(fields, IB_COUNT(fields), block);
}

static size_t tape_size(const ib_tape *tape) { return tape ? ib_tape_work_size(tape) : 0; }

static size_t largest(size_t a, size_t b) { return a > b ? a : b; }

static size_t lay_out_scratch(ib_dynamics *d, double *block) {
    const ib_mechanism *m = d->mechanism;
    const size_t rows = (size_t)m->n_rows, bodies = 6 * m->n_bodies;
    const size_t lags = m->n_auxiliaries, n = m->n_frictions;
    const ib_blocks *kkt = m->kkt.blocks, *newton = m->newton.blocks;
    const field fields[] = {
        {&d->kin, IB_KIN * (m->n_bodies + 1)},
        {&d->J, m->n_jacobian},
        {&d->W, m->n_jacobian},
        {&d->phi, rows},
        {&d->gamma, rows},
        {&d->work_rows, rows},
        {&d->work_lambda, rows},
        {&d->reaction, rows},
        {&d->shown, ib_state_size(m)},
        {&d->work_body, bodies},
        {&d->gravity, 3 * m->n_bodies},
        {&d->gravity_gradient, 9 * m->n_bodies},
        {&d->push, bodies},
        {&d->crossing, m->n_events},
        {&d->side, m->n_events},
        {&d->mass, m->n_bodies},
        {&d->moment, 3 * m->n_bodies},
        {&d->inertia, 9 * m->n_bodies},
        {&d->Q, bodies},
        {&d->acc, bodies},
        {&d->schur, (size_t)m->schur.blocks->n_values},
        {&d->slack, rows},
        {&d->kkt, kkt ? (size_t)kkt->n_values : 0},
        {&d->kkt_x, kkt ? (size_t)kkt->n_rows : 0},
        {&d->newton, newton ? (size_t)newton->n_values : 0},
        {&d->newton_x, newton ? (size_t)newton->n_rows : 0},
        {&d->plane, m->stiff ? 2 * (size_t)newton->n_values : 0},
        {&d->factors, m->stiff ? IB_RADAU_MOST * (size_t)newton->n_values : 0},
        {&d->point_weight, m->stiff ? rows : 0},
        {&d->lag_matrix, m->stiff ? (2 + IB_RADAU_MOST * IB_RADAU_MOST) * lags * lags : 0},
        {&d->law, m->n_laws + lags + m->n_outlets},
        {&d->slope, m->n_slopes},
        {&d->lag_slope, lags * (lags + m->lags.n_measures + m->n_laws)},
        {&d->lag_work, lags * (lags + 1)},
        {&d->motion, 3 * m->n_drivers},
        {&d->tape_work, largest(largest(tape_size(m->laws), tape_size(m->lags.slopes)),
                                largest(tape_size(m->crossings),
                                        largest(tape_size(m->slopes), tape_size(m->motions))))},
        {&d->force_J, 18 * m->n_forces},
        {&d->force_value, m->n_forces},
        {&d->load, IB_LOAD_FORCES * m->n_loads},
        {&d->foot, MECH_FOOT * m->n_loads},
        {&d->friction_direction, IB_LOAD_FORCES * n},
        {&d->friction_load, n},
        {&d->friction_slope, 3 * n},
        {&d->friction_answer, 3 * n * n},
        {&d->friction_matrix, n * n},
        {&d->friction_work, n},
        {&d->friction_applied, n > 0 ? bodies : 0},
        {&d->friction_force, n > 0 ? bodies : 0},
        {&d->friction_moved, n > 0 ? bodies : 0},
        {&d->friction_rows, n > 0 ? rows : 0},
        {&d->stage,
         largest(ib_radau_scratch(m), largest(ib_explicit_scratch(m), ib_implicit_scratch(m)))},
    };
    return lay_out(fields, IB_COUNT(fields), block);
}

static void set_initial(ib_dynamics *d) {
    const ib_mechanism *m = d->mechanism;
    for (size_t b = 0; b < m->n_bodies; b++) {
        double *y = d->y + IB_STATE * b;
        memcpy(y, m->bodies[b].position, 3 * sizeof *y);
        memcpy(y + IB_STATE_Q, m->bodies[b].orientation, 4 * sizeof *y);
        memcpy(y + IB_STATE_V, m->bodies[b].velocity, 3 * sizeof *y);
        memcpy(y + IB_STATE_W, m->bodies[b].rates, 3 * sizeof *y);
        d->mass[b] = m->bodies[b].mass;
    }
    memcpy(d->inertia, m->inertia, sizeof(double) * 9 * m->n_bodies);
    for (size_t i = 0; i < m->n_tanks; i++)
        d->leaves[m->options.tank_leaf + i] = 1;
    for (size_t i = 0; i < m->n_auxiliaries; i++)
        d->y[IB_STATE * m->n_bodies + i] = m->auxiliaries[i].start;
    ib_auxiliary_set(d, d->y);
    double *ground = d->kin + IB_KIN * m->n_bodies;
    ground[3] = ground[7] = ground[11] = 1;
    ib_constraints_constants(d);
    for (size_t i = 0; i < m->n_measures; i++)
        d->offset[i] = m->measures[i].given.offset_initial ? 0 : m->measures[i].given.offset;
    d->header->step = IB_SECOND / 10000; /* small anywhere; the error control soon finds better */
    d->header->contraction = 1;
    d->header->went_over_at = -1;
    d->header->stages = IB_RADAU_FEWEST;
    d->header->error = 1e-4; /* no history: the least that the controller counts */
}

ib_dynamics *ib_dynamics_create(const ib_mechanism *m) {
    ib_dynamics *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->mechanism = m;
    d->off_row = -1;
    const size_t n_state = lay_out_state(d, NULL);
    d->state_size = sizeof(mech_header) + n_state * sizeof(double);
    d->header = calloc(1, d->state_size);
    double *scratch = calloc(lay_out_scratch(d, NULL) + 1, sizeof(double));
    d->writer = calloc(1, sizeof *d->writer);
    d->lag_exchange = calloc(m->n_auxiliaries + 1, sizeof *d->lag_exchange);
    d->friction_exchange = calloc(m->n_frictions + 1, sizeof *d->friction_exchange);
    d->lag_order = calloc((IB_RADAU_MOST + 1) * m->n_auxiliaries + 1, sizeof *d->lag_order);
    d->scratch = scratch;
    const bool crossed = m->n_tanks + m->n_events > 0;
    d->before = crossed ? calloc(1, d->state_size) : NULL;
    if ((crossed && !d->before) || !d->header || !scratch || !d->writer || !d->lag_exchange ||
        !d->lag_order || !d->friction_exchange) {
        ib_dynamics_destroy(d);
        return NULL;
    }
    d->writer->m = m;
    lay_out_state(d, (double *)(d->header + 1));
    lay_out_scratch(d, scratch);
    set_initial(d);
    return d;
}

void ib_dynamics_destroy(ib_dynamics *d) {
    if (!d)
        return;
    free(d->header);
    free(d->scratch);
    free(d->before);
    free(d->writer);
    free(d->lag_exchange);
    free(d->lag_order);
    free(d->friction_exchange);
    free(d);
}

double *ib_dynamics_leaves(ib_dynamics *d) { return d->leaves; }

ib_time ib_dynamics_time(const ib_dynamics *d) { return d->header->time; }

const double *ib_dynamics_bodies(const ib_dynamics *d) { return d->fresh ? d->shown : d->y; }

const double *ib_dynamics_acceleration(const ib_dynamics *d, int body) { return d->acc + 6 * body; }

int ib_dynamics_redundant(const ib_dynamics *d) { return d->n_redundant; }

uint64_t ib_dynamics_hash(const ib_dynamics *d) {
    return ib_hash_bytes(IB_HASH_START, d->y, sizeof(double) * ib_state_size(d->mechanism));
}

size_t ib_dynamics_state_size(const ib_dynamics *d) { return d->state_size; }

void ib_dynamics_save(const ib_dynamics *d, void *state) {
    memcpy(state, d->header, d->state_size);
}

ib_status ib_dynamics_restore(ib_dynamics *d, const void *state, size_t size) {
    if (size != d->state_size)
        return IB_BAD_INPUT;
    memcpy(d->header, state, size);
    ib_constraints_constants(d);
    ib_auxiliary_set(d, d->y);
    d->fresh = d->planes_made = false;
    return IB_OK;
}

ib_mech_statistics ib_dynamics_statistics(const ib_dynamics *d) {
    const mech_header *h = d->header;
    return (ib_mech_statistics){h->steps,          h->rejections,    h->evaluations,
                                h->factorizations, h->iterations,    h->last_step,
                                h->smallest_step,  h->limited_steps, h->went_over_at};
}

static void follow_rows(ib_dynamics *d, int constraint, const ib_dynamics *leader, int theirs) {
    const ib_mechanism *m = d->mechanism, *other = leader->mechanism;
    const mech_constraint *c = &m->constraints[m->by_declared[constraint]];
    const mech_constraint *same = &other->constraints[other->by_declared[theirs]];
    memcpy(d->lambda + c->row, leader->lambda + same->row, sizeof(double) * (size_t)c->n_rows);
}

static void follow_released(ib_dynamics *d, const ib_dynamics *leader, const int *joints) {
    for (size_t i = 0; i < d->mechanism->n_joints; i++)
        d->released[i] = joints[i] >= 0 ? leader->released[joints[i]] : 0;
    ib_constraints_constants(d);
}

void ib_dynamics_follow(ib_dynamics *d, const ib_dynamics *leader, const double *bodies,
                        const int *joints) {
    const ib_mechanism *m = d->mechanism, *other = leader->mechanism;
    d->header->time = leader->header->time;
    memcpy(d->y, bodies, sizeof(double) * IB_STATE * m->n_bodies);
    memcpy(d->y + IB_STATE * m->n_bodies, leader->y + IB_STATE * other->n_bodies,
           sizeof(double) * m->n_auxiliaries);
    memcpy(d->angle, leader->angle, sizeof(double) * m->n_angles);
    memcpy(d->angle_rate, leader->angle_rate, sizeof(double) * m->n_angles);
    memcpy(d->offset, leader->offset, sizeof(double) * m->n_measures);
    memcpy(d->constant, leader->constant, sizeof(double) * m->n_couplings);
    memcpy(d->leaves, leader->leaves, sizeof(double) * m->options.n_leaves);
    memset(d->lambda, 0, sizeof(double) * (size_t)m->n_rows);
    if (m->n_events > 0)
        follow_released(d, leader, joints);
    for (size_t i = 0; i < m->n_joints; i++)
        for (int k = 0; joints[i] >= 0 && k < m->joints[i].count; k++)
            follow_rows(d, m->joints[i].first + k, leader, other->joints[joints[i]].first + k);
    for (size_t i = 0; i < m->n_drivers; i++)
        follow_rows(d, m->drivers[i].constraint, leader, other->drivers[i].constraint);
    d->fresh = false;
}
