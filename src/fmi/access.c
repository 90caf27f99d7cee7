/* Values of an instance: one way to get and set for every type of both versions.
 *
 * FMI 2 has Booleans and enumerations as int; they are converted in room that the instance keeps.
 */
#include "fmi/instance.h"

#include <stdlib.h>
#include <string.h>

size_t ib_fmi_value_size(ib_fmi_type type) {
    static const size_t sizes[] = {
#define SIZE(key, name, bytes) bytes,
        IB_FMI_TYPES(SIZE)
#undef SIZE
    };
    return type == IB_FMI_STRING ? sizeof(const char *) : sizes[type];
}

static int *room(ib_fmi_instance *instance, size_t n) {
    if (n > instance->scratch_size) {
        uint8_t *larger = realloc(instance->scratch, n * sizeof(int));
        if (!larger) {
            ib_diags_no_memory(instance->diags);
            return NULL;
        }
        instance->scratch = larger;
        instance->scratch_size = n;
    }
    return (int *)(void *)instance->scratch;
}

/* ---- FMI 2 --------------------------------------------------------------------------------- */

static ib_status get2_ints(ib_fmi_instance *i, ib_fmi_type type, const uint32_t *references,
                           size_t n, void *values) {
    const ib_fmi_functions2 *f = &i->library.f2;
    const bool boolean = type == IB_FMI_BOOLEAN;
    int *wide = room(i, n);
    if (!wide)
        return IB_NO_MEMORY;
    if (boolean ? !f->GetBoolean : !f->GetInteger)
        return ib_fmi_after(i, boolean ? "fmi2GetBoolean (missing)" : "fmi2GetInteger (missing)",
                            IB_FMI_ERRED);
    const ib_status status =
        boolean ? IB_FMI_CALL(i, "fmi2GetBoolean",
                              (int)f->GetBoolean(i->component, references, n, wide))
                : IB_FMI_CALL(i, "fmi2GetInteger",
                              (int)f->GetInteger(i->component, references, n, wide));
    for (size_t k = 0; k < n && status == IB_OK; k++)
        if (boolean)
            ((bool *)values)[k] = wide[k] != 0;
        else
            ((int64_t *)values)[k] = wide[k];
    return status;
}

static ib_status set2_ints(ib_fmi_instance *i, ib_fmi_type type, const uint32_t *references,
                           size_t n, const void *values) {
    const ib_fmi_functions2 *f = &i->library.f2;
    const bool boolean = type == IB_FMI_BOOLEAN;
    int *wide = room(i, n);
    if (!wide)
        return IB_NO_MEMORY;
    if (boolean ? !f->SetBoolean : !f->SetInteger)
        return ib_fmi_after(i, boolean ? "fmi2SetBoolean (missing)" : "fmi2SetInteger (missing)",
                            IB_FMI_ERRED);
    for (size_t k = 0; k < n; k++)
        wide[k] = boolean ? ((const bool *)values)[k] : (int)((const int64_t *)values)[k];
    return boolean ? IB_FMI_CALL(i, "fmi2SetBoolean",
                                 (int)f->SetBoolean(i->component, references, n, wide))
                   : IB_FMI_CALL(i, "fmi2SetInteger",
                                 (int)f->SetInteger(i->component, references, n, wide));
}

