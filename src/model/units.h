/* units: dimensions of keys, and numbers with a unit such as "10 ms". Private to the model module.
 */
#ifndef IB_MODEL_UNITS_H
#define IB_MODEL_UNITS_H

#include "base/base.h"

/* Dimensions: IB_DIMENSION(name, what a value is, SI unit, exponents of kg, m, s, rad). */
typedef enum ib_dimension {
#define IB_DIMENSION(name, what, unit, kg, m, s, rad) IB_DIM_##name,
#include "model/units.def"
#undef IB_DIMENSION
    IB_DIM_COUNT
} ib_dimension;

/* "a length"; "m" ("" for plain numbers and for any dimension). */
const char *ib_dimension_what(ib_dimension dimension);
const char *ib_dimension_unit(ib_dimension dimension);

typedef enum ib_quantity_result {
    IB_QUANTITY_NONE, /* not of the form: number, space, unit */
    IB_QUANTITY_OK,
    IB_QUANTITY_UNKNOWN, /* no such unit; [*at, *at + *length) of the text is the bad symbol */
    IB_QUANTITY_WRONG,   /* a unit of another dimension */
    IB_QUANTITY_CLOSED,  /* no space before a unit that there is: "80cm" */
    IB_QUANTITY_RANGE    /* not finite in SI */
} ib_quantity_result;

/* Reads "10 ms" where a value of the dimension is wanted: *value in SI, correctly rounded where the
 * unit's factor is a ratio of exact numbers. `at` and `length` are the unit's bytes in the text. */
ib_quantity_result ib_quantity_read(const char *text, ib_dimension dimension, double *value,
                                    size_t *at, size_t *length);
/* What a unit measures ("a time"), or NULL when no dimension of ours has it. */
const char *ib_unit_what(const char *unit, size_t length);
/* The unit symbols one by one; NULL at the end. */
const char *ib_unit_symbol(size_t index);
/* The nearest unit symbol to a misspelt one, or NULL. */
const char *ib_unit_nearest(const char *symbol);

#endif
