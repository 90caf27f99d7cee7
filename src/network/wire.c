/* wire: the connections of a network, and the order of its components. */
#include "network/network.h"

#include <stdlib.h>
#include <string.h>

/* ---- names --------------------------------------------------------------------------------- */

ib_handle ib_component_find(const ib_component *c, const char *name, size_t *element) {
    const char *bracket = strrchr(name, '[');
    *element = SIZE_MAX;
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->variables[i].name, name) == 0)
            return (ib_handle)i;
    char *end = NULL;
    const unsigned long at = bracket ? strtoul(bracket + 1, &end, 10) : 0;
    if (!at || strcmp(end, "]") != 0)
        return -1;
    for (size_t i = 0; i < c->n; i++)
        if (strncmp(c->variables[i].name, name, (size_t)(bracket - name)) == 0 &&
            c->variables[i].name[bracket - name] == '\0' && at <= c->variables[i].size) {
            *element = at - 1;
            return (ib_handle)i;
        }
    return -1;
}

static void suggest_variable(const ib_component *c, const char *name, ib_diags *diags) {
    const char **names = calloc(c->n + 1, sizeof *names);
    for (size_t i = 0; names && i < c->n; i++)
        names[i] = c->variables[i].name;
    const char *nearest = names ? ib_nearest_name(name, names, c->n) : NULL;
    if (nearest)
        ib_diags_suggest(diags, "did you mean '%s.%s'?", c->name, nearest);
    free(names);
}

static size_t find_component(const ib_network *network, const char *name, ib_place place,
                             ib_diags *diags) {
    const char *nearest = NULL;
    for (size_t i = 0; i < network->n_components; i++)
        if (strcmp(network->components[i].name, name) == 0)
            return i;
    const char **names = calloc(network->n_components + 1, sizeof *names);
    for (size_t i = 0; names && i < network->n_components; i++)
        names[i] = network->components[i].name;
    nearest = names ? ib_nearest_name(name, names, network->n_components) : NULL;
    ib_diags_add(diags, IB_ERROR, IB0361, place, "there is no component '%s'", name);
    if (nearest)
        ib_diags_suggest(diags, "did you mean '%s'?", nearest);
    free(names);
    return SIZE_MAX;
}

/* "component.variable", its first blanks and last blanks aside. */
bool ib_network_end_of(const ib_network *network, const char *text, size_t length, ib_place place,
                       ib_diags *diags, ib_end *e) {
    while (length && *text == ' ')
        text++, length--;
    while (length && text[length - 1] == ' ')
        length--;
    char *name = ib_arena_strndup(network->arena, text, length);
    char *dot = name ? strchr(name, '.') : NULL;
    if (!dot) {
        ib_diags_add(diags, IB_ERROR, IB0363, place,
                     "'%s' names no variable of a component; write component.variable",
                     name ? name : "");
        return false;
    }
    *dot = '\0';
    e->component = find_component(network, name, place, diags);
    if (e->component == SIZE_MAX)
        return false;
    const ib_component *c = &network->components[e->component];
    e->variable = ib_component_find(c, dot + 1, &e->at);
    if (e->variable < 0) {
        ib_diags_add(diags, IB_ERROR, IB0362, place, "component '%s' has no variable '%s'", c->name,
                     dot + 1);
        suggest_variable(c, dot + 1, diags);
        return false;
    }
    e->size = e->at == SIZE_MAX ? c->variables[e->variable].size : 1;
    e->at = e->at == SIZE_MAX ? 0 : e->at;
    return true;
}

/* ---- units --------------------------------------------------------------------------------- */

typedef struct unit {
    const char *name;
    int exponents[8]; /* kg, m, s, A, K, mol, cd, rad */
    double factor, offset;
} unit;

/* What the component says of its unit: an FMU in its own definitions, else in the notation of
 * models. False where nothing is known. */
static bool find_unit(const ib_component *c, ib_handle variable, unit *u) {
    int ours[4];
    *u = (unit){.name = c->variables[variable].unit};
    if (c->fmu && ib_fmu_unit(c->fmu, u->name, u->exponents, &u->factor, &u->offset))
        return true;
    if (!ib_unit_of(u->name, ours, &u->factor))
        return false;
    memcpy(u->exponents, ours, 3 * sizeof *ours);
    u->exponents[7] = ours[3];
    return true;
}

static bool convert(const ib_network *network, ib_link *link, ib_diags *diags) {
    const ib_component *from = &network->components[link->from];
    const ib_component *to = &network->components[link->to];
    unit a, b;
    const bool known = find_unit(from, link->output, &a) && find_unit(to, link->input, &b);
    link->factor = 1;
    link->offset = 0;
    if (!known)
        return true;
    if (memcmp(a.exponents, b.exponents, sizeof a.exponents) != 0) {
        ib_diags_add(diags, IB_ERROR, IB0365, link->place,
                     "'%s.%s' is in %s and '%s.%s' in %s, which do not convert", from->name,
                     from->variables[link->output].name, a.name, to->name,
                     to->variables[link->input].name, b.name);
        return false;
    }
    link->factor = a.factor / b.factor;
    link->offset = (a.offset - b.offset) / b.factor;
    return true;
}

/* ---- connections --------------------------------------------------------------------------- */

