/* An FMU becomes the plant of a vehicle: opened, its variables found, wired to sensors and
 * commands.
 */
#include "world/foreign.h"
#include "world/world_internal.h"

#include <stdio.h>
#include <string.h>

#define DEGREE (3.14159265358979323846 / 180)

/* ---- facts ---- */

/* What tells a fact by itself, and of which sensor it is a signal. */
static const struct {
    const char *usual, *signal;
    ib_device_type unit;
    int n;
} facts[] = {
    [IB_FACT_FORCE] = {"accel", "specific_force", IB_DEVICE_IMU, 3},
    [IB_FACT_RATE] = {"gyro", "rate", IB_DEVICE_IMU, 3},
    [IB_FACT_PLACE] = {"gps", "place", IB_DEVICE_GPS, 3},
    [IB_FACT_VELOCITY] = {"vel_ned", "velocity", IB_DEVICE_GPS, 3},
    [IB_FACT_FIELD] = {"mag", "field", IB_DEVICE_MAG, 3},
    [IB_FACT_PRESSURE] = {"baro_pressure_pa", "pressure", IB_DEVICE_BARO, 1},
    [IB_FACT_TEMPERATURE] = {"baro_temperature_c", "temperature", IB_DEVICE_BARO, 1},
    [IB_FACT_RANGE] = {NULL, "range", IB_DEVICE_ALTIMETER, 1},
    [IB_FACT_YAW] = {"yaw_deg", NULL, IB_DEVICE_ECU, 1},
};

/* From the variable's unit, or the usual one where it has none, to what the sensors take. */
static void scale(ib_feed *feed, const char *unit) {
    const bool degrees = feed->fact == IB_FACT_PLACE || feed->fact == IB_FACT_YAW;
    double factor = 1;
    feed->offset = 0;
    if (degrees ? strcmp(unit, "rad") != 0 : strncmp(unit, "deg/", 4) == 0)
        factor = DEGREE;
    if (feed->fact == IB_FACT_FIELD)
        factor = strcmp(unit, "T") == 0 ? 1 : strcmp(unit, "uT") == 0 ? 1e-6 : 1e-4;
    if (feed->fact == IB_FACT_PRESSURE && strcmp(unit, "hPa") == 0)
        factor = 100;
    if (feed->fact == IB_FACT_TEMPERATURE && strcmp(unit, "K") != 0)
        feed->offset = 273.15;
    for (int i = 0; i < 3; i++)
        feed->scale[i] = factor;
    if (feed->fact == IB_FACT_PLACE)
        feed->scale[2] = 1;
}

/* ---- variables ---- */

static ib_handle find(const struct ib_foreign *f, const char *name, size_t length) {
    for (size_t i = 0; i < f->n_variables; i++)
        if (strncmp(f->variables[i].name, name, length) == 0 && !f->variables[i].name[length])
            return (ib_handle)i;
    return -1;
}

/* The numbers of a name: of an array, or name[1], name[2] ...; how many there are, at most `most`.
 */
static size_t find_numbers(const struct ib_foreign *f, const char *name, ib_port *numbers,
                           size_t most) {
    const ib_handle whole = find(f, name, strlen(name));
    char part[256];
    size_t n = 0;
    for (; whole >= 0 && n < f->variables[whole].size && n < most; n++)
        numbers[n] = (ib_port){whole, n};
    while (whole < 0 && n < most) {
        const int length = snprintf(part, sizeof part, "%s[%zu]", name, n + 1);
        const ib_handle variable =
            length > 0 && (size_t)length < sizeof part ? find(f, part, (size_t)length) : -1;
        if (variable < 0)
            break;
        numbers[n++] = (ib_port){variable, 0};
    }
    return n;
}

static bool set_feed(const struct ib_foreign *f, const char *name, ib_feed *feed, size_t *n) {
    ib_port numbers[4];
    *n = find_numbers(f, name, numbers, IB_COUNT(numbers));
    if (*n != (size_t)facts[feed->fact].n)
        return false;
    for (size_t i = 0; i < 3; i++)
        feed->from[i] = i < *n ? numbers[i] : (ib_port){-1, 0};
    scale(feed, f->variables[numbers[0].variable].unit);
    return true;
}

