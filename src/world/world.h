/* world: missions, ticks, events, topology. The one header that siblings include. */
#ifndef IB_WORLD_INTERNAL_H
#define IB_WORLD_INTERNAL_H

#include "fcc/fcc.h"
#include "ironbird/world.h"
#include "plant/plant.h"
#include "world/flight.h"
#include "world/log.h"
#include "world/schedule.h"
#include "world/vehicle.h"

/* ---- stages, and who watches them --------------------------------------------------------------
 */

/* The seed's figure, in its order. */
typedef enum ib_stage {
    IB_STAGE_ADVANCE,   /* A */
    IB_STAGE_AVIONICS,  /* 1 */
    IB_STAGE_COMPUTER,  /* 2 */
    IB_STAGE_FORCES,    /* 3 */
    IB_STAGE_INTEGRATE, /* 4 */
    IB_STAGE_TRUTH,     /* 5 */
    IB_STAGE_ROUTE,     /* C */
    IB_STAGE_EVENTS,    /* D */
} ib_stage;

/* Called when a stage begins; vehicle -1: the world's own. Vehicles that tick in parallel call it
 * from their threads. */
typedef void (*ib_stage_observer)(void *context, int64_t tick, int vehicle, ib_stage stage);

void ib_world_observe(ib_world *world, ib_stage_observer observer, void *context);

/* ---- what tests look at ------------------------------------------------------------------------
 */

/* The truth of one vehicle, as api.md has it. */
typedef struct ib_truth {
    uint16_t vehicle;
    double position[3], velocity[3]; /* Earth-fixed, m, m/s */
    double attitude[4];              /* body to inertial */
    double rate[3];                  /* inertial, body axes, rad/s */
    double specific_force[3];        /* of the centre of mass, body axes, m/s^2 */
    double mass;                     /* kg */
    double centre[3];                /* of mass, structure axes, m */
} ib_truth;

/* What a topology operation did. */
typedef enum ib_operation_kind {
    IB_OPERATION_NONE,
    IB_OPERATION_SEPARATE,
    IB_OPERATION_TRANSITION
} ib_operation_kind;

typedef struct ib_operation {
    ib_operation_kind kind;
    uint16_t vehicle;
    int argument; /* number of the separation, or of the stage's word */
} ib_operation;

/* What a vehicle's event means: policy, and nothing is changed here. */
ib_operation ib_interpret(const ib_world *world, uint16_t vehicle, const ib_event *event);

/* What the last tick left behind: one truth a vehicle that flew in it, in their order. */
size_t ib_world_truths(ib_world *world, const ib_truth **truths);
const ib_logbook *ib_world_log(const ib_world *world);
/* Ticks of physics to one of flight computers. */
int64_t ib_world_computer_ratio(const ib_world *world);
ib_vehicle *ib_world_vehicle(ib_world *world, size_t index);
const ib_environment *ib_world_environment(const ib_world *world);
/* Loads from memory; `name` stands for the file. */
ib_status ib_world_create_text(const char *name, const char *text, size_t length,
                               const ib_world_options *options, ib_diags *diags, ib_world **world);

/* ---- snapshot.c --------------------------------------------------------------------------------
 */

/* The whole as plain bytes without pointers. */
size_t ib_world_state_size(const ib_world *world);
void ib_world_save(const ib_world *world, void *state);
ib_status ib_world_restore(ib_world *world, const void *state, size_t size);

#endif
