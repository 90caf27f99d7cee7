/* Bodies that fixed joints weld together, computed as one. Private to plant. */
#ifndef IB_PLANT_WELD_H
#define IB_PLANT_WELD_H

#include "mechanics/mechanics.h"
#include "model/model.h"

typedef struct ib_welds {
    int *body;      /* [bodies of the model] the merged body that each is part of, or the ground */
    double *turn;   /* [bodies x 9] from a body's axes to those of the merged one */
    double *origin; /* [bodies x 3] its centre of mass in the axes of the merged one, from there */
    bool *gone;     /* [joints of the model] welds, which hold nothing any more */
    ib_mech_body *merged; /* [n_merged] */
    size_t n_merged;
} ib_welds;

/* Finds what is welded, in memory of the arena. `welds->merged` is NULL when there is nothing to
 * merge, or when another joint or driver acts between parts of one merged body. False when out of
 * memory. */
bool ib_welds_find(const ib_model *model, ib_arena *arena, ib_welds *welds);

/* The merged body of a body, and a vector in the body's axes in those of the merged one; as they
 * are when `welds` is NULL. */
int ib_weld_body(const ib_welds *welds, int body);
void ib_weld_vector(const ib_welds *welds, int body, double v[3]);

/* The states of all bodies (13 each) from those of the merged ones, and the other way. */
void ib_welds_part(const ib_welds *welds, const ib_model *model, const double *merged,
                   double *bodies);
void ib_welds_merge(const ib_welds *welds, const ib_model *model, const double *bodies,
                    double *merged);

#endif
