/* mission_device: the avionics of a vehicle. A device has keys of the table and parameters of its
 * type, which the reader asks its caller about; nested ones may be written as maps.
 */
#include "model/mission_internal.h"

#include <math.h> /* NAN only */
#include <string.h>

/* What is being read. */
typedef struct device_reader {
    ib_mission_reader *m;
    ib_device_spec *device;
    ib_device_value *values;
    ib_yaml_entry *keys; /* entries that are keys of the table */
    size_t n_keys, n_values, capacity;
} device_reader;

/* ---- parameters ---- */

/* The first words of parameters with a point: `gyro` of `gyro.noise`. */
static size_t add_groups(device_reader *d, const char **names, size_t n) {
    const char *name, *last = "";
    for (size_t i = 0; i < 64 && (name = d->m->devices->name(d->device->type, i)) != NULL; i++) {
        const size_t length = strcspn(name, ".");
        if (name[length] == '\0' || (strncmp(name, last, length) == 0 && last[length] == '\0'))
            continue;
        last = ib_arena_strndup(d->m->l->arena, name, length);
        if (!last)
            return n;
        names[n++] = last;
    }
    return n;
}

/* Suggests the nearest of keys and parameters. */
static void suggest(device_reader *d, const char *wanted) {
    const char *names[IB_KEY_COUNT + 128];
    size_t n = 0;
    const char *name;
    for (size_t i = 0; i < IB_KEY_COUNT; i++)
        if (ib_keys[i].section == IB_SECTION_device && (ib_keys[i].types >> d->device->type & 1))
            names[n++] = ib_keys[i].name;
    for (size_t i = 0; i < 64 && (name = d->m->devices->name(d->device->type, i)) != NULL; i++)
        names[n++] = name;
    if (!strchr(wanted, '.'))
        n = add_groups(d, names, n);
    ib_suggest_name(d->m->l, wanted, names, n);
}

/* True when parameters begin with that name and a point. */
static bool is_group(const device_reader *d, const char *name) {
    const size_t length = strlen(name);
    const char *other;
    for (size_t i = 0; (other = d->m->devices->name(d->device->type, i)) != NULL; i++)
        if (strncmp(other, name, length) == 0 && other[length] == '.')
            return true;
    return false;
}

static void add_value(device_reader *d, const char *name, ib_yaml *node, int n) {
    ib_loader *l = d->m->l;
    ib_device_value *value = &d->values[d->n_values];
    *value = (ib_device_value){.name = name, .n = n, .place = ib_node_place(l, node)};
    const bool good = n == 1 ? ib_read_number(l, name, node, IB_DIM_ANY, value->value)
                             : ib_read_numbers(l, name, node, IB_DIM_ANY, (size_t)n, value->value);
    d->n_values += good;
}

static void read_group(device_reader *d, const char *group, ib_yaml *map);

static void read_parameter(device_reader *d, const char *group, const ib_yaml_entry *entry) {
    ib_loader *l = d->m->l;
    const char *name = entry->key->text;
    if (group)
        name = ib_arena_printf(l->arena, "%s.%s", group, entry->key->text);
    l->no_memory = l->no_memory || !name;
    const int n = name ? d->m->devices->count(d->device->type, name) : 0;
    if (n > 0 && d->n_values < d->capacity)
        add_value(d, name, entry->value, n);
    else if (name && !group && is_group(d, name))
        read_group(d, name, entry->value);
    else if (name &&
             ib_report(l, IB0210, entry->key, "device '%s' has no key '%s'", d->device->name, name))
        suggest(d, name);
}

static void read_group(device_reader *d, const char *group, ib_yaml *map) {
    if (map->kind != IB_YAML_MAP) {
        ib_report_kind(d->m->l, group, map, "a map");
        return;
    }
    for (size_t i = 0; i < map->n; i++)
        read_parameter(d, group, &map->entries[i]);
}

/* ---- the sequence of an interlock unit ---- */

static void read_sequence(ib_mission_reader *m, ib_yaml *node, ib_device_spec *device) {
    ib_record r;
    ib_step_spec *list =
        ib_mission_entries(m, "sequence", node, false, sizeof *list, &device->n_steps);
    device->steps = list;
    for (size_t i = 0; i < device->n_steps; i++) {
        list[i].place = ib_node_place(m->l, node->items[i]);
        if (!ib_mission_open(m, IB_SECTION_step, node->items[i], &r))
            continue;
        ib_record_read(m->l, &r, &list[i]);
        ib_mission_texts(m, "bolts", r.given[IB_KEY_step_bolts], &list[i].bolts, &list[i].n_bolts);
        list[i].after_place = ib_mission_place(m, &r, IB_KEY_step_after);
        list[i].payload_place = ib_mission_place(m, &r, IB_KEY_step_payload);
    }
    if (device->n_steps > 32)
        ib_report(m->l, IB0224, node, "sequence: at most 32 steps are kept, these are %zu",
                  device->n_steps);
}

