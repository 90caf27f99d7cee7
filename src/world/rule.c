/* Events: what devices report and what missions define, and what the world makes of it.
 *
 * A mission's event is an expression of channels that crosses zero. It is looked at at every tick's
 * end; a crossing is located to the nanosecond by going from the tick's start to times between by
 * integration. What it does waits for stage D of its tick, as every change of the topology does.
 */
#include "world/foreign.h"
#include "world/machine.h"
#include "world/world_internal.h"

#include <ctype.h>
#include <math.h> /* NAN only */
#include <stdlib.h>
#include <string.h>

/* ---- what events mean ---- */

static int reentry_word(const ib_world *world) {
    size_t i = 0;
    while (i < world->n_words && strcmp(world->words[i], "REENTRY") != 0)
        i++;
    return (int)i;
}

ib_operation ib_interpret(const ib_world *world, uint16_t vehicle, const ib_event *event) {
    switch (event->kind) {
    case IB_EVENT_ENGINE_SHUTDOWN: /* does not change what is connected */
    case IB_EVENT_BOLT_FIRED:      /* a separation will follow */
        break;
    case IB_EVENT_STAGE_SEPARATION:
        return (ib_operation){IB_OPERATION_SEPARATE, vehicle, (int)event->payload};
    case IB_EVENT_FIN_DEPLOY:
        return (ib_operation){IB_OPERATION_TRANSITION, vehicle, reentry_word(world)};
    }
    return (ib_operation){IB_OPERATION_NONE, vehicle, 0};
}

/* ---- evaluation ---- */

/* All channels of a vehicle at a time of this tick. */
static void read_vehicle(ib_world *world, ib_vehicle *vehicle, ib_time time) {
    const bool now = time == world->tick.end;
    double *values = world->values + vehicle->first_channel;
    ib_flight_state between;
    if (!now && vehicle->machine) {
        ib_machine_back(world, vehicle, time, values);
        return;
    }
    if (!now && vehicle->foreign) { /* which cannot go back: a straight line is drawn */
        ib_foreign_between(world, vehicle, time, values);
        return;
    }
    if (!now && vehicle->state.flies)
        ib_vehicle_back(world, vehicle, time, &between);
    ib_vehicle_channels(world, vehicle, time, now ? NULL : &between, values);
}

/* The expression's value at a time of this tick. */
static double evaluate(ib_world *world, ib_rule *rule, ib_time time) {
    int last = -1;
    rule->leaves[0] = ib_time_seconds(time);
    for (size_t i = 0; i < rule->n_channels; i++) {
        const ib_handle channel = rule->channels[i];
        ib_vehicle *vehicle = &world->vehicles[world->channel_vehicle[channel]];
        if (last != vehicle->index) {
            read_vehicle(world, vehicle, time);
            last = vehicle->index;
        }
        rule->leaves[1 + i] = world->values[channel];
    }
    double value;
    return ib_tape_eval(rule->tape, rule->leaves, rule->work, &value, NULL) ? value : (double)NAN;
}

static bool has_crossed(const ib_event_spec *spec, double before, double now) {
    const bool up = before < 0 && now >= 0, down = before > 0 && now <= 0;
    return (up && spec->crosses != IB_CROSSES_DOWN) || (down && spec->crosses != IB_CROSSES_UP);
}