/* What the plant tells under the usual names. */
static void set_general(struct ib_foreign *f) {
    for (int i = 0; i < IB_FACT_COUNT; i++) {
        size_t n;
        f->general[i] = (ib_feed){.unit = -1, .fact = (ib_fact)i, .from = {{-1, 0}}};
        if (facts[i].usual)
            set_feed(f, facts[i].usual, &f->general[i], &n);
    }
}

/* ---- signals ---- */

static bool complain(ib_world_loader *l, ib_place place, const char *name, const char *what) {
    ib_diags_add(l->diags, IB_ERROR, IB0348, place, "'%s' %s", name, what);
    return false;
}

static bool unknown(ib_world_loader *l, const struct ib_foreign *f, ib_place place,
                    const char *name) {
    const char **names = IB_ARENA_ARRAY(l->world->arena, f->n_variables + 1, const char *);
    for (size_t i = 0; names && i < f->n_variables; i++)
        names[i] = f->variables[i].name;
    ib_load_unknown(l, IB0348, place, "variable of the plant", name, names,
                    names ? f->n_variables : 0);
    return false;
}

/* Makes an input one that is told something, from what it holds by itself on. */
static bool hold(ib_world_loader *l, const struct ib_foreign *f, ib_handle variable) {
    if (f->held[variable])
        return true;
    f->held[variable] = IB_ARENA_ARRAY(l->world->arena, f->variables[variable].size, double);
    l->no_memory = l->no_memory || !f->held[variable];
    return f->held[variable] &&
           f->plant.functions->get(f->plant.self, variable, f->held[variable], l->diags) == IB_OK;
}

static bool connect(ib_world_loader *l, ib_vehicle *vehicle, const ib_wire *wire, ib_place place) {
    const struct ib_foreign *f = vehicle->foreign;
    return ib_wire_add(l, vehicle, wire, f->variables[wire->to.variable].name, place) &&
           hold(l, f, wire->to.variable);
}

/* The computer's pulse widths, one after the other. */
static bool connect_pwm(ib_world_loader *l, ib_vehicle *vehicle, const ib_port *to, size_t n,
                        ib_place place) {
    bool good = true;
    for (size_t i = 0; i < n && i < IB_FCC_PWM; i++) {
        const ib_wire wire = {.to = to[i], .source = IB_FROM_PWM, .number = (int)i};
        good = connect(l, vehicle, &wire, place) && good;
    }
    return good;
}

/* "motors.pwm" or "computer.pwm" */
static bool is_pwm(const ib_vehicle *vehicle, const char *from) {
    const size_t n = strcspn(from, ".");
    bool found = n == strlen("computer") && strncmp(from, "computer", n) == 0;
    for (size_t i = 0; i < vehicle->family->n_units; i++) {
        const ib_fitting *unit = &vehicle->family->units[i];
        found = found || (unit->type == IB_DEVICE_MOTORS && strncmp(unit->name, from, n) == 0 &&
                          !unit->name[n]);
    }
    return found && strcmp(from + n, ".pwm") == 0;
}

static bool read_wire(ib_world_loader *l, const ib_vehicle_spec *vehicle_spec,
                      const ib_signal_spec *spec, const ib_port *to, size_t n,
                      ib_vehicle *vehicle) {
    ib_wire wire = {.to = to[0]};
    if (is_pwm(vehicle, spec->from))
        return ib_signal_needs_computer(l, vehicle_spec, spec->from_place) &&
               connect_pwm(l, vehicle, to, n, spec->to_place);
    if (n != 1)
        return complain(l, spec->to_place, spec->to,
                        "has several numbers; name one of them, as in x[2]");
    return ib_signal_source(l, vehicle_spec, spec, vehicle->family, &wire) &&
           connect(l, vehicle, &wire, spec->to_place);
}

/* "imu.specific_force": the unit and the fact. */
static bool find_fact(const ib_family *family, const char *from, ib_feed *feed) {
    const size_t n = strcspn(from, ".");
    for (size_t u = 0; from[n] && u < family->n_units; u++) {
        const ib_fitting *unit = &family->units[u];
        if (strncmp(unit->name, from, n) != 0 || unit->name[n])
            continue;
        for (int i = 0; i < IB_FACT_COUNT; i++)
            if (facts[i].signal && facts[i].unit == unit->type &&
                strcmp(facts[i].signal, from + n + 1) == 0) {
                *feed = (ib_feed){.unit = (int)u, .fact = (ib_fact)i};
                return true;
            }
    }
    return false;
}

