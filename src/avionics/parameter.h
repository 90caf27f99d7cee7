/* Parameters of devices: one table a kind gives defaults, checks and documentation. */
#ifndef IB_AVIONICS_PARAMETER_H
#define IB_AVIONICS_PARAMETER_H

#include "base/base.h"

/* A parameter of `count` doubles at `offset` in a description. */
typedef struct ib_device_parameter {
    const char *name;
    size_t offset;
    int count;
    const char *unit; /* "" for a plain number */
    double initial, low, high;
    const char *text; /* one line without a full stop */
} ib_device_parameter;

typedef struct ib_parameter_table {
    const char *device; /* the type's name in a mission */
    const char *text;   /* what the device is, one line */
    const ib_device_parameter *parameters;
    size_t n;
    const char *below, *above; /* two keys of which the first lies below the second, or NULL */
} ib_parameter_table;

/* The table of a device's type, or NULL; by place for i = 0, 1, ... until NULL. */
const ib_parameter_table *ib_parameters_of(const char *device);
const ib_parameter_table *ib_parameters_at(size_t i);

/* Sets every parameter to its initial value. */
void ib_parameters_default(const ib_parameter_table *table, void *spec);
/* Every value within its bounds: else IB_BAD_INPUT with a diagnostic for each, named as NAME.key,
 * at places[i] for parameter i of the table; places may be NULL. */
ib_status ib_parameters_check(const ib_parameter_table *table, const void *spec, const char *name,
                              ib_diags *diags, const ib_place *places);
/* The reference of all devices as Markdown. */
void ib_parameters_markdown(ib_str *out);

#endif
