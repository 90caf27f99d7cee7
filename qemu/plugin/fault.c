/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HardFault: the moment at which the processor enters its handler (ARMv7-M Architecture Reference
 * Manual, B1.5). Such firmware rarely says anything; so the run is ended here, while what the
 * exception has stacked and the fault status registers still tell what happened.
 *
 * Each piece of code that QEMU translates is compared with the vector; only the one at the
 * handler's beginning is watched, so nothing else runs slower. Another exception may share the
 * handler: the active exception's number decides.
 */
#include "qemu/plugin/plugin.h"

#include <stdlib.h>
#include <string.h>

enum { HARD_FAULT = 3 };

/* System control block, B3.2. */
static const uint32_t icsr = 0xe000ed04, vtor = 0xe000ed08, cfsr = 0xe000ed28, hfsr = 0xe000ed2c,
                      mmfar = 0xe000ed34, bfar = 0xe000ed38;

static ib_plugin *watched; /* QEMU's call gives no context */

static uint32_t peek(const ib_plugin *plugin, uint32_t address) {
    uint8_t b[4] = {0};
    const ib_emulator *e = &plugin->emulator;
    if (e->cpu_memory_rw_debug(e->qemu_get_cpu(0), address, b, 4, false) != 0)
        return 0;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* A core register by the name that QEMU prints it with. At the first instruction of a block the
 * registers are where QEMU prints them from, but for the program counter. */
static uint32_t core_register(const ib_plugin *plugin, const char *name) {
    char *text = NULL;
    size_t length = 0;
    uint32_t value = 0;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        return 0;
    plugin->emulator.cpu_dump_state(plugin->emulator.qemu_get_cpu(0), file, 0);
    fclose(file);
    const char *at = text ? strstr(text, name) : NULL;
    if (at)
        value = (uint32_t)strtoul(at + strlen(name), NULL, 16);
    free(text);
    return value;
}

/* The exception's frame lies on the main stack unless bit 2 of EXC_RETURN says process stack, whose
 * pointer QEMU does not print. Return address and LR are its words 6 and 5 (B1.5.6). */
static void read_stack(ib_plugin *plugin, ib_frame_fault *fault) {
    const uint32_t exc_return = core_register(plugin, "R14=");
    const uint32_t sp = core_register(plugin, "R13=");
    fault->stacked = (exc_return >> 24) == 0xff && !(exc_return & 4);
    if (!fault->stacked)
        return;
    fault->pc = peek(plugin, sp + 24);
    fault->lr = peek(plugin, sp + 20);
}

static void entered(unsigned int cpu, void *context) {
    ib_plugin *plugin = context;
    ib_frame *frame = plugin->frame;
    (void)cpu;
    if ((peek(plugin, icsr) & 0x1ff) != HARD_FAULT)
        return;
    ib_frame_fault *fault = &frame->fault;
    *fault = (ib_frame_fault){.cfsr = peek(plugin, cfsr),
                              .hfsr = peek(plugin, hfsr),
                              .mmfar = peek(plugin, mmfar),
                              .bfar = peek(plugin, bfar)};
    read_stack(plugin, fault);
    /* The clock cannot be read in the middle of a block: the time of the last tick stays. */
    for (;;)
        ib_turn_give(frame, IB_FRAME_FAULTED);
}

static void made(uint64_t id, qemu_block *block) {
    const ib_emulator *e = &watched->emulator;
    (void)id;
    const uint32_t handler = peek(watched, peek(watched, vtor) + 4 * HARD_FAULT);
    if ((uint32_t)e->qemu_plugin_tb_vaddr(block) == (handler & ~UINT32_C(1)))
        e->qemu_plugin_register_vcpu_tb_exec_cb(block, entered, 0, watched);
}

uint32_t ib_plugin_program_counter(const ib_plugin *plugin) {
    return core_register(plugin, "R15=");
}

void ib_plugin_watch_faults(ib_plugin *plugin) {
    watched = plugin;
    plugin->emulator.qemu_plugin_register_vcpu_tb_trans_cb(plugin->id, made);
}