static bool read_feed(ib_world_loader *l, const ib_signal_spec *spec, const char *name,
                      ib_vehicle *vehicle) {
    struct ib_foreign *f = vehicle->foreign;
    ib_feed feed;
    size_t n;
    if (!find_fact(vehicle->family, spec->from, &feed))
        return complain(
            l, spec->from_place, spec->from,
            "takes nothing from a plant; specific_force and rate of an imu do, place and "
            "velocity of a gps, field of a mag, pressure and temperature of a baro, "
            "range of an altimeter");
    if (!set_feed(f, name, &feed, &n)) {
        ib_diags_add(l->diags, IB_ERROR, IB0348, spec->to_place,
                     "'%s' has %zu number%s, and %s takes %d", name, n, n == 1 ? "" : "s",
                     spec->from, facts[feed.fact].n);
        return false;
    }
    f->feeds[f->n_feeds++] = feed;
    return true;
}

/* The numbers that a name means, of an array or one of it, "pwm[2]"; 0 with a diagnostic. */
static size_t read_ports(ib_world_loader *l, const struct ib_foreign *f, const char *name,
                         ib_place place, ib_port numbers[IB_FCC_PWM]) {
    const size_t length = strcspn(name, "[");
    double index = 0;
    const size_t n = find_numbers(f, name, numbers, IB_FCC_PWM);
    if (n > 0)
        return n;
    const ib_handle whole = name[length] ? find(f, name, length) : -1;
    if (whole >= 0)
        ib_number_parse(name + length + 1, strlen(name + length + 1), &index);
    if (whole < 0 || !(index >= 1) || index > (double)f->variables[whole].size) {
        unknown(l, f, place, name);
        return 0;
    }
    numbers[0] = (ib_port){whole, (size_t)index - 1};
    return 1;
}

bool ib_load_foreign_signal(ib_world_loader *l, const ib_vehicle_spec *vehicle_spec,
                            const ib_signal_spec *spec, const char *name, ib_vehicle *vehicle) {
    const struct ib_foreign *f = vehicle->foreign;
    ib_port numbers[IB_FCC_PWM];
    const size_t n = read_ports(l, f, name, spec->to_place, numbers);
    if (n == 0)
        return false;
    return f->variables[numbers[0].variable].role == IB_ROLE_INPUT
               ? read_wire(l, vehicle_spec, spec, numbers, n, vehicle)
               : read_feed(l, spec, name, vehicle);
}

bool ib_load_foreign_input(ib_world_loader *l, ib_vehicle *vehicle, const char *name,
                           ib_place place, ib_port *input) {
    const struct ib_foreign *f = vehicle->foreign;
    ib_port numbers[IB_FCC_PWM];
    const size_t n = read_ports(l, f, name, place, numbers);
    if (n == 0)
        return false;
    if (n != 1)
        return complain(l, place, name, "has several numbers; name one of them, as in x[2]");
    if (f->variables[numbers[0].variable].role != IB_ROLE_INPUT)
        return complain(l, place, name, "is no input of the plant");
    *input = numbers[0];
    return hold(l, f, input->variable);
}

bool ib_load_foreign_usual(ib_world_loader *l, const ib_vehicle_spec *spec, ib_vehicle *vehicle) {
    ib_port numbers[IB_FCC_PWM];
    struct ib_foreign *f = vehicle->foreign;
    if (!spec->computer)
        return true;
    const size_t n = find_numbers(f, "pwm", numbers, IB_COUNT(numbers));
    if (n == 0 || f->variables[numbers[0].variable].role != IB_ROLE_INPUT ||
        f->held[numbers[0].variable])
        return true;
    return connect_pwm(l, vehicle, numbers, n, spec->place);
}

/* ---- opening ---- */

