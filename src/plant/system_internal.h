/* A system's insides. Private to plant. */
#ifndef IB_PLANT_SYSTEM_H
#define IB_PLANT_SYSTEM_H

#include "plant/channels.h"
#include "plant/merged.h"
#include "plant/plant.h"

struct ib_system {
    const ib_model *model;
    compiled_model compiled;
    ib_dynamics *dynamics; /* of all bodies: what is read */
    merged_run merged;     /* with welded bodies as one */
    ib_dynamics *moving;   /* what integrates: one of these two */
    bool behind;           /* `dynamics` is not where `moving` is */
    channel_list channels;
    ib_tape *outputs;     /* one root an output, or NULL without outputs */
    ib_native *native[3]; /* machine code of both mechanisms' tapes and of the outputs, or NULL */
    bool *output_measure; /* [n_measures] outputs use it */
    double *output_leaves, *output_work, *output_values;
    ib_mech_course *courses; /* [n_courses], room for every input; NULL until the first */
    size_t n_courses;
    bool *driving; /* [leaves] that drivers depend on; NULL until the first course */
    bool (*stop)(void *);
    void *stop_context;
};

/* Ends the course of an input. */
void ib_system_end_course(ib_system *system, ib_handle input);
/* Brings the run of all bodies to where the moving one is, and what is read of it up to date. */
ib_status ib_system_show(ib_system *system, ib_diags *diags);

#endif
