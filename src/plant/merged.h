/* The run of a model whose welded bodies are computed as one, beside the run of all its bodies that
 * results are read from. Private to plant. */
#ifndef IB_PLANT_MERGED_H
#define IB_PLANT_MERGED_H

#include "plant/compiled.h"

typedef struct merged_run {
    ib_welds welds;
    compiled_model compiled;
    ib_dynamics *dynamics; /* NULL: nothing is merged */
    ib_arena *arena;
    int *joint;     /* [joints of the model] its joint, -1 for welds */
    int *original;  /* [its joints] the model's joint */
    double *states; /* [13 bodies of the model] */
} merged_run;

/* Makes it from the assembled run of all bodies, unless nothing is welded: then `dynamics` stays
 * NULL. IB_NO_MEMORY leaves no diagnostic. */
ib_status ib_merged_create(const ib_model *model, const ib_dynamics *all, merged_run *run);
void ib_merged_destroy(merged_run *run);
/* Starts it anew from the assembled run of all bodies, where something is merged. */
ib_status ib_merged_take(const ib_model *model, const ib_dynamics *all, merged_run *run);
/* Brings the run of all bodies to where the merged one is. */
void ib_merged_show(const merged_run *run, ib_dynamics *all);

#endif