static bool open_fmu(ib_world_loader *l, const ib_plant_spec *plant, struct ib_foreign *f) {
    const char *path = ib_path_beside(l->world->arena, l->mission->file, plant->fmu);
    ib_fmu_plant_options options = {.max_step = plant->max_step, .tolerance = plant->tolerance};
    ib_fmu_set *sets = IB_ARENA_ARRAY(l->world->arena, plant->n_parameters + 1, ib_fmu_set);
    l->no_memory = l->no_memory || !path || !sets;
    if (l->no_memory)
        return false;
    for (size_t i = 0; i < plant->n_parameters; i++)
        sets[i] = (ib_fmu_set){plant->parameters[i].name, plant->parameters[i].value};
    options.sets = sets;
    options.n_sets = plant->n_parameters;
    if (ib_fmu_open(path, IB_FMU_LENIENT, l->diags, &f->fmu) == IB_OK &&
        ib_plant_from_fmu(f->fmu, &options, l->diags, &f->plant) == IB_OK) {
        ib_load_identify(l->world, path);
        return true;
    }
    ib_diags_add(l->diags, IB_ERROR, IB0727, plant->fmu_place, "plant '%s' cannot be used",
                 plant->name);
    return false;
}

static bool check_vehicle(ib_world_loader *l, const ib_vehicle_spec *spec) {
    const char *what = spec->held                 ? "held"
                       : spec->drag_area > 0      ? "drag_area"
                       : spec->n_separations > 0  ? "separations"
                       : spec->initial.place.line ? "initial"
                                                  : NULL;
    for (size_t i = 0; i < spec->n_devices && !what; i++)
        if (spec->devices[i].type == IB_DEVICE_ECU || spec->devices[i].n_rotors > 0)
            what = spec->devices[i].name;
    if (!what)
        return true;
    ib_diags_add(
        l->diags, IB_ERROR, IB0346, spec->place,
        "vehicle '%s' cannot fly: '%s' is nothing that an FMU can be told; it begins where "
        "its parameters say, and pushes itself",
        spec->name, what);
    return false;
}

bool ib_load_foreign_family(ib_world_loader *l, const ib_vehicle_spec *spec,
                            const ib_plant_spec *plant, ib_family *family) {
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    family->name = spec->name;
    family->parts = IB_ARENA_NEW(l->world->arena, ib_part);
    family->links = IB_ARENA_NEW(l->world->arena, ib_link);
    l->no_memory = l->no_memory || !family->parts || !family->links;
    if (l->no_memory || !check_vehicle(l, spec))
        return false;
    family->n_parts = 1;
    family->foreign = plant;
    family->parts[0] = (ib_part){.name = plant->name, .mass = 1};
    memcpy(family->parts[0].turn, identity, sizeof identity);
    memcpy(family->parts[0].inertia, identity, sizeof identity);
    return true;
}

static bool allocate(ib_world_loader *l, const ib_vehicle_spec *spec, const ib_family *family,
                     struct ib_foreign *f) {
    ib_arena *arena = l->world->arena;
    size_t largest = 1;
    for (size_t i = 0; i < f->n_variables; i++) {
        if (f->variables[i].size > largest)
            largest = f->variables[i].size;
        if (f->variables[i].role == IB_ROLE_OUTPUT)
            f->n_channels += f->variables[i].size;
    }
    f->room = IB_ARENA_ARRAY(arena, largest, double);
    f->held = IB_ARENA_ARRAY(arena, f->n_variables + 1, double *);
    f->truths = IB_ARENA_ARRAY(arena, family->n_units + 1, ib_truth_point);
    f->feeds = IB_ARENA_ARRAY(arena, spec->n_signals + 1, ib_feed);
    l->no_memory = l->no_memory || !f->room || !f->held || !f->truths || !f->feeds;
    return !l->no_memory;
}

bool ib_load_foreign(ib_world_loader *l, const ib_vehicle_spec *spec, ib_vehicle *vehicle) {
    ib_world *world = l->world;
    if (!vehicle->family->foreign)
        return true;
    struct ib_foreign *f = IB_ARENA_NEW(world->arena, struct ib_foreign);
    l->no_memory = l->no_memory || !f;
    if (!f)
        return false;
    *f = (struct ib_foreign){.name = vehicle->family->foreign->name,
                             .environment = &world->environment,
                             .guard = l->options ? l->options->guard : NULL};
    vehicle->foreign = f;
    if (!open_fmu(l, vehicle->family->foreign, f))
        return false;
    f->n_variables = f->plant.functions->describe(f->plant.self, &f->variables);
    set_general(f);
    return allocate(l, spec, vehicle->family, f);
}
