/* mission_vehicle: what a mission says of its vehicles, but for their devices. */
#include "model/mission_internal.h"

#include <math.h> /* INFINITY only */
#include <string.h>

/* ---- the initial state ---- */

/* Turns about the axes of a sequence, one after the other. */
static void from_angles(const char *sequence, const double angles[3], double q[4]) {
    q[0] = 1, q[1] = q[2] = q[3] = 0;
    for (int i = 0; i < 3; i++) {
        double turn[4] = {ib_cos(angles[i] / 2), 0, 0, 0};
        turn[1 + sequence[i] - 'x'] = ib_sin(angles[i] / 2);
        ib_quat_mul(q, turn, q);
    }
}

static void read_euler(ib_mission_reader *m, ib_yaml *node, double q[4]) {
    ib_record r;
    ib_euler_spec euler = {.sequence = "zyx"};
    if (!ib_mission_open(m, IB_SECTION_euler, node, &r))
        return;
    ib_record_read(m->l, &r, &euler);
    if (ib_is_sequence(euler.sequence))
        from_angles(euler.sequence, euler.angles, q);
    else
        ib_report(m->l, IB0215, r.given[IB_KEY_euler_sequence],
                  "sequence: three of x, y and z are wanted here, no letter twice in a row");
}

static void read_quaternion(ib_mission_reader *m, ib_yaml *node, double q[4]) {
    double read[4];
    if (!ib_read_numbers(m->l, "quaternion", node, IB_DIM_NUMBER, 4, read))
        return;
    const double size =
        sqrt(read[0] * read[0] + read[1] * read[1] + read[2] * read[2] + read[3] * read[3]);
    if (!(size > 0.999 && size < 1.001)) {
        ib_report(m->l, IB0603, node, "quaternion: its length is %.6g, not 1", size);
        return;
    }
    memcpy(q, read, sizeof read);
    ib_quat_normalize(q);
}

static void check_geodetic(ib_mission_reader *m, ib_record *r, ib_initial_spec *initial) {
    const ib_key keys[] = {IB_KEY_initial_latitude, IB_KEY_initial_longitude,
                           IB_KEY_initial_altitude};
    for (size_t i = 0; i < IB_COUNT(keys); i++) {
        initial->geodetic = initial->geodetic || r->given[keys[i]];
        ib_record_exclude(m->l, r, IB_KEY_initial_position, keys[i],
                          "a place is a position or latitude, longitude and altitude");
    }
    if (!initial->geodetic)
        return;
    for (size_t i = 0; i < 2; i++)
        if (!r->given[keys[i]])
            ib_record_need(m->l, r, ib_keys[keys[i]].name);
}

static void read_initial(ib_mission_reader *m, ib_yaml *node, ib_initial_spec *initial) {
    ib_record r;
    initial->attitude[0] = 1;
    initial->velocity_relative_to = initial->rates_relative_to = -1;
    if (!node || !ib_mission_open(m, IB_SECTION_initial, node, &r))
        return;
    initial->place = ib_node_place(m->l, node);
    ib_record_read(m->l, &r, initial);
    check_geodetic(m, &r, initial);
    ib_record_exclude(m->l, &r, IB_KEY_initial_euler, IB_KEY_initial_quaternion,
                      "both give the attitude");
    if (r.given[IB_KEY_initial_euler])
        read_euler(m, r.given[IB_KEY_initial_euler], initial->attitude);
    else if (r.given[IB_KEY_initial_quaternion])
        read_quaternion(m, r.given[IB_KEY_initial_quaternion], initial->attitude);
}

/* What is said is relative to the ground, but in the inertial frame. */
static void settle_initial(ib_initial_spec *initial) {
    const int usual = initial->frame == IB_INITIAL_ECI;
    if (initial->velocity_relative_to < 0)
        initial->velocity_relative_to = usual;
    if (initial->rates_relative_to < 0)
        initial->rates_relative_to = usual;
}

/* ---- bus, faults, signals, separations ---- */

static void read_bus(ib_mission_reader *m, ib_yaml *node, ib_vehicle_spec *vehicle) {
    ib_record r;
    vehicle->bus_capacity = 256;
    if (!node || !ib_mission_open(m, IB_SECTION_bus, node, &r))
        return;
    ib_record_read(m->l, &r, vehicle);
    vehicle->bus_place = ib_mission_place(m, &r, IB_KEY_bus_capacity);
    ib_yaml *topics = r.given[IB_KEY_bus_topics];
    ib_topic_spec *list =
        ib_mission_entries(m, "topics", topics, true, sizeof *list, &vehicle->n_topics);
    vehicle->topics = list;
    for (size_t i = 0; i < vehicle->n_topics; i++) {
        list[i].name = topics->entries[i].key->text;
        list[i].place = ib_node_place(m->l, topics->entries[i].key);
        if (ib_record_open(m->l, IB_SECTION_topic, topics->entries[i].key, topics->entries[i].value,
                           &r))
            ib_record_read(m->l, &r, &list[i]);
    }
}

