/* network: plants that are coupled to each other. The one header that siblings include. */
#ifndef IB_NETWORK_INTERNAL_H
#define IB_NETWORK_INTERNAL_H

#include "ironbird/network.h"
#include "plant/plant.h"

/* A plant with what it stands on. */
typedef struct ib_component {
    const char *name;
    ib_place place;
    ib_plant plant;
    ib_model *model; /* or */
    ib_fmu *fmu;
    const ib_variable *variables; /* [n] */
    size_t n, widest;             /* widest: the most elements of a variable */
    double **inputs;              /* [n]: what an input holds, [size]; NULL for what is none */
    bool **connected;             /* [n]: which of its elements */
    double **courses;             /* [n]: of connected inputs, [3][size]; else NULL */
} ib_component;

/* An output, or an element of it, that sets an input: in = factor * out + offset. */
typedef struct ib_link {
    const char *text; /* as written */
    ib_place place;
    size_t from, to; /* components */
    ib_handle output, input;
    size_t output_at, input_at, size; /* elements */
    double factor, offset;
    double *held; /* [size]: of the input */
    bool changed; /* by the last sweep */
} ib_link;

/* Two connections that carry power: the first component's output and the second's, each of which
 * sets an input of the other. */
typedef struct ib_bond {
    const char *name;
    const ib_link *there, *back; /* from the first to the second, and from that to the first */
    size_t there_at, back_at;    /* elements of the links */
} ib_bond;

typedef struct ib_network_channel_entry {
    ib_channel_info info;
    size_t component, element; /* component SIZE_MAX: a bond, which is `element` */
    ib_handle variable;
    bool recorded;
} ib_network_channel_entry;

/* The connected values at past communication points, newest first. */
enum { IB_MOST_PAST = 2 };
typedef struct ib_past {
    double *values; /* [IB_MOST_PAST][n_elements] */
    ib_time times[IB_MOST_PAST];
    size_t n;
    double *ahead; /* [n_elements]: at the end of a step that is taken again */
    bool again;    /* such a step is being taken */
} ib_past;

/* Steps chosen by their error. */
typedef struct ib_control {
    double scale; /* the tolerance; 0: all steps are of the same length */
    ib_time step; /* to be tried next */
    ib_time last, smallest;
    void **states;        /* [n_components]: malloc'ed, what a step began with */
    size_t *sizes, *room; /* [n_components] */
    double *inputs;       /* [n_elements]: likewise */
    double *energies;     /* [n_bonds]: likewise */
    double *past;         /* [IB_MOST_PAST][n_elements]: likewise */
    ib_time past_times[IB_MOST_PAST];
    size_t n_past;
    double *whole; /* [n_elements]: inputs after one whole step */
    uint64_t rejections;
} ib_control;

struct ib_network {
    ib_arena *arena;
    ib_network_spec *spec;
    ib_component *components;                 /* [n_components] */
    ib_link *links;                           /* [n_links] */
    size_t *order;                            /* [n_components] */
    size_t n_components, n_links, n_elements; /* n_elements: of all links */
    ib_network_channel_entry *channels;
    size_t n_channels;
    double *scratch; /* [widest variable] */
    double *loop;    /* room of the loop solver */
    size_t *rows;
    bool *done;                 /* [n_components]: has taken its step */
    const ib_component *active; /* called last */
    ib_time time, output_step;
    ib_bond *bonds;   /* [n_bonds] */
    double *energies; /* [n_bonds]: residuals, in what the first component's units make */
    size_t n_bonds;
    ib_past past;
    ib_control control;
    uint64_t steps, iterations;
};

/* ---- load.c, wire.c ---- */

/* What a name is in a component; *element SIZE_MAX: the whole. -1 after a complaint. */
ib_handle ib_component_find(const ib_component *component, const char *name, size_t *element);
/* One end of a connection: `size` elements from `at` on. */
typedef struct ib_end {
    size_t component;
    ib_handle variable;
    size_t at, size;
} ib_end;
/* Reads "component.variable", or an element of it. False after a complaint. */
bool ib_network_end_of(const ib_network *network, const char *text, size_t length, ib_place place,
                       ib_diags *diags, ib_end *end);
/* Reads the connections. False after complaints. */
bool ib_network_wire(ib_network *network, ib_diags *diags);
/* The order of the components. False after complaints. */
bool ib_network_sort(ib_network *network, ib_diags *diags);

/* ---- exchange.c ---- */

/* The present values of a link's output, as the input takes them. */
ib_status ib_link_read(ib_network *network, const ib_link *link, double *values, ib_diags *diags);
/* Sets a link's input. */
ib_status ib_link_write(ib_network *network, const ib_link *link, const double *values,
                        ib_diags *diags);
/* Brings all outputs and inputs to agreement at the present time. */
ib_status ib_network_exchange(ib_network *network, ib_diags *diags);

/* ---- course.c ---- */

/* Makes room for what connected values were. */
ib_status ib_past_create(ib_network *network, ib_diags *diags);
/* Notes the connected values of the present time, before a step leaves it. */
void ib_past_push(ib_network *network);
/* Lets a component's connected inputs go on until `to`, or ends that. `done` tells which components
 * are at `to` already; NULL: none counts. */
ib_status ib_course_begin(ib_network *network, size_t component, ib_time to, const bool *done,
                          ib_diags *diags);
ib_status ib_course_end(ib_network *network, size_t component, ib_diags *diags);

/* The value that an element of a link's input has come to at the end of a step to `to`. */
double ib_course_value(const ib_network *network, const ib_link *link, size_t element, ib_time to);

/* ---- bond.c ---- */

/* Reads the bonds, once the connections are known. */
ib_status ib_bonds_create(ib_network *network, ib_diags *diags);
/* Adds what a step to `to` has made, before its outputs become inputs. */
ib_status ib_bonds_count(ib_network *network, ib_time to, ib_diags *diags);

/* ---- couple.c, control.c ---- */

/* One step of every component, and agreement at its end. */
ib_status ib_network_advance(ib_network *network, ib_time to, ib_diags *diags);
/* As many steps as the tolerance asks for. */
ib_status ib_network_controlled(ib_network *network, ib_time to, ib_diags *diags);
/* Makes room for going back; refuses components that cannot. */
ib_status ib_control_create(ib_network *network, ib_diags *diags);
void ib_control_destroy(ib_network *network);
/* Whether all components can go back, and there is room for it. */
bool ib_control_can(const ib_network *network);
/* Keeps the present state; goes back to it, which is of `time`. */
ib_status ib_control_keep(ib_network *network, ib_diags *diags);
ib_status ib_control_back(ib_network *network, ib_time time, ib_diags *diags);

/* ---- loop.c ---- */

/* Solves the links that are marked as changed, which depend on each other. */
ib_status ib_loop_solve(ib_network *network, ib_diags *diags);
size_t ib_loop_room(size_t n_elements); /* doubles */

#endif
