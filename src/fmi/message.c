/* Messages of FMUs: reported with instance, time and category, limited in length and number.
 *
 * The message of FMI 2 is a format of printf with arguments. A format with %n could write to
 * memory, so it is shown as it is.
 */
#include "fmi/instance.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 400

static const char *const words[] = {"OK", "Warning", "Discard", "Error", "Fatal", "Pending"};

/* The text with control characters written as \xNN. */
static void escape(const char *text, char *out, size_t size) {
    size_t n = 0;
    for (; *text && n + 5 < size; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c >= 0x20 && c != 0x7F)
            out[n++] = (char)c;
        else if (c == '\n' || c == '\t')
            out[n++] = ' ';
        else
            n += (size_t)snprintf(out + n, size - n, "\\x%02x", c);
    }
    while (n && out[n - 1] == ' ')
        n--;
    out[n] = '\0';
}

static void report(ib_fmi_messages *messages, int status, const char *category, const char *text) {
    char escaped[LONGEST], number[IB_NUMBER_SIZE];
    messages->count++;
    if (status == 0 && !messages->all)
        return;
    if (messages->shown++ >= IB_FMI_MOST_MESSAGES)
        return;
    escape(text ? text : "(no text)", escaped, sizeof escaped);
    ib_diags_add(messages->diags, status == 0 ? IB_NOTE : IB_WARNING, IB1040, IB_NO_PLACE,
                 "%s at t = %s s: %s: %s%s%.40s%s", messages->instance,
                 ib_number_text(messages->time, number),
                 status >= 0 && status < (int)IB_COUNT(words) ? words[status] : "a status unknown",
                 escaped, category && *category ? " (" : "", category ? category : "",
                 category && *category ? ")" : "");
    if (messages->shown == IB_FMI_MOST_MESSAGES)
        ib_diags_add(messages->diags, IB_WARNING, IB1040, IB_NO_PLACE,
                     "%s: further messages are counted but not shown", messages->instance);
    if (messages->told)
        messages->told(messages->context);
}

void ib_fmi_message3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                     fmi3String message) {
    if (environment)
        report(environment, (int)status, category, message);
}

/* True when the format has a conversion that writes. */
static bool writes(const char *format) {
    for (const char *c = format; (c = strchr(c, '%')); c++) {
        c++;
        c += strspn(c, "-+ #0123456789.*'hljztLq$");
        if (*c == 'n')
            return true;
        if (!*c)
            break;
    }
    return false;
}

void ib_fmi_message2(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                     fmi2String category, fmi2String message, ...) {
    char text[LONGEST];
    (void)instance;
    if (!environment)
        return;
    if (message && !writes(message)) {
        va_list arguments;
        va_start(arguments, message);
        if (vsnprintf(text, sizeof text, message, arguments) >= 0)
            message = text;
        va_end(arguments);
    }
    report(environment, (int)status, category, message);
}
