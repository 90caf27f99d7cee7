/* `ironbird plot RESULTS EXPR...`: curves in a file or in the terminal. */
#define _DEFAULT_SOURCE /* the window size of a terminal; NOLINT(bugprone-reserved-identifier) */

#include "cli.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_COLUMNS 80
#define PANEL_LINES 14

static unsigned terminal_columns(void) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    const long n = columns ? strtol(columns, NULL, 10) : 0;
    return n > 0 && n < 10000 ? (unsigned)n : DEFAULT_COLUMNS;
}

static ib_status print_plot(const ib_plot *plot, ib_diags *diags) {
    const ib_text_plot options = {terminal_columns(), PANEL_LINES, ib_wants_unicode(),
                                  ib_wants_colour(stdout)};
    char *text = ib_plot_text(plot, &options);
    if (!text)
        return ib_diags_no_memory(diags);
    ib_print(text);
    free(text);
    return IB_OK;
}

static ib_status write_plot(const ib_plot *plot, const char *path, bool quiet, ib_diags *diags) {
    ib_status status = ib_plot_write(plot, path, diags);
    if (status == IB_OK)
        status = ib_results_register(path, diags);
    if (status == IB_OK && !quiet)
        printf("plot: %s\n", path);
    return status;
}

int ib_command_plot(const ib_arguments *given) {
    ib_diags *diags = ib_new_diags();
    ib_plot *plot;
    size_t printed = 0;
    const char *path = ib_arguments_value(given, IB_OPTION_plot_out);
    const bool quiet = ib_arguments_has(given, IB_OPTION_plot_quiet);
    ib_status status =
        ib_plot_create(given->words[0], given->words + 1, given->n_words - 1, diags, &plot);
    if (status == IB_OK)
        status = path ? write_plot(plot, path, quiet, diags) : print_plot(plot, diags);
    ib_plot_destroy(plot);
    const int code = ib_print_end(diags, &printed, quiet, status);
    ib_diags_destroy(diags);
    return code;
}
