/* The place where a model becomes a mechanism: each element of the description is handed to the
 * mechanics in its terms (points and frames, laws and directions). */
#include "plant/compiled.h"

#include <math.h>
#include <string.h>

static bool add_bodies(compiled_model *c) {
    bool good = true;
    if (c->welds) {
        for (size_t i = 0; good && i < c->welds->n_merged; i++)
            good = ib_mechanism_add_body(c->mechanism, &c->welds->merged[i]) >= 0;
        return good;
    }
    for (size_t i = 0; good && i < c->model->n_bodies; i++) {
        const ib_body *given = &c->model->bodies[i];
        ib_mech_body body = {.name = given->element.name, .place = given->element.place};
        body.mass = given->mass;
        memcpy(body.inertia, given->inertia, sizeof body.inertia);
        memcpy(body.position, given->position, sizeof body.position);
        memcpy(body.orientation, given->orientation, sizeof body.orientation);
        memcpy(body.velocity, given->velocity, sizeof body.velocity);
        ib_quat_rotate_back(given->orientation, given->angular_velocity, body.rates);
        good = ib_mechanism_add_body(c->mechanism, &body) >= 0;
    }
    return good;
}

/* ---- measures ---- */

static ib_mech_measure_type measure_type(const ib_measure *given) {
    switch (given->type) {
    case IB_MEASURE_DISPLACEMENT:
        return IB_MECH_DISPLACEMENT;
    case IB_MEASURE_VELOCITY:
        return IB_MECH_VELOCITY;
    case IB_MEASURE_DISTANCE:
        return IB_MECH_DISTANCE;
    case IB_MEASURE_DISTANCE_RATE:
        return IB_MECH_DISTANCE_RATE;
    case IB_MEASURE_ANGLE:
        return IB_MECH_ANGLE;
    case IB_MEASURE_ANGULAR_RATE:
        return given->legacy_form ? IB_MECH_ANGULAR_RATE_LEGACY : IB_MECH_ANGULAR_RATE;
    case IB_MEASURE_DIRECTION:
        return IB_MECH_DIRECTION;
    case IB_MEASURE_ANGULAR_VELOCITY:
        return IB_MECH_ANGULAR_VELOCITY;
    case IB_MEASURE_ACCELERATION:
        return IB_MECH_ACCELERATION;
    case IB_MEASURE_ANGULAR_ACCELERATION:
        return IB_MECH_ANGULAR_ACCELERATION;
    case IB_MEASURE_SPECIFIC_FORCE:
        break;
    }
    return IB_MECH_SPECIFIC_FORCE;
}

/* The vector and the plane in which an angle is measured. */
static void angle_vectors(const ib_measure *given, ib_mech_measure *measure) {
    if (given->has_plane) {
        memcpy(measure->a, given->vector, sizeof measure->a);
        memcpy(measure->b, given->plane[0], sizeof measure->b);
        memcpy(measure->c, given->plane[1], sizeof measure->c);
        if (!given->normalize)
            return;
        ib_unit(measure->a, measure->a);
        ib_unit(measure->b, measure->b);
        ib_unit(measure->c, measure->c);
        return;
    }
    double R[9];
    ib_quat_matrix(given->orientation, R);
    for (int k = 0; k < 3; k++) {
        measure->a[k] = measure->b[k] = R[3 * k];
        measure->c[k] = R[3 * k + 1];
    }
}

static bool add_measures(compiled_model *c) {
    bool good = true;
    for (size_t i = 0; good && i < c->model->n_measures; i++) {
        const ib_measure *given = &c->model->measures[i];
        ib_mech_measure measure = {.name = given->element.name, .place = given->element.place};
        measure.type = measure_type(given);
        measure.body1 = given->body1;
        measure.body2 = given->body2;
        measure.frame = given->frame;
        memcpy(measure.point1, given->point1, sizeof measure.point1);
        memcpy(measure.point2, given->point2, sizeof measure.point2);
        memcpy(measure.vector, given->vector, sizeof measure.vector);
        memcpy(measure.axis, given->axis, sizeof measure.axis);
        angle_vectors(given, &measure);
        measure.offset_initial = given->offset == IB_OFFSET_INITIAL;
        measure.offset = given->offset == IB_OFFSET_NUMBER ? given->offset_value : 0;
        good = ib_compile_measure(c, &measure) >= 0;
    }
    return good;
}

