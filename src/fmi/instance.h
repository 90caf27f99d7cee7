/* One instance of an FMU: its library, its functions, its messages. Private to the module.
 *
 * FMI 2 and FMI 3 look the same from here: values have the types of FMI 3, and calls that one of
 * them has not are done by what it has instead. Every call's status is looked at in one place.
 */
#ifndef IB_FMI_INSTANCE_H
#define IB_FMI_INSTANCE_H

#include "fmi/fmu.h"
#include "fmi/headers/fmi2FunctionTypes.h"
#include "fmi/headers/fmi3FunctionTypes.h"

/* Pointers to the functions of a library; NULL where it has not the function. */
typedef struct ib_fmi_functions3 {
#define FMI3(name, kinds) fmi3##name##TYPE *name;
#include "fmi/functions.def"
} ib_fmi_functions3;

typedef struct ib_fmi_functions2 {
#define FMI2(name, kinds) fmi2##name##TYPE *name;
#include "fmi/functions.def"
} ib_fmi_functions2;

/* ---- library.c ---- */

typedef struct ib_fmi_library {
    void *handle;
    void **others; /* [n_others] libraries beside it, loaded because it needs them */
    size_t n_others, others_capacity;
    char *root; /* the folder with binaries/ and resources/: the unpacked FMU, or where it was built
                 */
    ib_fmi_functions3 f3;
    ib_fmi_functions2 f2;
} ib_fmi_library;

/* Loads the library of a kind, which is built first where it is source alone, and finds its
 * functions. Nothing of it is called. `root` is the folder with binaries/, or NULL to find it. */
ib_status ib_fmi_library_open(const ib_fmu *fmu, ib_fmu_kind kind, const char *root,
                              ib_diags *diags, ib_fmi_library *library);
/* The folder with binaries/ and resources/ (malloc'ed), built where that is needed. */
ib_status ib_fmi_library_root(const ib_fmu *fmu, ib_fmu_kind kind, ib_diags *diags, char **root);
void ib_fmi_library_close(ib_fmi_library *library);
/* Why the file is no library that can be loaded here, or NULL. */
const char *ib_fmi_library_fault(const char *path);

/* ---- message.c ---- */

#define IB_FMI_MOST_MESSAGES 100 /* of an instance that are reported */

/* What an FMU says through its logger. */
typedef struct ib_fmi_messages {
    ib_diags *diags;
    const char *instance;
    double time;    /* of the simulation */
    bool all;       /* messages of success too */
    uint64_t count; /* all that came */
    uint64_t shown;
    void (*told)(void *context); /* called after each one that is reported, or NULL */
    void *context;
} ib_fmi_messages;

void ib_fmi_message3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                     fmi3String message);
void ib_fmi_message2(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                     fmi2String category, fmi2String message, ...);

/* ---- instance.c ---- */

/* How a call ended; numbers as in the standard. */
typedef enum ib_fmi_outcome {
    IB_FMI_OK,
    IB_FMI_WARNED,
    IB_FMI_DISCARDED,
    IB_FMI_ERRED,
    IB_FMI_DEAD
} ib_fmi_outcome;

/* What an instance is about to do: for who watches it from another process. */
typedef struct ib_fmi_activity {
    const char *volatile call; /* the function called last; a literal */
    volatile double time;      /* of the simulation */
    volatile uint64_t count;   /* of calls */
} ib_fmi_activity;

typedef struct ib_fmi_instance {
    const ib_fmu *fmu;
    const ib_fmi_description *description;
    ib_fmu_kind kind;
    ib_fmi_library library;
    void *component;
    char *name, *resources; /* live as long as the instance */
    ib_fmi_messages messages;
    ib_fmi_activity own_activity, *activity;
    fmi2CallbackFunctions callbacks;
    ib_diags *diags;
    bool erred, dead; /* after Error only free, after Fatal nothing */
    uint64_t n_warnings, n_updates;
    uint64_t clock_updates; /* times that the FMU told of its clocks (Scheduled Execution) */
    /* Called within a step of Co-Simulation (FMI 3), or NULL: whether inputs may be set. */
    void (*intermediate)(void *context, double time, bool set);
    void *intermediate_context;
    uint8_t *scratch; /* for values that FMI 2 has in another size */
    size_t scratch_size;
} ib_fmi_instance;

typedef struct ib_fmi_settings {
    double start, stop, tolerance; /* stop, tolerance NaN: not defined */
    bool event_mode, early_return, log_all;
    const char *root;            /* where the library is, as ib_fmi_library_root says, or NULL */
    ib_fmi_activity *activity;   /* where to note calls, or NULL */
    void (*told)(void *context); /* of ib_fmi_messages */
    void *context;
    /* What is set within steps, and the function that does it: of ib_fmi_instance. */
    const uint32_t *intermediate_references;
    size_t n_intermediate;
    void (*intermediate)(void *context, double time, bool set);
    void *intermediate_context;
} ib_fmi_settings;