/* The first nanosecond of the tick at which the sign is no longer what it was. */
static ib_time locate(ib_world *world, ib_rule *rule, double before) {
    ib_time low = world->tick.start, high = world->tick.end;
    while (high - low > 1) {
        const ib_time middle = low + (high - low) / 2;
        const double value = evaluate(world, rule, middle);
        if ((before < 0 && value < 0) || (before > 0 && value > 0))
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- doing ---- */

static void tell(ib_world *world, size_t rule, int action, ib_time time) {
    ib_log_entry *entry = ib_log_add(&world->log, IB_LOG_CROSSING, IB_ANY, IB_ANY, time);
    if (entry) {
        entry->code = action;
        entry->payload = (uint32_t)rule;
    }
}

/* A plant's input, from now on; of a vehicle that is not there any more it is passed over. */
static ib_status set_input(ib_vehicle *vehicle, ib_port input, double value, ib_diags *diags) {
    if (!vehicle->state.flies)
        return IB_OK;
    if (vehicle->machine)
        return ib_system_set_input(vehicle->machine->system, input.variable, value, diags);
    vehicle->foreign->held[input.variable][input.element] = value;
    return IB_OK;
}

static ib_status act(ib_world *world, size_t index, ib_time time, ib_diags *diags) {
    const ib_rule *rule = &world->rules[index];
    ib_status status = IB_OK;
    for (size_t i = 0; i < rule->spec->n_actions && status == IB_OK; i++) {
        tell(world, index, (int)i, time);
        if (rule->spec->actions[i].kind == IB_DO_STOP)
            world->state.stopped = true;
        else if (rule->spec->actions[i].kind == IB_DO_SET)
            status = set_input(&world->vehicles[rule->orders[i].vehicle], rule->inputs[i],
                               rule->spec->actions[i].value, diags);
        else if (rule->orders[i].unit >= 0)
            ib_world_command(world, &rule->orders[i], world->tick.end);
        else
            status = ib_world_apply(world, &rule->operations[i], world->tick.end, diags);
    }
    return status;
}

/* ---- stage D ---- */

typedef struct crossing {
    size_t rule;
    ib_time time;
} crossing;

enum { CROSSINGS = 256 };

/* Which events have crossed in this tick, and when; in the mission's order. */
static size_t find_crossings(ib_world *world, crossing found[CROSSINGS]) {
    size_t n = 0;
    for (size_t i = 0; i < world->n_rules; i++) {
        ib_rule *rule = &world->rules[i];
        ib_rule_state *state = &world->rule_states[i];
        const double now = evaluate(world, rule, world->tick.end);
        if (state->known && !state->done && n < CROSSINGS &&
            has_crossed(rule->spec, state->value, now)) {
            found[n++] = (crossing){i, locate(world, rule, state->value)};
            state->done = rule->spec->once;
        }
        state->value = now;
        state->known = now - now == 0;
    }
    return n;
}

/* What has changed by operations is no crossing. */
static void take_anew(ib_world *world) {
    for (size_t i = 0; i < world->n_rules; i++) {
        const double now = evaluate(world, &world->rules[i], world->tick.end);
        world->rule_states[i] = (ib_rule_state){now, now - now == 0, world->rule_states[i].done};
    }
}

ib_status ib_world_events(ib_world *world, ib_diags *diags) {
    crossing found[CROSSINGS];
    const size_t n = find_crossings(world, found), entries = world->log.n;
    ib_status status = IB_OK;
    for (size_t i = 0; i < world->n_vehicles && status == IB_OK; i++) {
        const ib_vehicle *vehicle = &world->vehicles[i];
        const int n_events = vehicle->state.flies ? vehicle->out.events.n : 0;
        for (int k = 0; k < n_events && status == IB_OK; k++) {
            const ib_operation operation =
                ib_interpret(world, vehicle->index, &vehicle->out.events.list[k]);
            if (operation.kind != IB_OPERATION_NONE)
                status = ib_world_apply(world, &operation, world->tick.end, diags);
        }
    }
    for (size_t i = 0; i < n && status == IB_OK; i++)
        status = act(world, found[i].rule, found[i].time, diags);
    if (world->log.n != entries)
        take_anew(world);
    return status;
}

/* ---- loading: the expression ---- */

typedef struct rule_text {
    ib_world_loader *l;
    const ib_event_spec *spec;
    ib_graph *graph;
    ib_handle found[64]; /* channels, in the order of their leaves */
    size_t n_found;
    ib_str text;
    size_t *map; /* from bytes of the text to those of the mission's */
} rule_text;

static ib_place place_of(void *context, size_t offset, size_t length) {
    const rule_text *r = context;
    ib_place place = r->spec->when.place;
    place.column += (uint32_t)r->map[offset];
    place.length = (uint32_t)(length > 0 ? length : 1);
    return place;
}

static ib_symbol find_symbol(void *context, const char *name) {
    rule_text *r = context;
    const ib_handle channel = ib_world_channel(r->l->world, name);
    if (channel < 0)
        return (ib_symbol){.kind = IB_SYMBOL_NONE, .node = IB_NO_NODE};
    size_t i = 0;
    while (i < r->n_found && r->found[i] != channel)
        i++;
    if (i == IB_COUNT(r->found))
        return (ib_symbol){.kind = IB_SYMBOL_REFUSED,
                           .node = IB_NO_NODE,
                           .reason = "an event knows at most 64 channels"};
    if (i == r->n_found)
        r->found[r->n_found++] = channel;
    return (ib_symbol){.kind = IB_SYMBOL_NODE, .node = ib_graph_leaf(r->graph, (uint32_t)(1 + i))};
}

static void put(rule_text *r, const char *text, size_t n, size_t from, size_t step) {
    for (size_t i = 0; i < n; i++) {
        r->map[r->text.length] = from + i * step;
        ib_str_add_char(&r->text, text[i]);
    }
}

/* "altitude(stack)" is the channel stack.altitude. */
static size_t put_altitude(rule_text *r, const char *text, size_t at) {
    static const char word[] = "altitude";
    const size_t n = sizeof word - 1;
    if (strncmp(text + at, word, n) != 0 || text[at + n] != '(')
        return 0;
    const char *name = text + at + n + 1, *end = strchr(name, ')');
    if (!end)
        return 0;
    put(r, name, (size_t)(end - name), at + n + 1, 1);
    put(r, ".altitude", n + 1, at, 0);
    return (size_t)(end - (text + at)) + 1;
}

/* "30 km" is a number of metres. */
static size_t put_quantity(rule_text *r, const char *text, size_t at) {
    double value;
    char copy[64], number[IB_NUMBER_SIZE];
    const size_t digits = ib_number_parse(text + at, strlen(text + at), &value);
    size_t end = at + digits;
    if (digits == 0 || text[end] != ' ' || !isalpha((unsigned char)text[end + 1]))
        return 0;
    end++;
    while (isalnum((unsigned char)text[end]) || text[end] == '/' || text[end] == '^')
        end++;
    if (end - at >= sizeof copy)
        return 0;
    memcpy(copy, text + at, end - at);
    copy[end - at] = '\0';
    if (!ib_quantity_value(copy, &value))
        return 0;
    ib_number_text(value, number);
    put(r, number, strlen(number), at, 0);
    return end - at;
}

/* The mission's text in the language of expressions. */
static bool rewrite(rule_text *r) {
    const char *text = r->spec->when.text;
    const size_t length = strlen(text);
    r->map = calloc(16 * length + 64, sizeof *r->map);
    for (size_t at = 0; r->map && text[at] != '\0';) {
        const bool inside = at > 0 && (isalnum((unsigned char)text[at - 1]) ||
                                       text[at - 1] == '_' || text[at - 1] == '.');
        size_t n = inside ? 0 : put_altitude(r, text, at);
        if (n == 0 && !inside)
            n = put_quantity(r, text, at);
        if (n == 0)
            put(r, text + at, n = 1, at, 1);
        at += n;
    }
    if (r->map)
        r->map[r->text.length] = length;
    return r->map && !r->text.failed && r->text.data;
}

static bool keep(rule_text *r, ib_node root, ib_rule *rule) {
    ib_arena *arena = r->l->world->arena;
    rule->tape = ib_tape_create(r->graph, &root, 1);
    rule->n_channels = r->n_found;
    rule->channels = IB_ARENA_ARRAY(arena, r->n_found + 1, ib_handle);
    rule->leaves = IB_ARENA_ARRAY(arena, r->n_found + 1, double);
    if (rule->tape)
        rule->work = IB_ARENA_ARRAY(arena, ib_tape_work_size(rule->tape) + 1, double);
    if (!rule->tape || !rule->channels || !rule->leaves || !rule->work) {
        r->l->no_memory = true;
        return false;
    }
    memcpy(rule->channels, r->found, r->n_found * sizeof *r->found);
    return true;
}

static bool read_when(ib_world_loader *l, const ib_event_spec *spec, ib_rule *rule) {
    rule_text r = {.l = l, .spec = spec, .graph = ib_graph_create()};
    const ib_world *world = l->world;
    const char **names = calloc(world->n_channels + 1, sizeof *names);
    bool good = r.graph && names && rewrite(&r);
    l->no_memory = l->no_memory || !good;
    if (good) {
        for (size_t i = 0; i < world->n_channels; i++)
            names[i] = world->channels[i].name;
        const ib_scope scope = {.context = &r,
                                .find = find_symbol,
                                .names = names,
                                .n_names = world->n_channels,
                                .time = ib_graph_leaf(r.graph, 0)};
        const ib_text text = {r.text.data, r.text.length, &r, place_of};
        const ib_node root = ib_expr_parse(r.graph, &scope, &text, l->diags, NULL);
        good = root != IB_NO_NODE && keep(&r, root, rule);
    }
    free(names);
    free(r.map);
    ib_str_free(&r.text);
    ib_graph_destroy(r.graph);
    return good;
}

/* ---- loading: the actions ---- */

static int find_vehicle(ib_world_loader *l, const ib_action_spec *spec) {
    const int vehicle = ib_world_find(l->world, spec->vehicle);
    const char *names[IB_WORLD_VEHICLES];
    if (vehicle >= 0)
        return vehicle;
    for (size_t i = 0; i < l->world->n_vehicles; i++)
        names[i] = l->world->vehicles[i].name;
    ib_load_unknown(l, IB0344, spec->place, "vehicle", spec->vehicle, names, l->world->n_vehicles);
    return -1;
}

static bool read_separate(ib_world_loader *l, const ib_action_spec *spec, int vehicle,
                          ib_operation *operation) {
    const ib_family *family = l->world->vehicles[vehicle].family;
    const char *names[IB_WORLD_VEHICLES];
    for (size_t i = 0; i < family->n_releases; i++) {
        names[i] = family->releases[i].name;
        if (strcmp(names[i], spec->to) == 0) {
            *operation = (ib_operation){IB_OPERATION_SEPARATE, (uint16_t)vehicle, (int)i};
            return true;
        }
    }
    ib_load_unknown(l, IB0345, spec->place, "separation", spec->to, names, family->n_releases);
    return false;
}

static bool read_order(ib_world_loader *l, const ib_action_spec *spec, int vehicle,
                       ib_order *order) {
    const ib_family *family = l->world->vehicles[vehicle].family;
    const char *names[IB_VEHICLE_UNITS];
    size_t n = 0;
    for (size_t i = 0; i < family->n_units; i++) {
        if (family->units[i].type != IB_DEVICE_ECU)
            continue;
        names[n++] = family->units[i].name;
        if (strcmp(family->units[i].name, spec->to) == 0) {
            *order = (ib_order){(uint16_t)vehicle, (int)i,
                                spec->kind == IB_DO_START ? IB_ENGINE_START : IB_ENGINE_STOP};
            return true;
        }
    }
    ib_load_unknown(l, IB0342, spec->place, "engine controller", spec->to, names, n);
    return false;
}

/* An input that an event sets. */
static bool read_set(ib_world_loader *l, const ib_action_spec *spec, int vehicle, ib_port *input,
                     ib_order *order) {
    const ib_vehicle *whose = &l->world->vehicles[vehicle];
    *order = (ib_order){(uint16_t)vehicle, -1, 0};
    if (whose->machine || whose->foreign)
        return ib_load_input(l, &l->world->vehicles[vehicle], spec->to, spec->place, input);
    ib_diags_add(l->diags, IB_ERROR, IB0348, spec->place,
                 "set: vehicle '%s' is a rigid body, which has no inputs", spec->vehicle);
    return false;
}

static bool read_action(ib_world_loader *l, const ib_action_spec *spec, ib_operation *operation,
                        ib_order *order, ib_port *input) {
    *operation = (ib_operation){IB_OPERATION_NONE, 0, 0};
    *order = (ib_order){0, -1, 0};
    if (spec->kind == IB_DO_MARK || spec->kind == IB_DO_STOP)
        return true;
    const int vehicle = find_vehicle(l, spec);
    if (vehicle < 0)
        return false;
    if (spec->kind == IB_DO_SEPARATE)
        return read_separate(l, spec, vehicle, operation);
    if (spec->kind == IB_DO_START || spec->kind == IB_DO_SHUTDOWN)
        return read_order(l, spec, vehicle, order);
    if (spec->kind == IB_DO_SET)
        return read_set(l, spec, vehicle, input, order);
    *operation =
        (ib_operation){IB_OPERATION_TRANSITION, (uint16_t)vehicle, ib_load_word(l, spec->to)};
    return true;
}

static bool read_rule(ib_world_loader *l, const ib_event_spec *spec, ib_rule *rule) {
    ib_arena *arena = l->world->arena;
    bool good = read_when(l, spec, rule);
    rule->spec = spec;
    rule->operations = IB_ARENA_ARRAY(arena, spec->n_actions + 1, ib_operation);
    rule->orders = IB_ARENA_ARRAY(arena, spec->n_actions + 1, ib_order);
    rule->inputs = IB_ARENA_ARRAY(arena, spec->n_actions + 1, ib_port);
    l->no_memory = l->no_memory || !rule->operations || !rule->orders || !rule->inputs;
    for (size_t i = 0; i < spec->n_actions && !l->no_memory; i++)
        good = read_action(l, &spec->actions[i], &rule->operations[i], &rule->orders[i],
                           &rule->inputs[i]) &&
               good;
    return good;
}

bool ib_load_rules(ib_world_loader *l) {
    ib_world *world = l->world;
    const ib_mission *mission = l->mission;
    bool good = true;
    world->rules = IB_ARENA_ARRAY(world->arena, mission->n_events + 1, ib_rule);
    world->rule_states = IB_ARENA_ARRAY(world->arena, mission->n_events + 1, ib_rule_state);
    l->no_memory = l->no_memory || !world->rules || !world->rule_states;
    for (size_t i = 0; i < mission->n_events && !l->no_memory; i++, world->n_rules++)
        good = read_rule(l, &mission->events[i], &world->rules[i]) && good;
    if (good && !l->no_memory)
        take_anew(world);
    return good && !l->no_memory;
}