int ib_compile_measure(compiled_model *c, const ib_mech_measure *given) {
    ib_mech_measure measure = *given;
    ib_weld_vector(c->welds, given->frame, measure.axis);
    measure.body1 = ib_weld_body(c->welds, given->body1);
    measure.body2 = ib_weld_body(c->welds, given->body2);
    measure.frame = ib_weld_body(c->welds, given->frame);
    c->n_measures++;
    return ib_mechanism_add_measure(c->mechanism, &measure);
}

/* ---- drivers, events, options ---- */

static bool add_events(compiled_model *c) {
    bool good = true;
    for (size_t i = 0; good && i < c->model->n_events; i++) {
        const ib_crossing *given = &c->model->events[i];
        const ib_mech_event event = {.name = given->name,
                                     .place = given->place,
                                     .value_place = given->when.place,
                                     .value = given->when.node,
                                     .down = given->crosses != IB_CROSSING_UP,
                                     .up = given->crosses != IB_CROSSING_DOWN};
        good = ib_mechanism_add_event(c->mechanism, &event) >= 0;
    }
    return good;
}

/* After the measures, whose number is final then: each ramp has a leaf for its initial value. */
static bool add_drivers(compiled_model *c) {
    bool good = true;
    const size_t first = c->measure_leaf + c->n_measures;
    c->n_leaves = first + c->model->n_drivers;
    for (size_t i = 0; good && i < c->model->n_drivers; i++) {
        const ib_driver *given = &c->model->drivers[i];
        ib_mech_driver driver = {.name = given->element.name, .place = given->element.place};
        driver.measure = given->measure;
        driver.motion_place = given->motion.place;
        driver.motion = given->motion.node;
        driver.initial_leaf = -1;
        if (given->ramp > 0) {
            driver.initial_leaf = (int)(first + i);
            driver.motion = ib_ramp(c->graph, driver.motion, given->ramp, (uint32_t)(first + i));
        }
        good = ib_mechanism_add_driver(c->mechanism, &driver) >= 0;
    }
    return good;
}

/* The integrator and its coefficients; the name is what statistics show. */
static void choose_solver(ib_solver solver, const ib_simulation *given, ib_mech_options *options,
                          const char **name) {
    switch (solver) {
    case IB_SOLVER_AUTO:
    case IB_SOLVER_DOPRI5:
        options->solver = IB_MECH_DOPRI5;
        *name = "dopri5";
        break;
    case IB_SOLVER_DOP853:
        options->solver = IB_MECH_DOP853;
        *name = "dop853";
        break;
    case IB_SOLVER_RK4:
        options->solver = IB_MECH_RK4;
        *name = "rk4";
        break;
    case IB_SOLVER_GENERALIZED_ALPHA:
        options->solver = IB_MECH_GENERALIZED_ALPHA;
        options->alpha_m = (2 * given->rho_infinity - 1) / (given->rho_infinity + 1);
        options->alpha_f = given->rho_infinity / (given->rho_infinity + 1);
        *name = "generalized_alpha";
        break;
    case IB_SOLVER_HHT:
        options->solver = IB_MECH_GENERALIZED_ALPHA;
        options->alpha_m = 0;
        options->alpha_f = -given->alpha;
        *name = "hht";
        break;
    case IB_SOLVER_STIFF:
        options->solver = IB_MECH_STIFF;
        *name = "stiff";
        break;
    }
}

/* Contacts where they touch; motors where they turn round or reach a limit. */
static bool force_has_kinks(const ib_force *force) {
    if (force->type != IB_FORCE_MOTOR)
        return force->type == IB_FORCE_CONTACT;
    return !isinf(force->max) || !isinf(force->rate_limit) || force->tau_down < force->tau_up ||
           force->tau_down > force->tau_up;
}