/* Loads the library, instantiates. */
ib_status ib_fmi_instance_create(const ib_fmu *fmu, ib_fmu_kind kind,
                                 const ib_fmi_settings *settings, ib_diags *diags,
                                 ib_fmi_instance **instance);
/* Terminates when `running`, frees where that is still allowed, unloads. NULL is allowed. What
 * terminating returns, the rest is done in any case. */
ib_status ib_fmi_instance_destroy(ib_fmi_instance *instance, bool running);

/* Notes the call that comes next. */
static inline void ib_fmi_before(ib_fmi_instance *instance, const char *call) {
    instance->activity->call = call;
    instance->activity->time = instance->messages.time;
    instance->activity->count++;
}

/* Looks at what a call returned: counts warnings, reports errors with call and time. IB_OK after
 * OK, Warning and Discard. */
ib_status ib_fmi_after(ib_fmi_instance *instance, const char *call, int outcome);
/* Notes a call, makes it, and looks at what it returned. */
#define IB_FMI_CALL(instance, name, outcome)                                                       \
    (ib_fmi_before((instance), (name)), ib_fmi_after((instance), (name), (outcome)))

ib_status ib_fmi_enter_initialization(ib_fmi_instance *instance, const ib_fmi_settings *settings);
ib_status ib_fmi_exit_initialization(ib_fmi_instance *instance);

/* What an update of discrete states tells. */
typedef struct ib_fmi_event {
    bool again, terminate, nominals_changed, values_changed, has_next;
    double next;
} ib_fmi_event;
/* Updates to a fixed point. `event` gathers what was told on the way. */
ib_status ib_fmi_update_discrete(ib_fmi_instance *instance, ib_fmi_event *event);

/* Bytes of one value as get and set take it. */
size_t ib_fmi_value_size(ib_fmi_type type);
/* Values of variables of one type; arrays whole, one behind the other: n_values in all. Strings are
 * `const char *`. Not for binaries. */
ib_status ib_fmi_get(ib_fmi_instance *instance, ib_fmi_type type, const uint32_t *references,
                     size_t n, void *values, size_t n_values);
ib_status ib_fmi_set(ib_fmi_instance *instance, ib_fmi_type type, const uint32_t *references,
                     size_t n, const void *values, size_t n_values);
/* n values of a type of numbers as doubles, and back: false where a number is not the type's. */
void ib_fmi_to_doubles(ib_fmi_type type, const void *values, size_t n, double *numbers);
bool ib_fmi_from_doubles(ib_fmi_type type, const double *numbers, size_t n, void *values);
/* values[n_values] point to the instance's own bytes, until the next call. */
ib_status ib_fmi_get_binary(ib_fmi_instance *instance, const uint32_t *references, size_t n,
                            size_t *sizes, const uint8_t **values, size_t n_values);
ib_status ib_fmi_set_binary(ib_fmi_instance *instance, uint32_t reference, size_t n,
                            const size_t *sizes, const uint8_t *const *values);

/* ---- state.c ---- */

/* Whether the FMU can keep and set back its state, and make bytes of it. */
bool ib_fmi_can_save(const ib_fmi_instance *instance);
bool ib_fmi_can_serialize(const ib_fmi_instance *instance);
/* Keeps the state in *state: NULL, or one kept before, whose place it takes. */
ib_status ib_fmi_save(ib_fmi_instance *instance, void **state);
ib_status ib_fmi_restore(ib_fmi_instance *instance, void *state);
void ib_fmi_free_state(ib_fmi_instance *instance, void **state);
ib_status ib_fmi_serialized_size(ib_fmi_instance *instance, void *state, size_t *size);
ib_status ib_fmi_serialize(ib_fmi_instance *instance, void *state, uint8_t *bytes, size_t size);
ib_status ib_fmi_deserialize(ib_fmi_instance *instance, const uint8_t *bytes, size_t size,
                             void **state);

/* ---- derivatives.c ---- */

/* Whether the FMU offers them. */
bool ib_fmi_has_directional(const ib_fmi_instance *instance);
bool ib_fmi_has_adjoint(const ib_fmi_instance *instance);
/* result (n_result: elements of the unknowns) = d unknowns / d knowns * seed (n_seed: of the
 * knowns). */
ib_status ib_fmi_get_directional(ib_fmi_instance *instance, const uint32_t *unknowns,
                                 size_t n_unknowns, const uint32_t *knowns, size_t n_knowns,
                                 const double *seed, size_t n_seed, double *result,
                                 size_t n_result);
/* result (n_result: elements of the knowns) = seed (n_seed: of the unknowns) * d unknowns / d
 * knowns. */
ib_status ib_fmi_get_adjoint(ib_fmi_instance *instance, const uint32_t *unknowns, size_t n_unknowns,
                             const uint32_t *knowns, size_t n_knowns, const double *seed,
                             size_t n_seed, double *result, size_t n_result);

#endif
