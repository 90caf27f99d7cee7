/* Inside of the mission reader: what its files share. */
#ifndef IB_MISSION_INTERNAL_H
#define IB_MISSION_INTERNAL_H

#include "model/model_internal.h"

typedef struct ib_mission_reader {
    ib_loader *l;
    ib_mission *mission;
    const ib_device_names *devices;
} ib_mission_reader;

/* ---- mission_value.c: forms that many sections share ---- */

/* Opens the map under a key of RECORD. */
bool ib_mission_open(ib_mission_reader *m, ib_section section, ib_yaml *node, ib_record *record);
/* An array for the entries of RECORDS (names checked) or LIST; NULL when there are none or the
 * value is of another kind, which is reported. */
void *ib_mission_entries(ib_mission_reader *m, const char *key, ib_yaml *node, bool named,
                         size_t item, size_t *n);
/* A text or a list of texts. */
void ib_mission_texts(ib_mission_reader *m, const char *key, ib_yaml *node, const char ***texts,
                      size_t *n);
/* Place of what stands under a key, or of the record. */
ib_place ib_mission_place(ib_mission_reader *m, const ib_record *record, ib_key key);
/* A map of numbers and texts. */
const ib_override *ib_mission_passed(ib_mission_reader *m, const char *key, ib_yaml *node,
                                     size_t *n);

/* ---- tree_set.c: values from outside ---- */

/* What names of values mean in a kind of file. */
typedef struct ib_set_language {
    const char *what; /* "mission" */
    ib_section root;
    struct {
        const char *map, *part; /* NAME.X is short for map.NAME.part.X */
    } shorts[2];
    size_t n_shorts;
    const char *longer; /* a map whose names are no short ones, or NULL */
    const char *names;  /* for suggestions: what there is */
} ib_set_language;

/* Puts them into the file's tree, before it is read. */
void ib_tree_set(ib_mission_reader *m, const ib_set_language *language,
                 const ib_override *overrides, size_t n);

/* ---- the sections ---- */

void ib_mission_environment(ib_mission_reader *m, ib_record *top);
void ib_mission_vehicles(ib_mission_reader *m, ib_yaml *node);
void ib_mission_devices(ib_mission_reader *m, ib_yaml *node, ib_vehicle_spec *vehicle);
void ib_mission_events(ib_mission_reader *m, ib_yaml *node);

#endif
