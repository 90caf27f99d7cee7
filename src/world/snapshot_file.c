/* A snapshot as a file: a head, the mission's path, the state's bytes, and a hash of all before it.
 *
 * It is a copy of this machine's memory in this version of the program, so it is refused by any
 * other version, and by any mission whose text or models have changed.
 */
#include "world/foreign.h"
#include "world/world_internal.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST ((size_t)1 << 30)

static const char magic[8] = {'I', 'B', 'S', 'N', 'A', 'P', '0', '2'};

typedef struct head {
    char magic[8], version[24];
    uint64_t identity, state_size, path_size; /* path_size with its end */
    uint64_t changes_size;
    ib_snapshot_about about;
} head;

struct ib_snapshot {
    head head;
    const char *path;    /* of the mission */
    const char *changes; /* as the world has them */
    const char *state;   /* bytes */
    char *text;          /* the whole file */
};

ib_status ib_snapshot_write(const ib_world *world, const char *path, const char *version,
                            const char *mission, ib_snapshot_about about, ib_diags *diags) {
    head h = {.identity = world->identity,
              .state_size = ib_world_state_size(world),
              .path_size = strlen(mission) + 1,
              .changes_size = world->changes_size,
              .about = about};
    memcpy(h.magic, magic, sizeof magic);
    for (size_t i = 0; i + 1 < sizeof h.version && version[i]; i++)
        h.version[i] = version[i];
    const size_t size = sizeof h + h.path_size + h.changes_size + h.state_size;
    char *bytes = calloc(1, size + sizeof(uint64_t));
    if (!bytes) {
        ib_diags_add(diags, IB_ERROR, IB0103, IB_NO_PLACE, "out of memory for a snapshot");
        return IB_NO_MEMORY;
    }
    memcpy(bytes, &h, sizeof h);
    memcpy(bytes + sizeof h, mission, h.path_size);
    memcpy(bytes + sizeof h + h.path_size, world->changes, h.changes_size);
    ib_world_save(world, bytes + sizeof h + h.path_size + h.changes_size);
    const uint64_t hash = ib_hash_bytes(IB_HASH_START, bytes, size);
    memcpy(bytes + size, &hash, sizeof hash);
    const ib_status status = ib_file_write(path, bytes, size + sizeof hash, diags);
    free(bytes);
    return status;
}

static ib_status refuse(ib_diags *diags, const char *path, const char *why) {
    ib_diags_add(diags, IB_ERROR, IB0726, (ib_place){ib_diags_file(diags, path), 0, 0, 0},
                 "'%s' %s", path, why);
    return IB_BAD_INPUT;
}

/* Pairs of texts, each with its end. */
static bool are_pairs(const char *text, size_t n) {
    size_t ends = 0;
    for (size_t i = 0; i < n; i++)
        ends += text[i] == '\0';
    return n == 0 || (text[n - 1] == '\0' && ends % 2 == 0);
}

/* What is wrong with the size, or NULL. */
static const char *size_fault(const head *h, size_t length) {
    const uint64_t parts[] = {h->path_size, h->changes_size, h->state_size, sizeof(uint64_t)};
    size_t left = length - sizeof *h;
    for (size_t i = 0; i < IB_COUNT(parts); i++) {
        if (parts[i] > left)
            return "is a snapshot that was cut off";
        left -= parts[i];
    }
    return left > 0 ? "is a snapshot with more bytes behind its end" : NULL;
}

/* What is wrong with the bytes, or NULL. */
static const char *fault(const char *text, size_t length, const char *version) {
    const size_t family = sizeof magic - 2; /* the two digits count formats */
    head h;
    uint64_t hash;
    if (length < sizeof magic || memcmp(text, magic, family) != 0)
        return "is no snapshot";
    if (memcmp(text, magic, sizeof magic) != 0)
        return "is a snapshot of another version of the program";
    if (length < sizeof h + sizeof hash)
        return "is a snapshot that was cut off";
    memcpy(&h, text, sizeof h);
    if (strncmp(h.version, version, sizeof h.version - 1) != 0)
        return "is a snapshot of another version of the program";
    const char *wrong = size_fault(&h, length), *path = text + sizeof h;
    if (wrong)
        return wrong;
    memcpy(&hash, text + length - sizeof hash, sizeof hash);
    if (hash != ib_hash_bytes(IB_HASH_START, text, length - sizeof hash) || h.path_size == 0 ||
        path[h.path_size - 1] != '\0' || !are_pairs(path + h.path_size, h.changes_size))
        return "is a damaged snapshot: its bytes do not fit their hash";
    return NULL;
}

ib_status ib_snapshot_read(const char *path, const char *version, ib_diags *diags,
                           ib_snapshot **snapshot) {
    char *text = NULL;
    size_t length = 0;
    *snapshot = NULL;
    const ib_status status = ib_file_read(path, LARGEST, diags, IB_NO_PLACE, &text, &length);
    if (status != IB_OK)
        return status;
    const char *why = fault(text, length, version);
    ib_snapshot *read = why ? NULL : calloc(1, sizeof *read);
    if (!read) {
        free(text);
        return why ? refuse(diags, path, why) : IB_NO_MEMORY;
    }
    memcpy(&read->head, text, sizeof read->head);
    read->text = text;
    read->path = text + sizeof read->head;
    read->changes = read->path + read->head.path_size;
    read->state = read->changes + read->head.changes_size;
    *snapshot = read;
    return IB_OK;
}

void ib_snapshot_destroy(ib_snapshot *snapshot) {
    if (snapshot)
        free(snapshot->text);
    free(snapshot);
}

const char *ib_snapshot_mission(const ib_snapshot *snapshot) { return snapshot->path; }
ib_snapshot_about ib_snapshot_tell(const ib_snapshot *snapshot) { return snapshot->head.about; }

bool ib_snapshot_override(const ib_snapshot *snapshot, size_t i, ib_override *override) {
    const char *at = snapshot->changes, *end = at + snapshot->head.changes_size;
    for (; at < end; i--) {
        *override = (ib_override){at, at + strlen(at) + 1};
        if (i == 0)
            return true;
        at = override->value + strlen(override->value) + 1;
    }
    return false;
}

ib_status ib_world_resume(ib_world *world, const ib_snapshot *snapshot, ib_diags *diags) {
    if (snapshot->head.identity != world->identity)
        return refuse(diags, snapshot->path,
                      "or a model of it has changed since the snapshot was taken");
    if (ib_world_restore(world, snapshot->state, snapshot->head.state_size) != IB_OK)
        return refuse(diags, snapshot->path, "has another state than the snapshot");
    return IB_OK;
}

bool ib_world_can_save(const ib_world *world, ib_diags *diags) {
    for (size_t i = 0; i < world->n_vehicles; i++) {
        const ib_vehicle *vehicle = &world->vehicles[i];
        if (vehicle->foreign && !ib_foreign_can_save(vehicle)) {
            ib_diags_add(diags, IB_ERROR, IB0726, IB_NO_PLACE,
                         "snapshots need the state of plant '%s', and its FMU cannot make bytes of "
                         "it (canSerializeFMUState)",
                         vehicle->foreign->name);
            return false;
        }
        if (!vehicle->computer || ib_computer_state_size(vehicle->computer) != SIZE_MAX)
            continue;
        ib_diags_add(diags, IB_ERROR, IB0726, IB_NO_PLACE,
                     "snapshots need the state of the flight computer of '%s', and a computer "
                     "behind a channel or in a process of its own has its state there",
                     vehicle->name);
        return false;
    }
    return true;
}
