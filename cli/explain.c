/* `ironbird explain ID`: what is behind the ID at the end of a message. */
#include "cli.h"

#include <string.h>

/* The ID as messages write it: "ib312", "0312" and "[IB0312]" are meant too. */
static void normalize(const char *text, char id[8]) {
    char digits[5] = "";
    size_t n = 0;
    for (; *text && n < 4; text++)
        if (*text >= '0' && *text <= '9')
            digits[n++] = *text;
    memcpy(id, "IB0000", 7);
    memcpy(id + 6 - n, digits, n);
}

int ib_command_explain(const ib_arguments *given) {
    const char *text = given->words[0];
    char id[8];
    normalize(text, id);
    const char *explanation = strpbrk(text, "0123456789") ? ib_diag_explain(id) : NULL;
    if (!explanation) {
        ib_diags *diags = ib_new_diags();
        size_t printed = 0;
        ib_diags_add(diags, IB_ERROR, IB0905, IB_NO_PLACE,
                     "there is no message with the ID '%s'; IDs look like IB0312", text);
        ib_print_diags(diags, &printed, false);
        ib_diags_destroy(diags);
        return IB_EXIT_USAGE;
    }
    printf("%s: %s\n", id, explanation);
    return IB_EXIT_DONE;
}
