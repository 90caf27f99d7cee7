/* Systems: a model compiled and ready to simulate. A system is used by one thread at a time; any
 * number of them may live in one process and share a model.
 */
#ifndef IRONBIRD_SYSTEM_H
#define IRONBIRD_SYSTEM_H

#include "ironbird/base.h"
#include "ironbird/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ib_system ib_system;

/* A variable of a system found by name once: an index, or -1 when there is no such name. */
typedef int32_t ib_handle;

typedef struct ib_channel_info {
    const char *name;        /* "wheel.position.z" */
    const char *unit;        /* SI, "m/s"; "1" for pure numbers, "" where it depends on the model */
    const char *description; /* one line */
    const char *id;          /* the element's id, or NULL */
} ib_channel_info;

typedef struct ib_statistics {
    const char *solver; /* the one in use: "dopri5", ... */
    uint64_t steps;     /* accepted */
    uint64_t rejections;
    uint64_t evaluations; /* of the equations of motion */
    uint64_t factorizations;
    uint64_t iterations;  /* Newton, projection */
    double last_step;     /* s */
    double smallest_step; /* s */
    uint64_t state_hash;  /* of the present state's bits */
    /* Where `auto` found the model stiff: the solver before, and since when another is in use. */
    const char *started_with; /* NULL: no other */
    ib_time changed_at;
    /* Accepted steps of an explicit solver whose length stability limited, not accuracy. */
    uint64_t limited_steps;
} ib_statistics;

/* Compiles a model: assembles positions and velocities, finds redundant constraints. The model must
 * outlive the system. What was corrected or is redundant is left as notes and warnings in `diags`.
 */
ib_status ib_system_create(const ib_model *model, ib_diags *diags, ib_system **system);
void ib_system_destroy(ib_system *system);

/* Has the model's expressions evaluated by machine code that a C compiler makes, with the same
 * bits. `compiler` is a program on the PATH or its path; what it makes is kept in `folder` (made
 * when missing) and found there again. Once per system, before it advances. When it cannot be done
 * the system stays as it is, which a note explains: IB_UNSUPPORTED. */
ib_status ib_system_compile(ib_system *system, const char *compiler, const char *folder,
                            ib_diags *diags);

ib_time ib_system_time(const ib_system *system);
/* Integrates to exactly `time` with the inputs held. A time before the present one is IB_BAD_INPUT.
 * IB_SIMULATION_FAILED leaves a diagnostic, and the system at the last good step; ib_system_time
 * tells where. */
ib_status ib_system_advance(ib_system *system, ib_time time, ib_diags *diags);
/* Asked once a step during advance; a true answer ends it with IB_INTERRUPTED. NULL: never. */
void ib_system_watch(ib_system *system, bool (*stop)(void *context), void *context);

/* Runtime inputs, held between changes. A value outside the input's limits, or one that moves a
 * driver by more than the assembly tolerance, is refused. */
ib_handle ib_system_input(const ib_system *system, const char *name);
ib_status ib_system_set_input(ib_system *system, ib_handle input, double value, ib_diags *diags);

/* Channels: everything that can be recorded, by handle 0 .. count-1. */
size_t ib_system_channel_count(const ib_system *system);
ib_channel_info ib_system_channel_info(const ib_system *system, ib_handle channel);
ib_handle ib_system_channel(const ib_system *system, const char *name);
/* The output `name`, that is channel `name.value`. */
ib_handle ib_system_output(const ib_system *system, const char *name);
/* Values at the present time. Fails when an output's expression has no value (log of a negative).
 */
ib_status ib_system_read(ib_system *system, const ib_handle *channels, size_t n, double *values,
                         ib_diags *diags);
/* True for the channels recorded when the model does not say: bodies, outputs, drivers, forces,
 * joints, sensors. */
bool ib_system_recorded_by_default(const ib_system *system, ib_handle channel);

/* The whole state as plain bytes: a copy is a snapshot, and a restored run gives the same bits. */
size_t ib_system_state_size(const ib_system *system);
void ib_system_save(const ib_system *system, void *state);
/* A state of another size (of another model) is refused with IB_BAD_INPUT. */
ib_status ib_system_restore(ib_system *system, const void *state, size_t size);

ib_statistics ib_system_statistics(const ib_system *system);

#ifdef __cplusplus
}
#endif

#endif
