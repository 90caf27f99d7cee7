/* One interface to all kinds of flight computers, and what holds for every kind: the output frame
 * is checked before anybody sees it, and a computer that has failed stays failed.
 */
#include "fcc/internal.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what all kinds have -------------------------------------------------------------------- */

ib_status ib_fcc_no_memory(ib_diags *diags) { return ib_diags_no_memory(diags); }

static char *copy_of(const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

ib_status ib_computer_prepare(ib_computer *computer, const ib_computer_functions *functions,
                              const char *name, const ib_computer_options *options,
                              ib_diags *diags) {
    computer->functions = functions;
    computer->guard = options->guard;
    computer->name = copy_of(name);
    computer->vehicle = options->vehicle ? copy_of(options->vehicle) : NULL;
    if (!computer->name || (options->vehicle && !computer->vehicle))
        return ib_fcc_no_memory(diags);
    return IB_OK;
}

ib_status ib_computer_fail(const ib_computer *computer, int64_t tick, ib_diag_id id,
                           ib_diags *diags, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ib_diags_add(diags, IB_ERROR, id, IB_NO_PLACE, "%s%sflight computer '%s', tick %lld: %s",
                 computer->vehicle ? computer->vehicle : "", computer->vehicle ? ": " : "",
                 computer->name, (long long)tick, text);
    return IB_SIMULATION_FAILED;
}

const char *ib_fcc_signal_text(int signal_number) {
    switch (signal_number) {
    case SIGSEGV:
        return "SIGSEGV: it reached for memory that is not its own";
    case SIGBUS:
        return "SIGBUS: it reached for memory that is not there";
    case SIGFPE:
        return "SIGFPE: it divided an integer by zero";
    case SIGILL:
        return "SIGILL: it came to an instruction that does not exist";
    case SIGABRT:
        return "SIGABRT: it aborted, as a failed assertion does";
    case SIGKILL:
        return "SIGKILL: its process was killed";
    case SIGTERM:
        return "SIGTERM: its process was asked to end";
    default:
        return "a signal";
    }
}

/* ---- the output frame ----------------------------------------------------------------------- */

/* An array of the output frame: where its count and its numbers are. */
typedef struct out_array {
    const char *name, *field; /* "engine", ".throttle" */
    size_t count, first, stride, bound;
} out_array;

#define ARRAY(name, field, member, bound)                                                          \
    {                                                                                              \
#name, field, offsetof(ib_fcc_out, n_##name), offsetof(ib_fcc_out, member),                \
            sizeof(((ib_fcc_out *)0)->name[0]), bound                                              \
    }

static const out_array arrays[] = {
    ARRAY(engine, ".throttle", engine[0].throttle, IB_FCC_MOST),
    ARRAY(servo, "", servo[0], IB_FCC_MOST),
    ARRAY(fin, "", fin[0], IB_FCC_MOST),
    ARRAY(interlock, NULL, interlock[0], IB_FCC_MOST),
    ARRAY(pwm, "", pwm[0], IB_FCC_PWM),
    ARRAY(user, "", user[0], IB_FCC_USER),
};

static bool array_is_faulty(const out_array *array, const ib_fcc_out *out, char *text) {
    const char *bytes = (const char *)out;
    uint32_t n;
    memcpy(&n, bytes + array->count, sizeof n);
    if (n > array->bound) {
        snprintf(text, IB_FCC_TEXT, "n_%s is %u in its output frame, which has room for %zu",
                 array->name, n, array->bound);
        return true;
    }
    for (uint32_t i = 0; array->field && i < n; i++) {
        double value;
        char number[IB_NUMBER_SIZE];
        memcpy(&value, bytes + array->first + i * array->stride, sizeof value);
        if (isfinite(value))
            continue;
        snprintf(text, IB_FCC_TEXT, "%s[%u]%s is %s in its output frame", array->name, i,
                 array->field, ib_number_text(value, number));
        return true;
    }
    return false;
}

bool ib_frame_faulty(ib_fcc_out *out, char text[IB_FCC_TEXT]) {
    out->log_text[IB_FCC_TEXT - 1] = '\0';
    if (out->abi != IB_FCC_ABI) {
        snprintf(text, IB_FCC_TEXT, "abi is %u in its output frame, not %u", out->abi, IB_FCC_ABI);
        return true;
    }
    for (size_t i = 0; i < IB_COUNT(arrays); i++)
        if (array_is_faulty(&arrays[i], out, text))
            return true;
    return false;
}

bool ib_frame_in_faulty(const ib_fcc_in *in, char text[IB_FCC_TEXT]) {
    const struct {
        const char *name;
        uint32_t n, bound;
    } counts[] = {
        {"imu", in->n_imu, IB_FCC_MOST},
        {"gps", in->n_gps, IB_FCC_MOST},
        {"baro", in->n_baro, IB_FCC_MOST},
        {"mag", in->n_mag, IB_FCC_MOST},
        {"altimeter", in->n_altimeter, IB_FCC_MOST},
        {"engine", in->n_engine, IB_FCC_MOST},
        {"servo", in->n_servo, IB_FCC_MOST},
        {"fin", in->n_fin, IB_FCC_MOST},
        {"interlock", in->n_interlock, IB_FCC_MOST},
        {"user", in->n_user, IB_FCC_USER},
    };
    for (size_t i = 0; i < IB_COUNT(counts); i++)
        if (counts[i].n > counts[i].bound) {
            snprintf(text, IB_FCC_TEXT, "n_%s is %u in the input frame, which has room for %u",
                     counts[i].name, counts[i].n, counts[i].bound);
            return true;
        }
    return false;
}

/* ---- mail ----------------------------------------------------------------------------------- */

/* The numbers of a command's body: how many, and where. */
static bool body_is_finite(const ib_fcc_message *message) {
    const size_t at =
        message->kind == IB_FCC_KIND_ENGINE ? offsetof(ib_fcc_engine_command, throttle) : 0;
    double value;
    memcpy(&value, message->body + at, sizeof value);
    return message->kind == IB_FCC_KIND_INTERLOCK || isfinite(value);
}

static bool message_is_faulty(const ib_fcc_message *message, const uint32_t n[], bool commands,
                              char text[IB_FCC_TEXT]) {
    const uint32_t first = commands ? IB_FCC_KIND_ENGINE : 0;
    const bool known = message->kind >= first && message->kind < IB_FCC_KIND_MOTORS;
    if (!known)
        snprintf(text, IB_FCC_TEXT, "its mail has a message of kind %u", message->kind);
    else if (message->device >= n[message->kind])
        snprintf(text, IB_FCC_TEXT, "its mail names device %u of type %s; the vehicle has %u",
                 message->device, ib_fcc_kind_name((ib_fcc_kind)message->kind), n[message->kind]);
    else if (commands && !body_is_finite(message))
        snprintf(text, IB_FCC_TEXT, "its mail commands what is not finite to device %u of type %s",
                 message->device, ib_fcc_kind_name((ib_fcc_kind)message->kind));
    else
        return false;
    return true;
}

static bool numbers_are_finite(const double *numbers, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

bool ib_mail_faulty(ib_fcc_mail *mail, const uint32_t n[IB_FCC_KIND_COUNT], bool commands,
                    char text[IB_FCC_TEXT]) {
    mail->log_text[IB_FCC_TEXT - 1] = '\0';
    if (mail->abi != IB_FCC_ABI || mail->n_user > IB_FCC_USER || mail->n_pwm > IB_FCC_PWM ||
        mail->n_messages > IB_FCC_MAIL) {
        snprintf(text, IB_FCC_TEXT,
                 "its mail says abi %u, %u messages, %u user numbers, %u pulse widths; there is "
                 "room for %d, %d and %d",
                 mail->abi, mail->n_messages, mail->n_user, mail->n_pwm, IB_FCC_MAIL, IB_FCC_USER,
                 IB_FCC_PWM);
        return true;
    }
    for (uint32_t i = 0; i < mail->n_messages; i++)
        if (message_is_faulty(&mail->messages[i], n, commands, text))
            return true;
    if (numbers_are_finite(mail->user, mail->n_user) && numbers_are_finite(mail->pwm, mail->n_pwm))
        return false;
    snprintf(text, IB_FCC_TEXT, "its mail has a user number or a pulse width that is not finite");
    return true;
}

bool ib_attach_faulty(const ib_fcc_attach *attach, char text[IB_FCC_TEXT]) {
    bool good = attach->abi == IB_FCC_ABI && attach->period > 0 && attach->n_user <= IB_FCC_USER;
    for (int i = 0; i < IB_FCC_KIND_COUNT; i++)
        good = good && attach->n[i] <= IB_FCC_MOST;
    snprintf(text, IB_FCC_TEXT, "a run cannot begin with this period or so many devices");
    return !good;
}

/* ---- the interface -------------------------------------------------------------------------- */

ib_status ib_computer_post(ib_computer *computer, const ib_fcc_mail *mail, ib_fcc_mail *back,
                           bool *any, ib_diags *diags) {
    char text[IB_FCC_TEXT];
    *any = false;
    ib_status status = computer->functions->post(computer, mail, back, any, diags);
    if (status == IB_OK && *any && ib_mail_faulty(back, computer->n, true, text))
        status = ib_computer_fail(computer, back->ticks, IB1208, diags, "%s", text);
    computer->failed = status != IB_OK && status != IB_INTERRUPTED;
    return status;
}

ib_status ib_computer_tick(ib_computer *computer, const ib_fcc_in *in, ib_fcc_out *out,
                           ib_diags *diags) {
    char text[IB_FCC_TEXT];
    if (computer->failed)
        return ib_computer_fail(computer, in->tick, IB1205, diags, "it has failed before");
    ib_status status = computer->functions->tick(computer, in, out, diags);
    if (status == IB_OK && ib_frame_faulty(out, text))
        status = ib_computer_fail(computer, in->tick, IB1208, diags, "%s", text);
    computer->failed = status != IB_OK && status != IB_INTERRUPTED;
    return status;
}

size_t ib_computer_state_size(const ib_computer *computer) {
    return computer->functions->state_size ? computer->functions->state_size(computer) : SIZE_MAX;
}

void ib_computer_save(const ib_computer *computer, void *state) {
    if (computer->functions->save)
        computer->functions->save(computer, state);
}

ib_status ib_computer_restore(ib_computer *computer, const void *state, size_t size) {
    if (!computer->functions->restore || size != ib_computer_state_size(computer))
        return IB_BAD_INPUT;
    computer->functions->restore(computer, state);
    return IB_OK;
}

ib_channel_counts ib_computer_counts(const ib_computer *computer) {
    return computer->functions->counts ? computer->functions->counts(computer)
                                       : (ib_channel_counts){0};
}

void ib_computer_close(ib_computer *computer) {
    if (!computer)
        return;
    computer->functions->close(computer);
    free(computer->vehicle);
    free(computer->name);
    free(computer);
}
