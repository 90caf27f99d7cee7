/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the plugin takes of QEMU: functions that its binary exports, found by name when the plugin
 * is loaded. QEMU's headers are not used. Its objects are opaque here; where we have to provide
 * one, we provide more room than any version has needed.
 *
 * The declarations were written for QEMU 7.2; emulator.c refuses where a name is missing or where
 * memory, timers or interrupt lines do not behave.
 */
#ifndef IB_QEMU_EMULATOR_H
#define IB_QEMU_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct qemu_object qemu_object;
typedef struct qemu_cpu qemu_cpu;
typedef struct qemu_line qemu_line;
typedef struct qemu_space qemu_space;
typedef struct qemu_block qemu_block; /* a translated piece of guest code */

/* Room for QEMU's MemoryRegion (about 0x110 bytes), QEMUTimer (0x30), Notifier (0x18). */
typedef union qemu_region {
    char room[4096];
    long double aligned;
} qemu_region;
typedef union qemu_timer {
    char room[512];
    long double aligned;
} qemu_timer;
typedef struct qemu_notifier {
    void (*notify)(struct qemu_notifier *notifier, void *data);
    void *room[8];
} qemu_notifier;

/* Attributes of a transfer, passed by value in one word. */
typedef struct qemu_attributes {
    unsigned int bits;
} qemu_attributes;

enum { QEMU_LITTLE_ENDIAN = 2 };

typedef struct qemu_region_functions {
    uint64_t (*read)(void *context, uint64_t address, unsigned size);
    void (*write)(void *context, uint64_t address, uint64_t data, unsigned size);
    void *with_attributes[2];
    int endianness;
    struct {
        unsigned smallest, largest;
        bool unaligned;
        void *accepts;
    } valid;
    struct {
        unsigned smallest, largest;
        bool unaligned;
    } works;
} qemu_region_functions;

typedef struct qemu_version {
    const int64_t *numbers; /* major, minor, micro */
    const char *package;
} qemu_version;

enum { QEMU_CLOCK_VIRTUAL_TIME = 1, QEMU_RESET_BY_GUEST = 7 };

typedef void qemu_block_made(uint64_t plugin, qemu_block *block);
typedef void qemu_block_runs(unsigned int cpu, void *context);

/* X(name, result, parameters) */
#define IB_EMULATOR_FUNCTIONS(X)                                                                   \
    X(qemu_add_machine_init_done_notifier, void, (qemu_notifier *))                                \
    X(get_system_memory, qemu_region *, (void))                                                    \
    X(memory_region_init_io, void,                                                                 \
      (qemu_region *, qemu_object *, const qemu_region_functions *, void *, const char *,          \
       uint64_t))                                                                                  \
    X(memory_region_add_subregion_overlap, void, (qemu_region *, uint64_t, qemu_region *, int))    \
    X(memory_region_del_subregion, void, (qemu_region *, qemu_region *))                           \
    X(address_space_rw, unsigned,                                                                  \
      (qemu_space *, uint64_t, qemu_attributes, void *, uint64_t, bool))                           \
    X(object_resolve_path_type, qemu_object *, (const char *, const char *, bool *))               \
    X(object_property_get_uint, uint64_t, (qemu_object *, const char *, void *))                   \
    X(qdev_get_gpio_in, qemu_line *, (qemu_object *, int))                                         \
    X(qemu_set_irq, void, (qemu_line *, int))                                                      \
    X(timer_init_full, void, (qemu_timer *, void *, int, int, int, void (*)(void *), void *))      \
    X(timer_mod, void, (qemu_timer *, int64_t))                                                    \
    X(timer_del, void, (qemu_timer *))                                                             \
    X(timer_pending, bool, (qemu_timer *))                                                         \
    X(timer_expire_time_ns, uint64_t, (qemu_timer *))                                              \
    X(qemu_clock_get_ns, int64_t, (int))                                                           \
    X(qemu_register_reset, void, (void (*)(void *), void *))                                       \
    X(qemu_devices_reset, void, (int))                                                             \
    X(qemu_allocate_irq, qemu_line *, (void (*)(void *, int, int), void *, int))                   \
    X(qdev_connect_gpio_out_named, void, (qemu_object *, const char *, int, qemu_line *))          \
    X(async_run_on_cpu, void, (qemu_cpu *, void (*)(qemu_cpu *, void *), void *))                  \
    X(qemu_get_cpu, qemu_cpu *, (int))                                                             \
    X(cpu_memory_rw_debug, int, (qemu_cpu *, uint64_t, void *, size_t, bool))                      \
    X(cpu_dump_state, void, (qemu_cpu *, FILE *, int))                                             \
    X(qmp_query_version, const qemu_version *, (void *))                                           \
    X(qemu_plugin_register_vcpu_tb_trans_cb, void, (uint64_t, qemu_block_made *))                  \
    X(qemu_plugin_register_vcpu_tb_exec_cb, void, (qemu_block *, qemu_block_runs *, int, void *))  \
    X(qemu_plugin_tb_vaddr, uint64_t, (const qemu_block *))

typedef struct ib_emulator {
#define IB_EMULATOR_MEMBER(name, result, parameters) result(*name) parameters;
    IB_EMULATOR_FUNCTIONS(IB_EMULATOR_MEMBER)
#undef IB_EMULATOR_MEMBER
    qemu_space *memory; /* QEMU's address_space_memory */
    char version[64];   /* "7.2.22 (Debian ...)", or "of unknown version" */
} ib_emulator;

/* Finds all functions. False: `why` (of `size` bytes) names those that are missing. */
bool ib_emulator_find(ib_emulator *emulator, char *why, size_t size);
/* Tries memory, the timer and the processor; the machine must have been made. */
bool ib_emulator_try(const ib_emulator *emulator, char *why, size_t size);
/* Guest memory as the bus sees it. False: nothing is there. */
bool ib_emulator_copy(const ib_emulator *emulator, uint32_t address, void *bytes, uint32_t size,
                      bool write);
/* The processor, with as many interrupt inputs as *n_lines; NULL: the machine has no Cortex-M. */
qemu_object *ib_emulator_processor(const ib_emulator *emulator, int *n_lines);

#endif
