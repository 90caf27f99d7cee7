/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds QEMU's functions and checks that they do what the plugin takes them to do. Not checked is
 * what only a running guest shows: that interrupts arrive, that time is counted by instructions. */
#define _GNU_SOURCE
#include "qemu/plugin/emulator.h"

#include <dlfcn.h>
#include <string.h>

/* ---- names ---------------------------------------------------------------------------------- */

static void find_version(ib_emulator *emulator) {
    const qemu_version *version =
        emulator->qmp_query_version ? emulator->qmp_query_version(NULL) : NULL;
    snprintf(emulator->version, sizeof emulator->version, "of unknown version");
    if (version && version->numbers)
        snprintf(emulator->version, sizeof emulator->version, "%d.%d.%d%s%.40s",
                 (int)version->numbers[0], (int)version->numbers[1], (int)version->numbers[2],
                 version->package && *version->package ? " " : "",
                 version->package ? version->package : "");
}

/* A function's address goes where a pointer to a function is kept (POSIX has them alike). Returns
 * whether it was found; else the name goes to the list. */
static bool find(const char *name, void *where, char *missing, size_t size) {
    void *found = dlsym(RTLD_DEFAULT, name);
    memcpy(where, &found, sizeof found);
    const size_t length = strlen(missing);
    if (!found && length < size)
        snprintf(missing + length, size - length, "%s%s", length ? ", " : "", name);
    return found != NULL;
}

bool ib_emulator_find(ib_emulator *emulator, char *why, size_t size) {
    char missing[360] = "";
    bool all = true;
#define IB_EMULATOR_FIND(name, result, parameters)                                                 \
    all &= find(#name, &emulator->name, missing, sizeof missing);
    IB_EMULATOR_FUNCTIONS(IB_EMULATOR_FIND)
#undef IB_EMULATOR_FIND
    all &= find("address_space_memory", &emulator->memory, missing, sizeof missing);
    find_version(emulator);
    if (!all)
        snprintf(why, size, "QEMU %s does not export what firmware needs of it: %s",
                 emulator->version, missing);
    return all;
}

/* ---- behaviour ------------------------------------------------------------------------------ */

bool ib_emulator_copy(const ib_emulator *emulator, uint32_t address, void *bytes, uint32_t size,
                      bool write) {
    const qemu_attributes unspecified = {1};
    return emulator->address_space_rw(emulator->memory, address, unspecified, bytes, size, write) ==
           0;
}

enum { EXCEPTIONS = 16 };

qemu_object *ib_emulator_processor(const ib_emulator *emulator, int *n_lines) {
    bool ambiguous = false;
    qemu_object *processor = emulator->object_resolve_path_type("", "armv7m", &ambiguous);
    /* Once made, its property counts the sixteen exceptions too. */
    *n_lines =
        processor ? (int)emulator->object_property_get_uint(processor, "num-irq", NULL) - EXCEPTIONS
                  : 0;
    return processor;
}

typedef struct probe {
    uint64_t address, data;
    unsigned size;
} probe;

static uint64_t probe_read(void *context, uint64_t address, unsigned size) {
    probe *seen = context;
    *seen = (probe){address, 0, size};
    return 0x11223344;
}

static void probe_write(void *context, uint64_t address, uint64_t data, unsigned size) {
    probe *seen = context;
    *seen = (probe){address, data, size};
}

enum { PROBE_SIZE = 0x100, PROBE_OFFSET = 0x24, PROBE_PRIORITY = 30000 };
static const uint32_t probe_base = 0x5ffff000;

/* A word each way through a region of ours. */
static bool memory_works(const ib_emulator *emulator) {
    static const qemu_region_functions functions = {.read = probe_read,
                                                    .write = probe_write,
                                                    .endianness = QEMU_LITTLE_ENDIAN,
                                                    .valid = {1, 4, true, NULL},
                                                    .works = {1, 4, true}};
    static qemu_region region; /* QEMU may look at it later still */
    static probe seen;
    const uint8_t out[4] = {0xdd, 0xcc, 0xbb, 0xaa}, expected[4] = {0x44, 0x33, 0x22, 0x11};
    uint8_t in[4] = {0}, sent[4];
    memcpy(sent, out, sizeof sent);
    emulator->memory_region_init_io(&region, NULL, &functions, &seen, "ironbird-probe", PROBE_SIZE);
    emulator->memory_region_add_subregion_overlap(emulator->get_system_memory(), probe_base,
                                                  &region, PROBE_PRIORITY);
    bool good = ib_emulator_copy(emulator, probe_base + PROBE_OFFSET, in, 4, false) &&
                memcmp(in, expected, 4) == 0 && seen.address == PROBE_OFFSET && seen.size == 4;
    good = good && ib_emulator_copy(emulator, probe_base + PROBE_OFFSET, sent, 4, true) &&
           seen.data == 0xaabbccdd;
    emulator->memory_region_del_subregion(emulator->get_system_memory(), &region);
    return good;
}

static void ring_not(void *context) { (void)context; }

static bool timer_works(const ib_emulator *emulator) {
    static qemu_timer timer;
    const int64_t now = emulator->qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL_TIME);
    emulator->timer_init_full(&timer, NULL, QEMU_CLOCK_VIRTUAL_TIME, 1, 0, ring_not, NULL);
    emulator->timer_mod(&timer, now + 12345);
    const bool armed = emulator->timer_pending(&timer) &&
                       emulator->timer_expire_time_ns(&timer) == (uint64_t)(now + 12345);
    emulator->timer_del(&timer);
    return now == 0 && armed && !emulator->timer_pending(&timer);
}

bool ib_emulator_try(const ib_emulator *emulator, char *why, size_t size) {
    int n_lines = 0;
    const char *fault = NULL;
    if (!ib_emulator_processor(emulator, &n_lines) || n_lines < 1 || !emulator->qemu_get_cpu(0))
        fault = "its machine has no Cortex-M processor";
    else if (!memory_works(emulator))
        fault = "its memory regions do not behave as those of QEMU 7.2";
    else if (!timer_works(emulator))
        fault = "its virtual clock and timers do not behave as those of QEMU 7.2";
    if (fault)
        snprintf(why, size, "QEMU %s will not do: %s", emulator->version, fault);
    return !fault;
}
