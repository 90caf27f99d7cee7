/* registry: names that must be unique, numbered as they come. */
#include "model/model_internal.h"

#include <stdlib.h>
#include <string.h>

bool ib_registry_create(ib_registry *registry) {
    *registry = (ib_registry){.names = ib_names_create()};
    return registry->names != NULL;
}

void ib_registry_destroy(ib_registry *registry) {
    ib_names_destroy(registry->names);
    free(registry->list);
    free(registry->items);
    *registry = (ib_registry){0};
}

bool ib_registry_add(ib_loader *l, ib_registry *registry, const char *what, ib_yaml *name) {
    if (!IB_VEC_RESERVE(registry->list, registry->list_capacity, registry->n) ||
        !IB_VEC_RESERVE(registry->items, registry->capacity, registry->n)) {
        l->no_memory = true;
        return false;
    }
    size_t other = SIZE_MAX;
    if (ib_names_add(registry->names, name->text, &other)) {
        registry->list[registry->n] = name->text;
        registry->items[registry->n++] = (ib_declared){name->text, ib_node_place(l, name)};
        return true;
    }
    if (other == SIZE_MAX)
        l->no_memory = true;
    else if (ib_report(l, IB0301, name, "the %s '%s' is used twice", what, name->text))
        ib_diags_note(l->diags, registry->items[other].place, "first used here");
    return false;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

void ib_check_name(ib_loader *l, ib_yaml *name, const char *text) {
    bool good = is_letter(text[0]);
    for (size_t i = 0; text[i] != '\0'; i++)
        good = good && (is_letter(text[i]) || (text[i] >= '0' && text[i] <= '9'));
    if (!good)
        ib_report(l, IB0303, name,
                  "'%s' cannot be a name; a name is a letter followed by letters, digits and '_'",
                  text);
    else if (strlen(text) > 100)
        ib_report(l, IB0303, name, "this name is longer than 100 characters");
}
