/* A model made into a mechanism, with what links their numberings. Private to plant. */
#ifndef IB_PLANT_COMPILED_H
#define IB_PLANT_COMPILED_H

#include "mechanics/mechanics.h"
#include "model/model.h"
#include "plant/weld.h"

/* What one force of the model became: scalar forces, or a load of the mechanism. */
typedef struct compiled_force {
    int load;         /* or -1 */
    int first, count; /* indices into the mechanism's forces; count 0: none (gravity, motors) */
} compiled_force;

typedef struct compiled_model {
    const ib_model *model;
    const ib_welds *welds; /* bodies to compute as one, or NULL */
    ib_arena *arena;
    ib_graph *graph; /* a copy of the model's, to which ramps and spring laws are added */
    ib_mechanism *mechanism;
    compiled_force *forces; /* [model->n_forces] */
    int n_forces;           /* of the mechanism */
    size_t measure_leaf;    /* leaf of measure 0 */
    size_t n_measures;      /* the model's, and those that springs need */
    size_t n_leaves;        /* with the initial values of ramps */
    const char *solver;     /* name of the solver chosen */
} compiled_model;

/* Builds and finishes the mechanism, with the bodies of `welds` (borrowed) merged unless that is
 * NULL. On failure everything made is destroyed. */
ib_status ib_compile(const ib_model *model, const ib_welds *welds, compiled_model *compiled,
                     ib_diags *diags);
void ib_compiled_destroy(compiled_model *compiled);

/* compile_joint.c: after the measures. False when memory is out, as below. */
bool ib_compile_joints(compiled_model *compiled);
/* compile.c: a measure that the model does not name. Its index, or -1. */
int ib_compile_measure(compiled_model *compiled, const ib_mech_measure *measure);

/* compile_force.c: hands the model's forces to the mechanism, after its measures. False when out of
 * memory. */
bool ib_compile_forces(compiled_model *compiled);

/* The same for what bodies carry and where air is; after the forces, whose motors are the first
 * auxiliary states. */
bool ib_compile_tanks(compiled_model *compiled);

/* A motion that joins `motion` smoothly from the value of leaf `start`, at rest, over `duration`
 * seconds. IB_NO_NODE when memory is out. */
ib_node ib_ramp(ib_graph *graph, ib_node motion, double duration, uint32_t start);

#endif
