/* schema: the table of schema.def, mission.def and network.def as arrays, and looking things up in
 * it. */
#include "model/schema.h"

#include <string.h>

#define IB_ALL UINT32_MAX

/* The struct that a section's keys are read into. */
typedef ib_top_spec target_top;
typedef ib_include_spec target_include;
typedef ib_input target_input;
typedef ib_frame_spec target_frame;
typedef ib_body target_body;
typedef ib_crossing target_crossing;
typedef ib_propellant target_propellant;
typedef ib_propellant target_tank;
typedef ib_joint target_joint;
typedef ib_joint_friction target_friction;
typedef ib_force target_force;
typedef ib_measure target_measure;
typedef ib_spline_spec target_spline;
typedef ib_table_spec target_table;
typedef ib_driver target_driver;
typedef ib_output target_output;
typedef ib_sensor target_sensor;
typedef ib_simulation target_simulation;
typedef ib_mission target_mission;
typedef ib_mission target_span;
typedef ib_mission target_rates;
typedef ib_mission target_parallel;
typedef ib_environment_spec target_environment;
typedef ib_earth_spec target_earth;
typedef ib_wind_spec target_wind;
typedef ib_level_spec target_level;
typedef ib_gust_spec target_gust;
typedef ib_turbulence_spec target_turbulence;
typedef ib_launch_spec target_launch;
typedef ib_plant_spec target_plant;
typedef ib_computer_spec target_computer;
typedef ib_process_spec target_process;
typedef ib_vehicle_spec target_vehicle;
typedef ib_initial_spec target_initial;
typedef ib_euler_spec target_euler;
typedef ib_vehicle_spec target_bus;
typedef ib_topic_spec target_topic;
typedef ib_device_spec target_device;
typedef ib_rotor_spec target_rotor;
typedef ib_step_spec target_step;
typedef ib_fault_spec target_fault;
typedef ib_separation_spec target_separation;
typedef ib_event_spec target_event;
typedef ib_do_spec target_action;
typedef ib_action_spec target_transition;
typedef ib_action_spec target_separate;
typedef ib_action_spec target_engine;
typedef ib_action_spec target_set;
typedef ib_network_spec target_network;
typedef ib_network_spec target_horizon;
typedef ib_network_spec target_coupling;
typedef ib_component_spec target_component;

const ib_section_def ib_sections[IB_SECTION_COUNT] = {
#define IB_SECTION(section, one, many, meaning) {#section, one, many, meaning},
#include "model/schema.def"
};

const ib_key_def ib_keys[IB_KEY_COUNT] = {
#define IB_KEY(section, key, types, required, kind, dimension, fallback, values, field, meaning)   \
    {IB_SECTION_##section,                                                                         \
     #key,                                                                                         \
     types,                                                                                        \
     required,                                                                                     \
     IB_KIND_##kind,                                                                               \
     IB_DIM_##dimension,                                                                           \
     fallback,                                                                                     \
     values,                                                                                       \
     offsetof(target_##section, field),                                                            \
     meaning},
#define IB_KEY_HAND(section, key, types, required, kind, dimension, fallback, values, meaning)     \
    {IB_SECTION_##section, #key,     types,  required,   IB_KIND_##kind,                           \
     IB_DIM_##dimension,   fallback, values, IB_NOWHERE, meaning},
#include "model/schema.def"
};

const ib_type_def ib_types[] = {
#define IB_TYPE(section, name, value, meaning)                                                     \
    {IB_SECTION_##section, #name, (int)(value), false, meaning},
#define IB_TYPE_LATER(section, name) {IB_SECTION_##section, #name, -1, true, ""},
#include "model/schema.def"
};
const size_t ib_type_count = IB_COUNT(ib_types);

const ib_later_def ib_later_keys[] = {
#define IB_KEY_LATER(section, key, meaning) {IB_SECTION_##section, #key, meaning},
#include "model/schema.def"
};
const size_t ib_later_key_count = IB_COUNT(ib_later_keys);

static const char *const kind_texts[] = {
#define IB_KIND_TEXT(name, text) text,
    IB_KIND_LIST(IB_KIND_TEXT)
#undef IB_KIND_TEXT
};

const char *ib_kind_text(ib_kind kind) { return kind_texts[kind]; }

ib_key ib_key_find(ib_section section, const char *name) {
    for (size_t i = 0; i < IB_KEY_COUNT; i++) {
        if (ib_keys[i].section == section && strcmp(ib_keys[i].name, name) == 0)
            return (ib_key)i;
    }
    return IB_KEY_COUNT;
}

const ib_type_def *ib_type_find(ib_section section, const char *name) {
    for (size_t i = 0; i < ib_type_count; i++) {
        if (ib_types[i].section == section && strcmp(ib_types[i].name, name) == 0)
            return &ib_types[i];
    }
    return NULL;
}

const ib_later_def *ib_later_find(ib_section section, const char *name) {
    for (size_t i = 0; i < ib_later_key_count; i++) {
        if (ib_later_keys[i].section == section && strcmp(ib_later_keys[i].name, name) == 0)
            return &ib_later_keys[i];
    }
    return NULL;
}

ib_file_kind ib_section_file(ib_section section) {
    return section < IB_SECTION_mission   ? IB_FILE_MODEL
           : section < IB_SECTION_network ? IB_FILE_MISSION
                                          : IB_FILE_NETWORK;
}

ib_section ib_section_named(const char *id) {
    int section = 0;
    while (section < IB_SECTION_COUNT && strcmp(ib_sections[section].id, id) != 0)
        section++;
    return (ib_section)section;
}

bool ib_section_has_types(ib_section section) {
    for (size_t i = 0; i < ib_type_count; i++) {
        if (ib_types[i].section == section)
            return true;
    }
    return false;
}

bool ib_choice_next(const char **values, const char **word, size_t *length, bool *later) {
    const char *at = *values;
    while (*at == ' ')
        at++;
    *later = *at == '?';
    at += *later;
    *word = at;
    *length = strcspn(at, " ");
    *values = at + *length;
    return *length > 0;
}