static bool refuse(const ib_network *network, const ib_end *e, ib_place place, const char *role,
                   ib_diags *diags) {
    const ib_component *c = &network->components[e->component];
    static const char *const roles[] = {
        [IB_ROLE_INPUT] = "an input",
        [IB_ROLE_OUTPUT] = "an output",
        [IB_ROLE_PARAMETER] = "a parameter",
        [IB_ROLE_LOCAL] = "a variable that the component computes",
    };
    ib_diags_add(diags, IB_ERROR, IB0363, place, "'%s.%s' is %s; a connection leads %s", c->name,
                 c->variables[e->variable].name, roles[c->variables[e->variable].role], role);
    return false;
}

/* Marks the input's elements as connected. */
static bool take(ib_network *network, const ib_link *link, ib_diags *diags) {
    ib_component *to = &network->components[link->to];
    bool *connected = to->connected[link->input];
    for (size_t i = link->input_at; i < link->input_at + link->size; i++) {
        if (connected[i]) {
            ib_diags_add(diags, IB_ERROR, IB0364, link->place,
                         "the input '%s.%s' is connected already", to->name,
                         to->variables[link->input].name);
            for (const ib_link *other = network->links; other < link; other++)
                if (other->to == link->to && other->input == link->input)
                    ib_diags_note(diags, other->place, "connected here");
            return false;
        }
        connected[i] = true;
    }
    return true;
}

static bool wire(ib_network *network, const ib_word *word, ib_link *link, ib_diags *diags) {
    const char *arrow = strstr(word->text, "->");
    ib_end from, to;
    if (!arrow) {
        ib_diags_add(diags, IB_ERROR, IB0363, word->place,
                     "'%s' is no connection; write component.output -> component.input",
                     word->text);
        return false;
    }
    if (!ib_network_end_of(network, word->text, (size_t)(arrow - word->text), word->place, diags,
                           &from) ||
        !ib_network_end_of(network, arrow + 2, strlen(arrow + 2), word->place, diags, &to))
        return false;
    const ib_role role = network->components[from.component].variables[from.variable].role;
    if (role != IB_ROLE_OUTPUT && role != IB_ROLE_LOCAL)
        return refuse(network, &from, word->place, "from an output", diags);
    ib_component *target = &network->components[to.component];
    if (target->variables[to.variable].role != IB_ROLE_INPUT)
        return refuse(network, &to, word->place, "to an input", diags);
    if (from.size != to.size) {
        ib_diags_add(diags, IB_ERROR, IB0363, word->place,
                     "the output has %zu element%s and the input %zu", from.size,
                     from.size == 1 ? "" : "s", to.size);
        return false;
    }
    *link = (ib_link){.text = word->text,
                      .place = word->place,
                      .from = from.component,
                      .to = to.component,
                      .output = from.variable,
                      .input = to.variable,
                      .output_at = from.at,
                      .input_at = to.at,
                      .size = to.size,
                      .held = target->inputs[to.variable] + to.at};
    return convert(network, link, diags) && take(network, link, diags);
}

bool ib_network_wire(ib_network *network, ib_diags *diags) {
    const ib_network_spec *spec = network->spec;
    bool good = true;
    for (size_t i = 0; i < spec->n_connections; i++) {
        ib_link *link = &network->links[network->n_links];
        if (!wire(network, &spec->connections[i], link, diags)) {
            good = false;
            continue;
        }
        network->n_links++;
        network->n_elements += link->size;
    }
    return good;
}

/* ---- the order ----------------------------------------------------------------------------- */

/* How many links lead to a component from others that are not chosen yet. */
static size_t waiting(const ib_network *network, size_t component) {
    size_t n = 0;
    for (size_t i = 0; i < network->n_links; i++) {
        const ib_link *link = &network->links[i];
        n += link->to == component && link->from != component && !network->done[link->from];
    }
    return n;
}

/* Sources first; a circle is entered where the fewest links wait, then in the order of the file. */
static void derive(ib_network *network) {
    for (size_t i = 0; i < network->n_components; i++) {
        size_t best = SIZE_MAX, fewest = SIZE_MAX;
        for (size_t k = 0; k < network->n_components; k++)
            if (!network->done[k] && waiting(network, k) < fewest) {
                best = k;
                fewest = waiting(network, k);
            }
        network->order[i] = best;
        network->done[best] = true;
    }
}

static bool read_order(ib_network *network, ib_diags *diags) {
    const ib_network_spec *spec = network->spec;
    for (size_t i = 0; i < spec->n_order; i++) {
        const ib_place place = spec->order[i].place;
        const size_t which = find_component(network, spec->order[i].text, place, diags);
        if (which == SIZE_MAX)
            return false;
        if (network->done[which]) {
            ib_diags_add(diags, IB_ERROR, IB0366, place, "'%s' stands twice in the order",
                         spec->order[i].text);
            return false;
        }
        network->order[i] = which;
        network->done[which] = true;
    }
    for (size_t k = 0; k < network->n_components; k++)
        if (!network->done[k]) {
            ib_diags_add(diags, IB_ERROR, IB0366, spec->order_place,
                         "component '%s' is missing in the order", network->components[k].name);
            return false;
        }
    return true;
}

bool ib_network_sort(ib_network *network, ib_diags *diags) {
    if (network->spec->method == IB_COUPLING_GAUSS_SEIDEL) {
        if (network->spec->n_order)
            return read_order(network, diags);
        derive(network);
        return true;
    }
    for (size_t i = 0; i < network->n_components; i++)
        network->order[i] = i;
    return true;
}
