/* The `signals:` of a vehicle: numbers of devices that go to the flight computer's user array, and
 * numbers of devices and of the computer's answer that go to inputs of the plant's model.
 */
#include "world/machine.h"
#include "world/world_internal.h"

#include <math.h> /* NAN only */
#include <string.h>

/* What follows a word in a text, or NULL when it does not begin with it. */
static const char *after(const char *text, const char *word) {
    const size_t n = strlen(word);
    return strncmp(text, word, n) == 0 ? text + n : NULL;
}

/* "computer.user[3]": 3, or -1. */
static int user_index(const char *text) {
    const char *number = after(text, "computer.user[");
    const size_t n = number ? strlen(number) : 0;
    double index = -1;
    const bool form =
        n > 1 && number[n - 1] == ']' && ib_number_parse(number, n - 1, &index) == n - 1;
    return form && index >= 0 && index < IB_FCC_USER && !(ib_floor(index) < index) ? (int)index
                                                                                   : -1;
}

/* "imu.rate.x": the unit and which of its numbers. */
static bool find_number(ib_world_loader *l, const ib_family *family, const ib_signal_spec *spec,
                        int *found, int *number) {
    const char *names[256];
    size_t n_names = 0;
    for (size_t u = 0; u < family->n_units; u++)
        for (size_t i = 0; i < ib_unit_numbers(&family->units[u]); i++) {
            const char *unit, *meaning;
            const char *name =
                ib_arena_printf(l->world->arena, "%s.%s", family->units[u].name,
                                ib_unit_number_name(&family->units[u], i, &unit, &meaning));
            if (name && strcmp(name, spec->from) == 0) {
                *found = (int)u;
                *number = (int)i;
                return true;
            }
            if (name && n_names < IB_COUNT(names))
                names[n_names++] = name;
        }
    ib_load_unknown(l, IB0348, spec->from_place, "signal", spec->from, names, n_names);
    return false;
}

bool ib_signal_needs_computer(ib_world_loader *l, const ib_vehicle_spec *spec, ib_place place) {
    if (spec->computer)
        return true;
    ib_diags_add(l->diags, IB_ERROR, IB0348, place,
                 "this signal is the flight computer's, and vehicle '%s' has none", spec->name);
    return false;
}

/* ---- wires: numbers that go to the plant
 * --------------------------------------------------------- */

bool ib_signal_source(ib_world_loader *l, const ib_vehicle_spec *vehicle_spec,
                      const ib_signal_spec *spec, const ib_family *family, ib_wire *wire) {
    wire->number = user_index(spec->from);
    wire->source = wire->number >= 0 ? IB_FROM_USER : IB_FROM_UNIT;
    return wire->source == IB_FROM_USER
               ? ib_signal_needs_computer(l, vehicle_spec, spec->from_place)
               : find_number(l, family, spec, &wire->unit, &wire->number);
}

static bool is_wired(const ib_vehicle *vehicle, ib_port input) {
    for (size_t i = 0; i < vehicle->n_wires; i++)
        if (vehicle->wires[i].to.variable == input.variable &&
            vehicle->wires[i].to.element == input.element)
            return true;
    return false;
}

bool ib_wire_add(ib_world_loader *l, ib_vehicle *vehicle, const ib_wire *wire, const char *input,
                 ib_place place) {
    if (is_wired(vehicle, wire->to)) {
        ib_diags_add(l->diags, IB_ERROR, IB0348, place, "the plant's input '%s' is wired twice",
                     input);
        return false;
    }
    vehicle->wires[vehicle->n_wires++] = *wire;
    return true;
}

double ib_wire_value(const ib_vehicle *vehicle, const ib_wire *wire) {
    const ib_family *family = vehicle->family;
    const ib_fcc_out *reply = vehicle->reply;
    const uint32_t number = (uint32_t)wire->number;
    if (wire->source == IB_FROM_UNIT)
        return ib_unit_number(&family->units[wire->unit], &family->unit_states[wire->unit], number);
    if (wire->source == IB_FROM_USER)
        return number < reply->n_user ? reply->user[number] : (double)NAN;
    return number < reply->n_pwm ? reply->pwm[number] : (double)NAN;
}

