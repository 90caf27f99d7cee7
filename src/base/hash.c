/* Hashing of bytes (64-bit FNV-1a: Fowler, Noll, Vo) and a map from names to indices.
 *
 * The map is a table with open addressing and linear probing, at most half full. Its order is
 * never visible: names are numbered as they come.
 */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

uint64_t ib_hash_bytes(uint64_t hash, const void *bytes, size_t n) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

typedef struct slot {
    const char *name; /* NULL: free */
    uint64_t hash;
    size_t index;
} slot;

struct ib_names {
    slot *slots;
    size_t n_slots; /* a power of two, or 0 */
    size_t count;
};

ib_names *ib_names_create(void) { return calloc(1, sizeof(ib_names)); }

void ib_names_destroy(ib_names *names) {
    if (!names)
        return;
    free(names->slots);
    free(names);
}

static uint64_t name_hash(const char *name) {
    /* FNV's low bits see little of the last bytes; fold the high half in. */
    const uint64_t hash = ib_hash_bytes(IB_HASH_START, name, strlen(name));
    return hash ^ hash >> 32;
}

/* The slot that holds the name, or the free one where it belongs. */
static slot *find_slot(slot *slots, size_t n_slots, const char *name, uint64_t hash) {
    size_t i = (size_t)hash & (n_slots - 1);
    while (slots[i].name && (slots[i].hash != hash || strcmp(slots[i].name, name) != 0))
        i = (i + 1) & (n_slots - 1);
    return &slots[i];
}

static bool grow(ib_names *names) {
    const size_t n_slots = names->n_slots ? 2 * names->n_slots : 16;
    slot *slots = calloc(n_slots, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < names->n_slots; i++) {
        const slot *old = &names->slots[i];
        if (old->name)
            *find_slot(slots, n_slots, old->name, old->hash) = *old;
    }
    free(names->slots);
    names->slots = slots;
    names->n_slots = n_slots;
    return true;
}

bool ib_names_add(ib_names *names, const char *name, size_t *index) {
    if (2 * (names->count + 1) > names->n_slots && !grow(names)) {
        *index = SIZE_MAX;
        return false;
    }
    const uint64_t hash = name_hash(name);
    slot *found = find_slot(names->slots, names->n_slots, name, hash);
    const bool added = !found->name;
    if (added)
        *found = (slot){.name = name, .hash = hash, .index = names->count++};
    *index = found->index;
    return added;
}

size_t ib_names_find(const ib_names *names, const char *name) {
    if (!names->n_slots)
        return SIZE_MAX;
    const slot *found = find_slot(names->slots, names->n_slots, name, name_hash(name));
    return found->name ? found->index : SIZE_MAX;
}
