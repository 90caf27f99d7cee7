/* The life of an instance (FMI 3.0.2, section 2.3; FMI 2.0.5, section 2.1): made, initialised, its
 * discrete states updated, ended. After Error nothing is called but free, after Fatal nothing.
 */
#include "fmi/instance.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_UPDATES 1000 /* of discrete states at one instant */

/* ---- status -------------------------------------------------------------------------------- */

static ib_status fail(ib_fmi_instance *instance, const char *call, const char *what) {
    char number[IB_NUMBER_SIZE];
    ib_diags_add(instance->diags, IB_ERROR, IB1041, IB_NO_PLACE, "%s: %s %s at t = %s s",
                 instance->name, call, what, ib_number_text(instance->messages.time, number));
    return IB_SIMULATION_FAILED;
}

ib_status ib_fmi_after(ib_fmi_instance *instance, const char *call, int outcome) {
    switch (outcome) {
    case IB_FMI_OK:
    case IB_FMI_DISCARDED:
        return IB_OK;
    case IB_FMI_WARNED:
        instance->n_warnings++;
        return IB_OK;
    case IB_FMI_ERRED:
        instance->erred = true;
        return fail(instance, call, "returned Error");
    case IB_FMI_DEAD:
        instance->dead = true;
        return fail(instance, call, "returned Fatal");
    default:
        instance->erred = true;
        return fail(instance, call, "returned a status that does not exist");
    }
}

