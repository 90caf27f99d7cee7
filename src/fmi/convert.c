/* Values of every type of numbers as doubles, and back. */
#include "fmi/instance.h"

/* Type of the enumeration, of C, least and largest value. */
#define WHOLE_TYPES(X)                                                                             \
    X(INT8, int8_t, -128.0, 127.0)                                                                 \
    X(UINT8, uint8_t, 0.0, 255.0)                                                                  \
    X(INT16, int16_t, -32768.0, 32767.0)                                                           \
    X(UINT16, uint16_t, 0.0, 65535.0)                                                              \
    X(INT32, int32_t, -2147483648.0, 2147483647.0)                                                 \
    X(UINT32, uint32_t, 0.0, 4294967295.0)                                                         \
    X(INT64, int64_t, -0x1p63, 0x1.fffffffffffffp62)                                               \
    X(UINT64, uint64_t, 0.0, 0x1.fffffffffffffp63)                                                 \
    X(ENUMERATION, int64_t, -0x1p63, 0x1.fffffffffffffp62)                                         \
    X(BOOLEAN, bool, 0.0, 1.0)                                                                     \
    X(CLOCK, bool, 0.0, 1.0)

static double to_double(ib_fmi_type type, const void *values, size_t k) {
    switch (type) {
    case IB_FMI_FLOAT64:
        return ((const double *)values)[k];
    case IB_FMI_FLOAT32:
        return (double)((const float *)values)[k];
#define GET(key, name, low, high)                                                                  \
    case IB_FMI_##key:                                                                             \
        return (double)((const name *)values)[k];
        WHOLE_TYPES(GET)
#undef GET
    default:
        return 0;
    }
}

static bool from_double(ib_fmi_type type, double number, void *values, size_t k) {
    switch (type) {
    case IB_FMI_FLOAT64:
        ((double *)values)[k] = number;
        return true;
    case IB_FMI_FLOAT32:
        ((float *)values)[k] = (float)number;
        return true;
#define SET(key, name, low, high)                                                                  \
    case IB_FMI_##key:                                                                             \
        if (!(number >= (low) && number <= (high)) || (double)(name)number != number)              \
            return false;                                                                          \
        ((name *)values)[k] = (name)number;                                                        \
        return true;
        WHOLE_TYPES(SET)
#undef SET
    default:
        return false;
    }
}

void ib_fmi_to_doubles(ib_fmi_type type, const void *values, size_t n, double *numbers) {
    for (size_t k = 0; k < n; k++)
        numbers[k] = to_double(type, values, k);
}

bool ib_fmi_from_doubles(ib_fmi_type type, const double *numbers, size_t n, void *values) {
    for (size_t k = 0; k < n; k++)
        if (!from_double(type, numbers[k], values, k))
            return false;
    return true;
}