/* ---- rotors ---- */

static void read_rotors(ib_mission_reader *m, ib_yaml *node, ib_device_spec *device) {
    ib_record r;
    ib_rotor_spec *list =
        ib_mission_entries(m, "rotors", node, false, sizeof *list, &device->n_rotors);
    device->rotors = list;
    for (size_t i = 0; i < device->n_rotors; i++) {
        list[i] = (ib_rotor_spec){.along = {0, 0, 1}, .spin = 1};
        if (ib_mission_open(m, IB_SECTION_rotor, node->items[i], &r))
            ib_record_read(m->l, &r, &list[i]);
    }
}

/* ---- a device ---- */

/* Parts its entries into keys and parameters. */
static void sort(device_reader *d, const ib_yaml *map) {
    for (size_t i = 0; i < map->n; i++) {
        const ib_yaml_entry *entry = &map->entries[i];
        if (ib_key_find(IB_SECTION_device, entry->key->text) != IB_KEY_COUNT ||
            ib_later_find(IB_SECTION_device, entry->key->text))
            d->keys[d->n_keys++] = *entry;
        else
            read_parameter(d, NULL, entry);
    }
}

static size_t count_leaves(const ib_yaml *map) {
    size_t n = map->n;
    for (size_t i = 0; i < map->n; i++)
        n += map->entries[i].value->n;
    return n;
}

static void read_device(ib_mission_reader *m, const ib_yaml_entry *entry, ib_device_spec *device) {
    ib_loader *l = m->l;
    ib_record r;
    *device = (ib_device_spec){.name = entry->key->text,
                               .along = {1, 0, 0},
                               .start = (double)NAN,
                               .place = ib_node_place(l, entry->key)};
    ib_yaml *map = entry->value, keys;
    const ib_yaml *type = map->kind == IB_YAML_MAP ? ib_yaml_get(map, "type") : NULL;
    const ib_type_def *known =
        type && type->kind == IB_YAML_SCALAR ? ib_type_find(IB_SECTION_device, type->text) : NULL;
    if (!known) { /* says what is wrong */
        ib_record_open(l, IB_SECTION_device, entry->key, map, &r);
        return;
    }
    device->type = (ib_device_type)known->value;
    device_reader d = {.m = m, .device = device, .capacity = count_leaves(map)};
    d.values = IB_ARENA_ARRAY(l->arena, d.capacity + 1, ib_device_value);
    d.keys = IB_ARENA_ARRAY(l->arena, map->n + 1, ib_yaml_entry);
    l->no_memory = l->no_memory || !d.values || !d.keys;
    if (l->no_memory)
        return;
    sort(&d, map);
    device->values = d.values;
    device->n_values = d.n_values;
    keys = *map;
    keys.entries = d.keys;
    keys.n = d.n_keys;
    if (!ib_record_open(l, IB_SECTION_device, entry->key, &keys, &r))
        return;
    ib_record_read(l, &r, device);
    device->body_place = ib_mission_place(m, &r, IB_KEY_device_body);
    device->epoch_place = ib_mission_place(m, &r, IB_KEY_device_epoch);
    device->phase_place = ib_mission_place(m, &r, IB_KEY_device_phase);
    device->gimbal_place = ib_mission_place(m, &r, IB_KEY_device_gimbal);
    ib_mission_texts(m, "gimbal", r.given[IB_KEY_device_gimbal], &device->gimbal,
                     &device->n_gimbal);
    if (device->n_gimbal != 0 && device->n_gimbal != 2)
        ib_report(m->l, IB0224, r.given[IB_KEY_device_gimbal],
                  "gimbal: two servos are wanted here, these are %zu", device->n_gimbal);
    read_rotors(m, r.given[IB_KEY_device_rotors], device);
    read_sequence(m, r.given[IB_KEY_device_sequence], device);
}

void ib_mission_devices(ib_mission_reader *m, ib_yaml *node, ib_vehicle_spec *vehicle) {
    ib_device_spec *list =
        ib_mission_entries(m, "devices", node, true, sizeof *list, &vehicle->n_devices);
    vehicle->devices = list;
    for (size_t i = 0; i < vehicle->n_devices; i++)
        read_device(m, &node->entries[i], &list[i]);
}