#define CALL2(name, ...)                                                                           \
    (ib_fmi_before(i, "fmi2" #name),                                                               \
     i->library.f2.name                                                                            \
         ? ib_fmi_after(i, "fmi2" #name, (int)i->library.f2.name(i->component, __VA_ARGS__))       \
         : ib_fmi_after(i, "fmi2" #name " (missing)", IB_FMI_ERRED))

static ib_status get2(ib_fmi_instance *i, ib_fmi_type type, const uint32_t *references, size_t n,
                      void *values) {
    switch (type) {
    case IB_FMI_FLOAT64:
        return CALL2(GetReal, references, n, values);
    case IB_FMI_INT32:
        return CALL2(GetInteger, references, n, values);
    case IB_FMI_STRING:
        return CALL2(GetString, references, n, values);
    default:
        return get2_ints(i, type, references, n, values);
    }
}

static ib_status set2(ib_fmi_instance *i, ib_fmi_type type, const uint32_t *references, size_t n,
                      const void *values) {
    switch (type) {
    case IB_FMI_FLOAT64:
        return CALL2(SetReal, references, n, values);
    case IB_FMI_INT32:
        return CALL2(SetInteger, references, n, values);
    case IB_FMI_STRING:
        return CALL2(SetString, references, n, values);
    default:
        return set2_ints(i, type, references, n, values);
    }
}

/* ---- FMI 3 --------------------------------------------------------------------------------- */

#define CALL3(name, ...)                                                                           \
    (ib_fmi_before(i, "fmi3" #name),                                                               \
     i->library.f3.name                                                                            \
         ? ib_fmi_after(i, "fmi3" #name, (int)i->library.f3.name(i->component, __VA_ARGS__))       \
         : ib_fmi_after(i, "fmi3" #name " (missing)", IB_FMI_ERRED))

#define TYPES3(X)                                                                                  \
    X(FLOAT32, Float32)                                                                            \
    X(FLOAT64, Float64)                                                                            \
    X(INT8, Int8)                                                                                  \
    X(UINT8, UInt8)                                                                                \
    X(INT16, Int16)                                                                                \
    X(UINT16, UInt16)                                                                              \
    X(INT32, Int32)                                                                                \
    X(UINT32, UInt32)                                                                              \
    X(INT64, Int64)                                                                                \
    X(UINT64, UInt64)                                                                              \
    X(BOOLEAN, Boolean)                                                                            \
    X(STRING, String)                                                                              \
    X(ENUMERATION, Int64)

static ib_status get3(ib_fmi_instance *i, ib_fmi_type type, const uint32_t *references, size_t n,
                      void *values, size_t n_values) {
    switch (type) {
#define GET(key, name)                                                                             \
    case IB_FMI_##key:                                                                             \
        return CALL3(Get##name, references, n, values, n_values);
        TYPES3(GET)
#undef GET
    case IB_FMI_CLOCK:
        return CALL3(GetClock, references, n, values);
    default:
        return IB_INTERNAL;
    }
}

static ib_status set3(ib_fmi_instance *i, ib_fmi_type type, const uint32_t *references, size_t n,
                      const void *values, size_t n_values) {
    switch (type) {
#define SET(key, name)                                                                             \
    case IB_FMI_##key:                                                                             \
        return CALL3(Set##name, references, n, values, n_values);
        TYPES3(SET)
#undef SET
    case IB_FMI_CLOCK:
        return CALL3(SetClock, references, n, values);
    default:
        return IB_INTERNAL;
    }
}

ib_status ib_fmi_get_binary(ib_fmi_instance *i, const uint32_t *references, size_t n, size_t *sizes,
                            const uint8_t **values, size_t n_values) {
    return CALL3(GetBinary, references, n, sizes, (fmi3Binary *)values, n_values);
}

ib_status ib_fmi_set_binary(ib_fmi_instance *i, uint32_t reference, size_t n, const size_t *sizes,
                            const uint8_t *const *values) {
    return CALL3(SetBinary, &reference, 1, sizes, (const fmi3Binary *)values, n);
}

ib_status ib_fmi_get(ib_fmi_instance *instance, ib_fmi_type type, const uint32_t *references,
                     size_t n, void *values, size_t n_values) {
    if (!n)
        return IB_OK;
    return instance->description->version == 3
               ? get3(instance, type, references, n, values, n_values)
               : get2(instance, type, references, n, values);
}

ib_status ib_fmi_set(ib_fmi_instance *instance, ib_fmi_type type, const uint32_t *references,
                     size_t n, const void *values, size_t n_values) {
    if (!n)
        return IB_OK;
    return instance->description->version == 3
               ? set3(instance, type, references, n, values, n_values)
               : set2(instance, type, references, n, values);
}
