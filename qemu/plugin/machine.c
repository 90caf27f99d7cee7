/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hub in QEMU's machine: windows of registers laid over the board's own, interrupt lines of the
 * NVIC, one timer for the hub's alarm and one for the host's ticks, both on the virtual clock. */
#include "qemu/plugin/plugin.h"

#include <stdlib.h>
#include <string.h>

enum {
    PART_PRIORITY = 1001,
    REST_PRIORITY = 1000,
    REST_BASE = 0x40000000,
    REST_SIZE = 0x20000000,
    BLOCK_SIZE = 0x400 /* the STM32 gives each peripheral one, or several */
};

static int64_t now(const ib_plugin *plugin) {
    return plugin->emulator.qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL_TIME);
}

/* ---- accesses ------------------------------------------------------------------------------- */

static void see(ib_plugin *plugin, uint32_t address, uint32_t value, bool write) {
    ib_frame_access *seen = &plugin->frame->seen;
    seen->time = now(plugin);
    seen->value = value;
    seen->write = write;
    seen->address = address;
    seen->count++;
}

static uint64_t window_read(void *context, uint64_t offset, unsigned size) {
    const ib_window *window = context;
    const uint32_t address = window->base + (uint32_t)offset;
    const uint32_t value = ib_hub_read(window->plugin->hub, address, size);
    see(window->plugin, address, value, false);
    return value;
}

static void window_write(void *context, uint64_t offset, uint64_t value, unsigned size) {
    const ib_window *window = context;
    const uint32_t address = window->base + (uint32_t)offset;
    see(window->plugin, address, (uint32_t)value, true);
    ib_hub_write(window->plugin->hub, address, size, (uint32_t)value);
}

/* Nobody's: told once a block. */
static void rest_seen(ib_plugin *plugin, uint64_t offset, uint64_t value, bool write) {
    const size_t block = (size_t)offset / BLOCK_SIZE;
    const uint32_t address = REST_BASE + (uint32_t)offset;
    char text[120];
    see(plugin, address, (uint32_t)value, write);
    if (plugin->told[block / 8] >> block % 8 & 1)
        return;
    plugin->told[block / 8] |= (uint8_t)(1 << block % 8);
    snprintf(text, sizeof text, "the board has nothing at 0x%08x, which the firmware %s", address,
             write ? "writes" : "reads");
    ib_plugin_note(plugin, now(plugin), IB_FRAME_UNMODELLED, "board", text);
}

static uint64_t rest_read(void *context, uint64_t offset, unsigned size) {
    const ib_window *rest = context;
    (void)size;
    rest_seen(rest->plugin, offset, 0, false);
    return 0;
}

static void rest_write(void *context, uint64_t offset, uint64_t value, unsigned size) {
    const ib_window *rest = context;
    (void)size;
    rest_seen(rest->plugin, offset, value, true);
}

static void lay(ib_plugin *plugin, ib_window *window, const qemu_region_functions *functions,
                uint32_t base, uint32_t size, int priority) {
    const ib_emulator *e = &plugin->emulator;
    window->plugin = plugin;
    window->base = base;
    e->memory_region_init_io(&window->region, NULL, functions, window, "ironbird", size);
    e->memory_region_add_subregion_overlap(e->get_system_memory(), base, &window->region, priority);
}

static bool lay_windows(ib_plugin *plugin) {
    static const qemu_region_functions part = {.read = window_read,
                                               .write = window_write,
                                               .endianness = QEMU_LITTLE_ENDIAN,
                                               .valid = {1, 4, false, NULL},
                                               .works = {1, 4, false}};
    static const qemu_region_functions rest = {.read = rest_read,
                                               .write = rest_write,
                                               .endianness = QEMU_LITTLE_ENDIAN,
                                               .valid = {1, 4, true, NULL},
                                               .works = {1, 4, true}};
    const ib_part *p;
    for (int i = 0; (p = ib_hub_part(plugin->hub, i)); i++)
        if (p->type->window)
            lay(plugin, &plugin->windows[i], &part, p->base, p->type->window, PART_PRIORITY);
    plugin->told = calloc(REST_SIZE / BLOCK_SIZE / 8, 1);
    if (plugin->has_rest && plugin->told)
        lay(plugin, &plugin->rest, &rest, REST_BASE, REST_SIZE, REST_PRIORITY);
    return plugin->told != NULL;
}

/* ---- the tick ------------------------------------------------------------------------------- */

static void latch(ib_plugin *plugin) {
    ib_frame *frame = plugin->frame;
    for (int i = 0; i < plugin->n_pulses; i++) {
        ib_pulse pulse = {0};
        ib_hub_pulse(plugin->hub, plugin->pulse_part[i], plugin->pulse_channel[i], &pulse);
        frame->pulses[i] = (ib_frame_pulse){pulse.running, 0, pulse.width, pulse.period};
    }
    const int at = ib_hub_at(plugin->hub, frame->seen.address);
    const ib_part *part = at >= 0 ? ib_hub_part(plugin->hub, at) : NULL;
    snprintf(frame->seen.part, sizeof frame->seen.part, "%s", part ? part->name : "");
    frame->now = now(plugin);
    if (plugin->trace)
        fflush(plugin->trace);
}

/* What the host has for links goes to their parts, as far as they have room. */
static void feed_links(ib_plugin *plugin) {
    for (int i = 0; i < plugin->n_links; i++) {
        ib_frame_ring *ring = &plugin->frame->to_firmware[i];
        while (ring->tail != ring->head) {
            const uint32_t first = ring->tail % IB_FRAME_RING, n = ring->head - ring->tail;
            const uint32_t whole = IB_FRAME_RING - first < n ? IB_FRAME_RING - first : n;
            const size_t taken =
                ib_hub_link_input(plugin->hub, plugin->link_part[i], ring->bytes + first, whole);
            ring->tail += (uint32_t)taken;
            if (taken < whole)
                break;
        }
    }
}