#define CALL3(name, ...)                                                                           \
    (ib_fmi_before(i, "fmi3" #name),                                                               \
     i->library.f3.name ? ib_fmi_after(i, "fmi3" #name, (int)i->library.f3.name(__VA_ARGS__))      \
                        : ib_fmi_after(i, "fmi3" #name " (missing)", IB_FMI_ERRED))
#define CALL2(name, ...)                                                                           \
    (ib_fmi_before(i, "fmi2" #name),                                                               \
     i->library.f2.name ? ib_fmi_after(i, "fmi2" #name, (int)i->library.f2.name(__VA_ARGS__))      \
                        : ib_fmi_after(i, "fmi2" #name " (missing)", IB_FMI_ERRED))

/* ---- resources ----------------------------------------------------------------------------- */

/* A path as a URI: bytes that have a meaning there, or none, as %XX (RFC 3986). */
static void add_uri(ib_str *uri, const char *path) {
    ib_str_add(uri, "file://");
    for (; *path; path++) {
        const unsigned char c = (unsigned char)*path;
        const bool plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                           (c >= '0' && c <= '9') || (c && strchr("-._~/", c));
        if (plain)
            ib_str_add_char(uri, (char)c);
        else
            ib_str_printf(uri, "%%%02X", c);
    }
}

/* FMI 3: a path that ends in a slash, or nothing where there is no such folder. FMI 2: a URI. */
static ib_status find_resources(ib_fmi_instance *instance) {
    ib_str path = {0}, uri = {0};
    struct stat about;
    ib_str_printf(&path, "%s/resources", instance->library.root);
    ib_status status = path.failed ? ib_diags_no_memory(instance->diags) : IB_OK;
    if (status == IB_OK && instance->description->version == 2) {
        add_uri(&uri, path.data);
        instance->resources = uri.data;
        if (uri.failed)
            status = ib_diags_no_memory(instance->diags);
    } else if (status == IB_OK && stat(path.data, &about) == 0 && S_ISDIR(about.st_mode)) {
        ib_str_add_char(&path, '/');
        if (path.failed)
            return ib_diags_no_memory(instance->diags);
        instance->resources = path.data;
        return IB_OK;
    }
    ib_str_free(&path);
    return status;
}

/* ---- making -------------------------------------------------------------------------------- */

/* The instance behind the environment that an FMU hands back. */
static ib_fmi_instance *instance_of(fmi3InstanceEnvironment environment) {
    return (ib_fmi_instance *)(void *)((char *)environment - offsetof(ib_fmi_instance, messages));
}

static void note_clocks(fmi3InstanceEnvironment environment) {
    instance_of(environment)->clock_updates++;
}

/* We never ask to return early from here: events that we know of end steps. */
static void update_intermediate(fmi3InstanceEnvironment environment, fmi3Float64 time,
                                fmi3Boolean set_requested, fmi3Boolean get_allowed,
                                fmi3Boolean finished, fmi3Boolean can_return,
                                fmi3Boolean *return_requested, fmi3Float64 *return_time) {
    ib_fmi_instance *i = instance_of(environment);
    (void)get_allowed, (void)finished, (void)can_return;
    *return_requested = false;
    *return_time = time;
    if (i->intermediate)
        i->intermediate(i->intermediate_context, time, set_requested);
}

/* Partitions run one after another: nothing preempts them. */
static void lock_nothing(void) {}

static void instantiate3(ib_fmi_instance *i, const ib_fmi_settings *settings) {
    const ib_fmi_description *d = i->description;
    const ib_fmi_functions3 *f = &i->library.f3;
    i->intermediate = settings->intermediate;
    i->intermediate_context = settings->intermediate_context;
    if (i->kind == IB_FMU_MODEL_EXCHANGE)
        i->component =
            f->InstantiateModelExchange(i->name, d->token, i->resources, false, settings->log_all,
                                        &i->messages, ib_fmi_message3);
    else if (i->kind == IB_FMU_CO_SIMULATION)
        i->component = f->InstantiateCoSimulation(
            i->name, d->token, i->resources, false, settings->log_all, settings->event_mode,
            settings->early_return, settings->intermediate_references, settings->n_intermediate,
            &i->messages, ib_fmi_message3, settings->intermediate ? update_intermediate : NULL);
    else
        i->component = f->InstantiateScheduledExecution(
            i->name, d->token, i->resources, false, settings->log_all, &i->messages,
            ib_fmi_message3, note_clocks, lock_nothing, lock_nothing);
}

static void instantiate2(ib_fmi_instance *i, const ib_fmi_settings *settings) {
    i->callbacks = (fmi2CallbackFunctions){ib_fmi_message2, calloc, free, NULL, &i->messages};
    i->component = i->library.f2.Instantiate(
        i->name, i->kind == IB_FMU_CO_SIMULATION ? fmi2CoSimulation : fmi2ModelExchange,
        i->description->token, i->resources, &i->callbacks, fmi2False, settings->log_all);
}

static ib_status make(ib_fmi_instance *instance, const ib_fmi_settings *settings) {
    instance->name = strdup(instance->description->name);
    if (!instance->name)
        return ib_diags_no_memory(instance->diags);
    instance->messages = (ib_fmi_messages){.diags = instance->diags,
                                           .instance = instance->name,
                                           .time = settings->start,
                                           .all = settings->log_all,
                                           .told = settings->told,
                                           .context = settings->context};
    ib_fmi_before(instance, "the loading of its library");
    ib_status status = ib_fmi_library_open(instance->fmu, instance->kind, settings->root,
                                           instance->diags, &instance->library);
    if (status == IB_OK)
        status = find_resources(instance);
    if (status != IB_OK)
        return status;
    ib_fmi_before(instance, "its instantiation");
    if (instance->description->version == 3)
        instantiate3(instance, settings);
    else
        instantiate2(instance, settings);
    if (instance->component)
        return IB_OK;
    ib_diags_add(instance->diags, IB_ERROR, IB1033, IB_NO_PLACE,
                 "%s refuses to be instantiated (the function returns NULL)", instance->name);
    return IB_SIMULATION_FAILED;
}

ib_status ib_fmi_instance_create(const ib_fmu *fmu, ib_fmu_kind kind,
                                 const ib_fmi_settings *settings, ib_diags *diags,
                                 ib_fmi_instance **result) {
    ib_fmi_instance *instance = calloc(1, sizeof *instance);
    *result = NULL;
    if (!instance)
        return ib_diags_no_memory(diags);
    instance->fmu = fmu;
    instance->description = fmu->description;
    instance->kind = kind;
    instance->diags = diags;
    instance->activity = settings->activity ? settings->activity : &instance->own_activity;
    const ib_status status = make(instance, settings);
    if (status == IB_OK)
        *result = instance;
    else
        ib_fmi_instance_destroy(instance, false);
    return status;
}

ib_status ib_fmi_instance_destroy(ib_fmi_instance *i, bool running) {
    ib_status status = IB_OK;
    if (!i)
        return IB_OK;
    const bool three = i->description->version == 3;
    if (i->component && running && !i->erred && !i->dead)
        status = three ? CALL3(Terminate, i->component) : CALL2(Terminate, i->component);
    if (i->component && !i->dead) {
        ib_fmi_before(i, three ? "fmi3FreeInstance" : "fmi2FreeInstance");
        if (three)
            i->library.f3.FreeInstance(i->component);
        else
            i->library.f2.FreeInstance(i->component);
    }
    /* What a dead instance still runs or holds must not lose its code. */
    if (!i->dead) {
        ib_fmi_before(i, "the unloading of its library");
        ib_fmi_library_close(&i->library);
    }
    free(i->name);
    free(i->resources);
    free(i->scratch);
    free(i);
    return status;
}

/* ---- modes --------------------------------------------------------------------------------- */

ib_status ib_fmi_enter_initialization(ib_fmi_instance *i, const ib_fmi_settings *settings) {
    const bool defined = settings->tolerance == settings->tolerance;
    const double tolerance = defined ? settings->tolerance : 0;
    const bool ends = settings->stop == settings->stop;
    const double stop = ends ? settings->stop : 0;
    if (i->description->version == 3)
        return CALL3(EnterInitializationMode, i->component, defined, tolerance, settings->start,
                     ends, stop);
    const ib_status status =
        CALL2(SetupExperiment, i->component, defined, tolerance, settings->start, ends, stop);
    return status == IB_OK ? CALL2(EnterInitializationMode, i->component) : status;
}

ib_status ib_fmi_exit_initialization(ib_fmi_instance *i) {
    return i->description->version == 3 ? CALL3(ExitInitializationMode, i->component)
                                        : CALL2(ExitInitializationMode, i->component);
}

static ib_status update_once(ib_fmi_instance *i, ib_fmi_event *event) {
    if (i->description->version == 3)
        return CALL3(UpdateDiscreteStates, i->component, &event->again, &event->terminate,
                     &event->nominals_changed, &event->values_changed, &event->has_next,
                     &event->next);
    fmi2EventInfo info = {0};
    const ib_status status = CALL2(NewDiscreteStates, i->component, &info);
    *event = (ib_fmi_event){.again = info.newDiscreteStatesNeeded != fmi2False,
                            .terminate = info.terminateSimulation != fmi2False,
                            .nominals_changed = info.nominalsOfContinuousStatesChanged != fmi2False,
                            .values_changed = info.valuesOfContinuousStatesChanged != fmi2False,
                            .has_next = info.nextEventTimeDefined != fmi2False,
                            .next = info.nextEventTime};
    return status;
}

ib_status ib_fmi_update_discrete(ib_fmi_instance *instance, ib_fmi_event *event) {
    bool nominals = false, values = false;
    for (unsigned n = 0; n < MOST_UPDATES; n++) {
        *event = (ib_fmi_event){0};
        const ib_status status = update_once(instance, event);
        if (status != IB_OK)
            return status;
        instance->n_updates++;
        nominals |= event->nominals_changed;
        values |= event->values_changed;
        if (!event->again || event->terminate) {
            event->nominals_changed = nominals;
            event->values_changed = values;
            return IB_OK;
        }
    }
    return fail(instance, "the update of discrete states", "does not come to an end");
}