/* "plant.deflection": the input of the model. */
static bool find_input(ib_world_loader *l, const ib_vehicle *vehicle, const char *name,
                       ib_place place, ib_handle *input) {
    const ib_model *model = vehicle->family->machine;
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; model && i < model->n_inputs; i++) {
        if (strcmp(model->inputs[i].name, name) == 0) {
            *input = (ib_handle)i;
            return true;
        }
        if (n < IB_COUNT(names))
            names[n++] = model->inputs[i].name;
    }
    ib_load_unknown(l, IB0348, place, "input of the plant", name, names, n);
    return false;
}

static bool read_wire(ib_world_loader *l, const ib_vehicle_spec *vehicle_spec,
                      const ib_signal_spec *spec, const char *input, ib_vehicle *vehicle) {
    ib_wire wire = {0};
    return find_input(l, vehicle, input, spec->to_place, &wire.to.variable) &&
           ib_signal_source(l, vehicle_spec, spec, vehicle->family, &wire) &&
           ib_wire_add(l, vehicle, &wire, input, spec->to_place);
}

bool ib_load_input(ib_world_loader *l, ib_vehicle *vehicle, const char *name, ib_place place,
                   ib_port *input) {
    *input = (ib_port){-1, 0};
    if (vehicle->foreign ? !ib_load_foreign_input(l, vehicle, name, place, input)
                         : !find_input(l, vehicle, name, place, &input->variable))
        return false;
    if (!is_wired(vehicle, *input))
        return true;
    ib_diags_add(l->diags, IB_ERROR, IB0348, place,
                 "a signal leads to the plant's input '%s', which sets it in every tick", name);
    return false;
}

/* One line of the table. */
static bool read_signal(ib_world_loader *l, const ib_vehicle_spec *vehicle_spec,
                        const ib_signal_spec *spec, ib_vehicle *vehicle) {
    const char *input = after(spec->to, "plant.");
    ib_signal signal;
    if (input && vehicle->foreign)
        return ib_load_foreign_signal(l, vehicle_spec, spec, input, vehicle);
    if (input)
        return read_wire(l, vehicle_spec, spec, input, vehicle);
    signal.user = user_index(spec->to);
    if (signal.user < 0) {
        ib_diags_add(
            l->diags, IB_ERROR, IB0348, spec->to_place,
            "'%s' is no place for a signal; computer.user[0] to computer.user[%d] are, and "
            "plant.INPUT",
            spec->to, IB_FCC_USER - 1);
        return false;
    }
    if (!ib_signal_needs_computer(l, vehicle_spec, spec->to_place) ||
        !find_number(l, vehicle->family, spec, &signal.unit, &signal.number))
        return false;
    vehicle->signals[vehicle->n_signals++] = signal;
    return true;
}

bool ib_load_signals(ib_world_loader *l, const ib_vehicle_spec *spec, ib_vehicle *vehicle) {
    bool good = true;
    vehicle->signals = IB_ARENA_ARRAY(l->world->arena, spec->n_signals + 1, ib_signal);
    /* A line wires at most all pulse widths, and so does none. */
    vehicle->wires = IB_ARENA_ARRAY(l->world->arena, (spec->n_signals + 1) * IB_FCC_PWM, ib_wire);
    l->no_memory = l->no_memory || !vehicle->signals || !vehicle->wires;
    for (size_t i = 0; i < spec->n_signals && !l->no_memory; i++)
        good = read_signal(l, spec, &spec->signals[i], vehicle) && good;
    return good && (!vehicle->foreign || ib_load_foreign_usual(l, spec, vehicle));
}