static void hand_over(ib_plugin *plugin, ib_frame_state state) {
    latch(plugin);
    ib_turn_give(plugin->frame, state);
    while (plugin->frame->order == IB_FRAME_WHERE) {
        plugin->frame->fault.pc = ib_plugin_program_counter(plugin);
        ib_turn_give(plugin->frame, state);
    }
    plugin->frame->n_notes = 0;
    plugin->tick_due = plugin->frame->until;
}

static void tick(ib_plugin *plugin) {
    hand_over(plugin, IB_FRAME_TICKED);
    feed_links(plugin);
    if (plugin->tick_line >= 0) {
        plugin->emulator.qemu_set_irq(plugin->lines[plugin->tick_line], 1);
        plugin->emulator.qemu_set_irq(plugin->lines[plugin->tick_line], 0);
    }
}

/* ---- time ----------------------------------------------------------------------------------- */

/* Setting a timer while the processor sleeps lets QEMU skip to the earliest one at once. So there
 * is one timer for all, it is set once for all that is due, and after interrupts have been raised:
 * a processor that has one pending does not sleep. */
void ib_plugin_arm(ib_plugin *plugin) {
    const int64_t next =
        plugin->alarm_due < plugin->tick_due ? plugin->alarm_due : plugin->tick_due;
    if (plugin->busy || next == plugin->armed)
        return;
    plugin->armed = next;
    plugin->emulator.timer_mod(&plugin->timer, next);
}

static void ring(void *context) {
    ib_plugin *plugin = context;
    plugin->armed = plugin->alarm_due = IB_NEVER; /* the hub sets its alarm anew */
    plugin->busy = true;
    ib_hub_expire(plugin->hub); /* what is due at this very time is before the tick */
    if (now(plugin) >= plugin->tick_due)
        tick(plugin);
    plugin->busy = false;
    ib_plugin_arm(plugin);
}

/* ---- reset ---------------------------------------------------------------------------------- */

/* QEMU's own way to a reset leads through its main thread, which finds the processor stopped, or
 * not yet, and accordingly skips time or does not. Ours is work for the processor's own thread: it
 * is done between two instructions, at the time at which it was asked for. */
static void reset_machine(qemu_cpu *cpu, void *context) {
    ib_plugin *plugin = context;
    (void)cpu;
    plugin->resetting = false;
    plugin->emulator.qemu_devices_reset(QEMU_RESET_BY_GUEST);
}

void ib_plugin_reset(ib_plugin *plugin) {
    const ib_emulator *e = &plugin->emulator;
    if (!plugin->resetting)
        e->async_run_on_cpu(e->qemu_get_cpu(0), reset_machine, plugin);
    plugin->resetting = true;
}

/* The processor's SYSRESETREQ. */
static void reset_asked(void *context, int number, int level) {
    (void)number;
    if (level)
        ib_plugin_reset(context);
}

/* QEMU resets the machine once before it runs: that is power-on. Later on the timer stays as it is
 * unless something is due earlier: a processor that sleeps is still asleep here. */
static void was_reset(void *context) {
    ib_plugin *plugin = context;
    if (plugin->started) {
        plugin->frame->resets++;
        ib_plugin_note(plugin, now(plugin), IB_FRAME_EVENT, "processor", "was reset");
        plugin->busy = true;
        ib_hub_reset(plugin->hub);
        plugin->busy = false;
        if (plugin->alarm_due < plugin->armed)
            ib_plugin_arm(plugin);
    }
    plugin->started = true;
}

bool ib_plugin_wire(ib_plugin *plugin, char *why, size_t size) {
    const ib_emulator *e = &plugin->emulator;
    if (!lay_windows(plugin)) {
        snprintf(why, size, "the board has no room");
        return false;
    }
    for (int i = 0; i < plugin->n_lines && i < IB_PLUGIN_LINES; i++)
        plugin->lines[i] = e->qdev_get_gpio_in(plugin->processor, i);
    e->timer_init_full(&plugin->timer, NULL, QEMU_CLOCK_VIRTUAL_TIME, 1, 0, ring, plugin);
    plugin->alarm_due = plugin->tick_due = plugin->armed = IB_NEVER;
    plugin->busy = true;
    e->qemu_register_reset(was_reset, plugin);
    e->qdev_connect_gpio_out_named(plugin->processor, "SYSRESETREQ", 0,
                                   e->qemu_allocate_irq(reset_asked, plugin, 0));
    ib_hub_start(plugin->hub);
    ib_plugin_watch_faults(plugin);
    hand_over(plugin, IB_FRAME_READY);
    plugin->busy = false;
    ib_plugin_arm(plugin);
    return true;
}

/* ---- notes ---------------------------------------------------------------------------------- */

void ib_plugin_note(ib_plugin *plugin, int64_t time, ib_frame_note_kind kind, const char *part,
                    const char *text) {
    ib_frame *frame = plugin->frame;
    if (frame->n_notes >= IB_FRAME_NOTES) {
        frame->notes_lost++;
        return;
    }
    ib_frame_note *note = &frame->notes[frame->n_notes++];
    note->time = time;
    note->kind = kind;
    snprintf(note->part, sizeof note->part, "%s", part);
    snprintf(note->text, sizeof note->text, "%s", text);
}