static void read_faults(ib_mission_reader *m, ib_yaml *node, ib_vehicle_spec *vehicle) {
    ib_record r;
    ib_fault_spec *list =
        ib_mission_entries(m, "faults", node, false, sizeof *list, &vehicle->n_faults);
    vehicle->faults = list;
    for (size_t i = 0; i < vehicle->n_faults; i++) {
        list[i] = (ib_fault_spec){
            .device = "", .until = (double)INFINITY, .place = ib_node_place(m->l, node->items[i])};
        if (!ib_mission_open(m, IB_SECTION_fault, node->items[i], &r))
            continue;
        ib_record_read(m->l, &r, &list[i]);
        list[i].part %= 2; /* accelerometer, gyro, place, speed */
        list[i].device_place = ib_mission_place(m, &r, IB_KEY_fault_device);
    }
}

static void read_signals(ib_mission_reader *m, ib_yaml *node, ib_vehicle_spec *vehicle) {
    if (node && node->kind != IB_YAML_MAP)
        ib_report_kind(m->l, "signals", node, "a map from: to");
    if (!node || node->kind != IB_YAML_MAP)
        return;
    ib_signal_spec *list = IB_ARENA_ARRAY(m->l->arena, node->n + 1, ib_signal_spec);
    m->l->no_memory = m->l->no_memory || !list;
    vehicle->signals = list;
    for (size_t i = 0; list && i < node->n; i++) {
        const ib_yaml_entry *entry = &node->entries[i];
        list[i].from = entry->key->text;
        list[i].from_place = ib_node_place(m->l, entry->key);
        list[i].to_place = ib_node_place(m->l, entry->value);
        if (ib_read_text(m->l, "signals", entry->value, &list[i].to))
            vehicle->n_signals = i + 1;
    }
}

static void read_separations(ib_mission_reader *m, ib_yaml *node, ib_vehicle_spec *vehicle) {
    ib_record r;
    ib_separation_spec *list =
        ib_mission_entries(m, "separations", node, true, sizeof *list, &vehicle->n_separations);
    vehicle->separations = list;
    for (size_t i = 0; i < vehicle->n_separations; i++) {
        const ib_yaml_entry *entry = &node->entries[i];
        list[i] = (ib_separation_spec){.name = entry->key->text,
                                       .as = "",
                                       .along = {1, 0, 0},
                                       .place = ib_node_place(m->l, entry->key)};
        if (!ib_record_open(m->l, IB_SECTION_separation, entry->key, entry->value, &r))
            continue;
        ib_record_read(m->l, &r, &list[i]);
        ib_mission_texts(m, "release", r.given[IB_KEY_separation_release], &list[i].release,
                         &list[i].n_release);
        ib_mission_texts(m, "devices", r.given[IB_KEY_separation_devices], &list[i].devices,
                         &list[i].n_devices);
        list[i].has_at = r.given[IB_KEY_separation_at] != NULL;
        list[i].as_place = ib_mission_place(m, &r, IB_KEY_separation_as);
        list[i].release_place = ib_mission_place(m, &r, IB_KEY_separation_release);
        list[i].devices_place = ib_mission_place(m, &r, IB_KEY_separation_devices);
        if (r.given[IB_KEY_separation_as])
            ib_check_name(m->l, r.given[IB_KEY_separation_as], list[i].as);
    }
}

/* ---- all of it ---- */

static void read_vehicle(ib_mission_reader *m, const ib_yaml_entry *entry,
                         ib_vehicle_spec *vehicle) {
    ib_record r;
    *vehicle = (ib_vehicle_spec){.name = entry->key->text,
                                 .plant = "",
                                 .stage = "",
                                 .bus_capacity = 256,
                                 .place = ib_node_place(m->l, entry->key)};
    read_initial(m, NULL, &vehicle->initial);
    if (ib_record_open(m->l, IB_SECTION_vehicle, entry->key, entry->value, &r)) {
        ib_record_read(m->l, &r, vehicle);
        vehicle->plant_place = ib_mission_place(m, &r, IB_KEY_vehicle_plant);
        vehicle->computer_place = ib_mission_place(m, &r, IB_KEY_vehicle_flight_computer);
        vehicle->bus_place = vehicle->place;
        read_initial(m, r.given[IB_KEY_vehicle_initial], &vehicle->initial);
        ib_mission_devices(m, r.given[IB_KEY_vehicle_devices], vehicle);
        read_faults(m, r.given[IB_KEY_vehicle_faults], vehicle);
        read_signals(m, r.given[IB_KEY_vehicle_signals], vehicle);
        read_bus(m, r.given[IB_KEY_vehicle_bus], vehicle);
        read_separations(m, r.given[IB_KEY_vehicle_separations], vehicle);
    }
    settle_initial(&vehicle->initial);
}

void ib_mission_vehicles(ib_mission_reader *m, ib_yaml *node) {
    ib_vehicle_spec *list =
        ib_mission_entries(m, "vehicles", node, true, sizeof *list, &m->mission->n_vehicles);
    m->mission->vehicles = list;
    for (size_t i = 0; i < m->mission->n_vehicles; i++)
        read_vehicle(m, &node->entries[i], &list[i]);
    if (node && node->kind == IB_YAML_MAP && node->n == 0)
        ib_report(m->l, IB0211, node, "a mission needs at least one vehicle");
}
