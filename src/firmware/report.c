/* Sentences about firmware and emulators that come to an end: what happened, where the firmware
 * was, what it last touched. */
#include "firmware/internal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void begin(const ib_firmware *firmware, ib_str *text) {
    if (firmware->vehicle)
        ib_str_printf(text, "%s: ", firmware->vehicle);
    ib_str_printf(text, "firmware '%s' ", firmware->name);
}

static void add_place(const ib_firmware *firmware, uint32_t address, ib_str *text) {
    uint32_t offset = 0;
    const char *symbol = ib_image_symbol(&firmware->image, address, &offset);
    ib_str_printf(text, "0x%08x", address);
    if (symbol)
        ib_str_printf(text, " (%s+0x%x)", symbol, offset);
}

static void add_seen(const ib_firmware *firmware, ib_str *text) {
    const ib_frame_access *seen = &firmware->frame->seen;
    if (seen->count == 0) {
        ib_str_add(text, "; it has touched no peripheral");
        return;
    }
    ib_str_printf(text, "; its last access: %s 0x%x %s 0x%08x at %.6f s",
                  seen->write ? "wrote" : "read", seen->value, seen->write ? "to" : "from",
                  seen->address, ib_time_seconds(seen->time));
}

static ib_status finish(ib_str *text, ib_diag_id id, ib_diags *diags) {
    if (text->failed)
        ib_diags_no_memory(diags);
    else
        ib_diags_add(diags, IB_ERROR, id, IB_NO_PLACE, "%s", text->data);
    ib_str_free(text);
    return IB_SIMULATION_FAILED;
}

/* ---- the firmware's own ends ---------------------------------------------------------------- */

/* The fault status registers in words, the most telling bit first (ARMv7-M, B3.2.15, B3.2.16). */
static const struct {
    uint32_t bit;
    const char *text;
} causes[] = {{1u << 9, "a data access where there is nothing"},
              {1u << 10, "a write where there is nothing, some instructions before"},
              {1u << 8, "instructions fetched where there are none"},
              {1u << 16, "an instruction that the processor does not know"},
              {1u << 17, "a jump to an even address or a broken state"},
              {1u << 18, "a broken return from an exception"},
              {1u << 19, "the floating-point unit used while it is off"},
              {1u << 24, "an access that is not aligned"},
              {1u << 25, "a division by zero"},
              {1u << 0, "instructions fetched where they may not be"},
              {1u << 1, "a data access that is forbidden"},
              {1u << 12, "a stack where there is nothing"},
              {1u << 11, "a stack where there is nothing"},
              {1u << 4, "a stack where it may not be"},
              {1u << 3, "a stack where it may not be"}};

static const char *cause_of(const ib_frame_fault *fault) {
    for (size_t i = 0; i < IB_COUNT(causes); i++)
        if (fault->cfsr & causes[i].bit)
            return causes[i].text;
    if (fault->hfsr & 2)
        return "an exception whose vector cannot be read";
    return fault->hfsr >> 31 ? "a breakpoint that nobody waits at" : "an unknown cause";
}

ib_status ib_report_fault(const ib_firmware *firmware, ib_diags *diags) {
    const ib_frame_fault *fault = &firmware->frame->fault;
    ib_str text = {0};
    begin(firmware, &text);
    ib_str_printf(&text, "has a HardFault after %.6f s: %s", ib_time_seconds(firmware->frame->now),
                  cause_of(fault));
    if (fault->cfsr & 1u << 15)
        ib_str_printf(&text, ", address 0x%08x", fault->bfar);
    else if (fault->cfsr & 1u << 7)
        ib_str_printf(&text, ", address 0x%08x", fault->mmfar);
    if (fault->stacked) {
        ib_str_add(&text, "; at ");
        add_place(firmware, fault->pc, &text);
        ib_str_add(&text, ", called from ");
        add_place(firmware, fault->lr & ~UINT32_C(1), &text);
    }
    add_seen(firmware, &text);
    return finish(&text, IB1303, diags);
}

ib_status ib_report_boots(const ib_firmware *firmware, ib_diags *diags) {
    ib_str text = {0};
    begin(firmware, &text);
    ib_str_printf(&text, "boots endlessly: the processor has been reset %u times by %.6f s",
                  firmware->frame->resets, ib_time_seconds(firmware->frame->now));
    add_seen(firmware, &text);
    return finish(&text, IB1303, diags);
}

ib_status ib_report_silence(const ib_firmware *firmware, ib_diags *diags) {
    ib_str text = {0};
    begin(firmware, &text);
    ib_str_printf(&text, "has touched no peripheral for %g s; at %.6f s it is at ",
                  ib_time_seconds(firmware->frame->now - firmware->frame->seen.time),
                  ib_time_seconds(firmware->frame->now));
    add_place(firmware, firmware->frame->fault.pc, &text);
    add_seen(firmware, &text);
    return finish(&text, IB1303, diags);
}

ib_status ib_report_strict(const ib_firmware *firmware, const ib_frame_note *note,
                           ib_diags *diags) {
    ib_str text = {0};
    begin(firmware, &text);
    ib_str_printf(&text, "uses at %.6f s what is not modelled: %s: %s", ib_time_seconds(note->time),
                  note->part, note->text);
    return finish(&text, IB1306, diags);
}

/* ---- the emulator's ends -------------------------------------------------------------------- */

/* QEMU aborts with these words, then prints the registers. */
static bool report_lockup(const ib_firmware *firmware, const char *said, ib_diags *diags) {
    const char *lockup = strstr(said, "Lockup: ");
    const char *pc = lockup ? strstr(lockup, "R15=") : NULL;
    ib_str text = {0};
    if (!lockup)
        return false;
    begin(firmware, &text);
    ib_str_printf(&text, "locks up after %.6f s: a fault where none can be handled",
                  ib_time_seconds(firmware->frame->now));
    if (pc) {
        ib_str_add(&text, "; at ");
        add_place(firmware, (uint32_t)strtoul(pc + 4, NULL, 16), &text);
    }
    add_seen(firmware, &text);
    finish(&text, IB1303, diags);
    return true;
}

ib_status ib_report_death(const ib_firmware *firmware, ib_diags *diags) {
    char said[4096];
    ib_str text = {0};
    ib_child_said(&firmware->child, said, sizeof said);
    if (report_lockup(firmware, said, diags))
        return IB_SIMULATION_FAILED;
    begin(firmware, &text);
    ib_str_printf(&text,
                  "has lost its emulator after %.6f s: ", ib_time_seconds(firmware->frame->now));
    if (firmware->child.signal)
        ib_str_printf(&text, "it was ended by signal %d", firmware->child.signal);
    else
        ib_str_printf(&text, "it has ended with code %d", firmware->child.code);
    if (*said)
        ib_str_printf(&text, " and said: %.*s", (int)strcspn(said, "\n"), said);
    add_seen(firmware, &text);
    return finish(&text, IB1304, diags);
}

ib_status ib_report_late(const ib_firmware *firmware, ib_diags *diags) {
    ib_str text = {0};
    begin(firmware, &text);
    ib_str_printf(&text, "has given no answer for %g s of wall time; virtual time was %.6f s",
                  firmware->patience, ib_time_seconds(firmware->frame->now));
    add_seen(firmware, &text);
    return finish(&text, IB1305, diags);
}
