/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ironbird-qemu.so: a plugin for the distribution's qemu-system-arm that puts a board's peripherals
 * and chips into its machine and runs the firmware in turns with a host.
 *
 *     qemu-system-arm -M MACHINE -kernel IMAGE -icount shift=N,sleep=off
 *                     -plugin ironbird-qemu.so,frame=NUMBER[,trace=FILE]
 *
 * NUMBER is an open file that holds the frame of qemu/wire/frame.h. The beginning is in QEMU's
 * order: the plugin is loaded, the machine is made, QEMU tells that it is, the parts go in, the
 * processor is reset, time begins.
 */
#include "qemu/plugin/plugin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- what the hub asks of its host ---------------------------------------------------------- */

static int64_t host_now(void *context) {
    const ib_plugin *plugin = context;
    return plugin->emulator.qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL_TIME);
}

static void host_alarm(void *context, int64_t when) {
    ib_plugin *plugin = context;
    plugin->alarm_due = when;
    ib_plugin_arm(plugin);
}

static void host_interrupt(void *context, int irq, bool level) {
    const ib_plugin *plugin = context;
    if (irq < plugin->n_lines && irq < IB_PLUGIN_LINES && plugin->lines[irq])
        plugin->emulator.qemu_set_irq(plugin->lines[irq], level);
}

static bool host_read(void *context, uint32_t address, void *to, uint32_t size) {
    const ib_plugin *plugin = context;
    return ib_emulator_copy(&plugin->emulator, address, to, size, false);
}

static bool host_write(void *context, uint32_t address, const void *from, uint32_t size) {
    const ib_plugin *plugin = context;
    return ib_emulator_copy(&plugin->emulator, address, (void *)(uintptr_t)from, size, true);
}

static void host_reset(void *context, const char *part) {
    ib_plugin *plugin = context;
    ib_plugin_note(plugin, host_now(context), IB_FRAME_EVENT, part, "asks for a reset");
    ib_plugin_reset(plugin);
}

static void host_note(void *context, ib_note kind, const char *part, const char *text) {
    static const ib_frame_note_kind kinds[] = {[IB_NOTE_UNMODELLED] = IB_FRAME_UNMODELLED,
                                               [IB_NOTE_MISUSE] = IB_FRAME_MISUSE,
                                               [IB_NOTE_EVENT] = IB_FRAME_EVENT};
    ib_plugin_note(context, host_now(context), kinds[kind], part, text);
}

static void host_trace(void *context, const ib_access *access) {
    const ib_plugin *plugin = context;
    fprintf(plugin->trace, "%" PRId64 " %s %s %s 0x%0*" PRIx32 "\n", access->time, access->part,
            access->reg, access->write ? "<-" : "->", (int)access->size * 2, access->value);
}

static void host_byte(void *context, int link, uint8_t byte) {
    ib_plugin *plugin = context;
    for (int i = 0; i < plugin->n_links; i++) {
        ib_frame_ring *ring = &plugin->frame->from_firmware[i];
        if (plugin->link_part[i] != link)
            continue;
        if (ring->head - ring->tail < IB_FRAME_RING)
            ring->bytes[ring->head++ % IB_FRAME_RING] = byte;
        else
            ring->lost++;
    }
}

/* ---- beginning ------------------------------------------------------------------------------ */

static void refuse(ib_plugin *plugin, const char *why) {
    snprintf(plugin->frame->text, sizeof plugin->frame->text, "%s", why);
    for (;;)
        ib_turn_give(plugin->frame, IB_FRAME_REFUSED);
}

static void machine_made(qemu_notifier *notifier, void *data) {
    ib_plugin *plugin = (ib_plugin *)((char *)notifier - offsetof(ib_plugin, made));
    const ib_host host = {.context = plugin,
                          .now = host_now,
                          .alarm = host_alarm,
                          .interrupt = host_interrupt,
                          .memory_read = host_read,
                          .memory_write = host_write,
                          .system_reset = host_reset,
                          .note = host_note,
                          .trace = plugin->trace ? host_trace : NULL,
                          .link_byte = host_byte};
    char why[400];
    (void)data;
    if (!ib_emulator_try(&plugin->emulator, why, sizeof why))
        refuse(plugin, why);
    plugin->processor = ib_emulator_processor(&plugin->emulator, &plugin->n_lines);
    if (!ib_plugin_build(plugin, &host, why, sizeof why) ||
        !ib_plugin_wire(plugin, why, sizeof why))
        refuse(plugin, why);
}

static bool take_arguments(ib_plugin *plugin, int n, char **arguments) {
    for (int i = 0; i < n; i++) {
        if (strncmp(arguments[i], "frame=", 6) == 0)
            plugin->frame = ib_turn_open((int)strtol(arguments[i] + 6, NULL, 10));
        else if (strncmp(arguments[i], "trace=", 6) == 0)
            plugin->trace = fopen(arguments[i] + 6, "w");
    }
    return plugin->frame != NULL;
}

/* A firmware that locks up makes QEMU abort; nobody wants its core. */
static void leave_no_core(void) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
}

/* QEMU's two names: the version of the plugin interface that is wanted, and the beginning. */
extern int qemu_plugin_version;
__attribute__((visibility("default"))) int qemu_plugin_version = 1;
int qemu_plugin_install(uint64_t id, const void *info, int n, char **arguments);

__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id, const void *info, int n,
                                                               char **arguments) {
    static ib_plugin plugin;
    char why[400];
    (void)info;
    plugin.id = id;
    if (!take_arguments(&plugin, n, arguments))
        return 1; /* QEMU says that the plugin could not be initialised */
    leave_no_core();
    ib_turn_watch_host(plugin.frame);
    if (!ib_emulator_find(&plugin.emulator, why, sizeof why))
        refuse(&plugin, why);
    snprintf(plugin.frame->emulator, sizeof plugin.frame->emulator, "%s", plugin.emulator.version);
    plugin.made.notify = machine_made;
    plugin.emulator.qemu_add_machine_init_done_notifier(&plugin.made);
    return 0;
}
