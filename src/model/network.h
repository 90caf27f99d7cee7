/* network: what a network file says, read and checked for form; every number in SI. What the names
 * mean is src/network's to find out, which has the places to complain at.
 */
#ifndef IB_MODEL_NETWORK_H
#define IB_MODEL_NETWORK_H

#include "model/mission.h"

typedef enum ib_component_kind { IB_COMPONENT_CS, IB_COMPONENT_ME } ib_component_kind;

typedef struct ib_component_spec {
    const char *name, *fmu, *model; /* one of the two files is NULL */
    const ib_override *parameters;  /* [n_parameters] */
    const ib_override *starts;      /* [n_starts]: inputs */
    size_t n_parameters, n_starts;
    int kind, solver; /* of FMUs: ib_component_kind, 0 dopri5, 1 stiff */
    bool chosen;      /* kind is given */
    double tolerance; /* 0: the FMU's own */
    ib_place place, file_place, parameters_place, starts_place;
} ib_component_spec;

typedef enum ib_coupling { IB_COUPLING_JACOBI, IB_COUPLING_GAUSS_SEIDEL } ib_coupling;

typedef struct ib_network_spec {
    ib_model *scratch; /* owns the memory */
    const char *file, *name;
    ib_time end, output_step; /* output_step 0: absent */
    const ib_component_spec *components;
    const ib_word *connections; /* as written */
    const ib_override *bonds;   /* [n_bonds]: names and `a.x * b.y` */
    const ib_word *order;       /* names; none: derived */
    const char **record;        /* patterns; none: inputs and outputs */
    size_t n_components, n_connections, n_bonds, n_order, n_record;
    int method; /* ib_coupling */
    ib_time step;
    double tolerance;  /* 0: none */
    int extrapolation; /* order: 0 to 2 */
    ib_place bonds_place, output_place, order_place, record_place, tolerance_place;
} ib_network_spec;

/* Reads a network. All errors of the file are reported in one go; *network is NULL unless IB_OK is
 * returned. */
ib_status ib_network_spec_load(const char *path, const ib_override *overrides, size_t n_overrides,
                               ib_diags *diags, ib_network_spec **network);
void ib_network_spec_destroy(ib_network_spec *network);

/* The network's part of the schema. */
ib_status ib_network_schema_json(ib_str *text);
ib_status ib_network_schema_markdown(ib_str *text);

/* value in SI = factor * value, of a unit in the notation of models; exponents of kg, m, s, rad.
 * False for what is no unit of theirs. "1" is a unit, "" is none. */
bool ib_unit_of(const char *unit, int exponents[4], double *factor);

#endif