/* True when a force or expression has a kink or a jump somewhere. */
static bool has_kinks(const ib_model *model) {
    const ib_graph *graph = model->graph;
    for (size_t i = 0; i < model->n_forces; i++)
        if (force_has_kinks(&model->forces[i]))
            return true;
    for (size_t node = 0; node < ib_graph_size(graph); node++)
        switch (ib_graph_op_of(graph, (ib_node)node)) {
        case IB_OP_ABS:
        case IB_OP_SIGN:
        case IB_OP_FLOOR:
        case IB_OP_CEIL:
        case IB_OP_MOD:
        case IB_OP_MIN:
        case IB_OP_MAX:
        case IB_OP_LT:
        case IB_OP_LE:
        case IB_OP_EQ:
        case IB_OP_NE:
        case IB_OP_SELECT:
        case IB_OP_CURVE:
        case IB_OP_TABLE:
            return true;
        default:
            break;
        }
    return false;
}

/* Kinks in the forces or jumps of inputs spoil a high order; smooth models are cheapest with one.
 */
static ib_solver automatic(const ib_model *model) {
    const bool smooth = model->n_inputs == 0 && model->simulation.step == 0 && !has_kinks(model);
    return smooth ? IB_SOLVER_DOP853 : IB_SOLVER_DOPRI5;
}

static ib_mech_options options_of(compiled_model *c) {
    const ib_simulation *given = &c->model->simulation;
    const ib_solver solver = given->solver == IB_SOLVER_AUTO ? automatic(c->model) : given->solver;
    ib_mech_options options = {.graph = c->graph};
    options.n_leaves = c->n_leaves;
    options.measure_leaf = c->measure_leaf;
    options.auxiliary_leaf = ib_leaf_motor(c->model, 0);
    options.air_leaf = ib_leaf_air(c->model, 0);
    options.tank_leaf = ib_leaf_tank_used(c->model, 0);
    options.step = given->step;
    options.fallback = given->solver == IB_SOLVER_AUTO;
    options.rtol = given->rtol;
    options.atol = given->atol;
    options.assembly_tolerance = given->assembly_tolerance;
    memcpy(options.gravity, c->model->gravity, sizeof options.gravity);
    const bool fixed =
        solver == IB_SOLVER_RK4 || solver == IB_SOLVER_HHT || solver == IB_SOLVER_GENERALIZED_ALPHA;
    if (fixed && options.step == 0 && !given->adaptive)
        options.step = IB_SECOND / 1000;
    choose_solver(solver, given, &options, &c->solver);
    return options;
}

ib_status ib_compile(const ib_model *model, const ib_welds *welds, compiled_model *c,
                     ib_diags *diags) {
    memset(c, 0, sizeof *c);
    c->model = model;
    c->welds = welds;
    c->measure_leaf = ib_leaf_measure(model, 0);
    c->arena = ib_arena_create();
    c->graph = ib_graph_clone(model->graph);
    c->mechanism = ib_mechanism_create();
    ib_status status = IB_NO_MEMORY;
    if (!c->arena || !c->graph || !c->mechanism || !add_bodies(c) || !add_measures(c) ||
        !ib_compile_joints(c) || !ib_compile_forces(c) || !ib_compile_tanks(c) || !add_events(c) ||
        !add_drivers(c)) {
        ib_diags_no_memory(diags);
    } else {
        const ib_mech_options options = options_of(c);
        status = ib_mechanism_finish(c->mechanism, &options, diags);
    }
    if (status != IB_OK)
        ib_compiled_destroy(c);
    return status;
}

void ib_compiled_destroy(compiled_model *c) {
    ib_mechanism_destroy(c->mechanism);
    ib_graph_destroy(c->graph);
    ib_arena_destroy(c->arena);
    c->mechanism = NULL;
    c->graph = NULL;
    c->arena = NULL;
}
