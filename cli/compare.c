/* `ironbird compare A B`: a table of the worst differences. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static bool parse_tolerance(const ib_arguments *given, ib_option_id option, ib_diags *diags,
                            double *value) {
    const char *text = ib_arguments_value(given, option);
    if (!text)
        return true;
    if (ib_number_parse(text, strlen(text), value) == strlen(text) && *value >= 0 &&
        *value - *value == 0)
        return true;
    ib_usage_error(diags, IB_COMMAND_compare, "--%s '%s' is not a number from 0 up",
                   ib_option_at(option)->name, text);
    return false;
}

static void print_row(const ib_difference *d, int width) {
    char time[IB_NUMBER_SIZE];
    printf("%-6s  %-*s  %12.4g  %12.4g  %14.8g  %14.8g  %s\n", d->passed ? "ok" : "FAILED", width,
           d->name, d->difference, d->allowed, d->a, d->b, ib_number_text(d->time, time));
}

static void print_table(const ib_comparison *comparison) {
    int width = 7;
    size_t n_failed = 0;
    for (size_t i = 0; i < ib_comparison_count(comparison); i++) {
        const ib_difference *d = ib_comparison_at(comparison, i);
        const size_t length = strlen(d->name);
        width = length > (size_t)width && length < 60 ? (int)length : width;
        n_failed += !d->passed;
    }
    printf("%-6s  %-*s  %12s  %12s  %14s  %14s  %s\n", "", width, "channel", "|A - B|", "allowed",
           "A", "B", "at time, s");
    for (size_t i = 0; i < ib_comparison_count(comparison); i++)
        print_row(ib_comparison_at(comparison, i), width);
    const size_t n = ib_comparison_count(comparison);
    printf("%zu of %zu channel%s agree%s at %llu times\n", n - n_failed, n, n == 1 ? "" : "s",
           n == 1 ? "s" : "", (unsigned long long)ib_comparison_rows(comparison));
}

static void add_number(ib_str *text, const char *name, double value) {
    char number[IB_NUMBER_SIZE];
    ib_str_printf(text, ", \"%s\": %s", name,
                  value - value == 0 ? ib_number_text(value, number) : "null");
}

static void print_json(const ib_comparison *comparison, bool passed, const ib_diags *diags) {
    ib_str text = {0};
    ib_str_printf(&text, "{\"passed\": %s, \"rows\": %llu, \"channels\": [",
                  passed ? "true" : "false",
                  comparison ? (unsigned long long)ib_comparison_rows(comparison) : 0ULL);
    for (size_t i = 0; comparison && i < ib_comparison_count(comparison); i++) {
        const ib_difference *d = ib_comparison_at(comparison, i);
        ib_str_add(&text, i ? ",\n  {\"name\": \"" : "\n  {\"name\": \"");
        ib_str_add_json(&text, d->name);
        ib_str_add(&text, "\", \"unit\": \"");
        ib_str_add_json(&text, d->unit);
        ib_str_printf(&text, "\", \"passed\": %s", d->passed ? "true" : "false");
        add_number(&text, "difference", d->difference);
        add_number(&text, "allowed", d->allowed);
        add_number(&text, "time", d->time);
        add_number(&text, "a", d->a);
        add_number(&text, "b", d->b);
        add_number(&text, "largest", d->largest);
        ib_str_add_char(&text, '}');
    }
    ib_str_add(&text, "\n], \"diagnostics\": ");
    ib_add_json_diags(&text, diags);
    ib_str_add(&text, "}\n");
    if (!text.failed)
        ib_print(text.data);
    ib_str_free(&text);
}

static ib_status compare(const ib_arguments *given, ib_diags *diags, ib_comparison **comparison) {
    ib_compare_options options = {.rtol = 1e-6, .atol = 1e-9};
    *comparison = NULL;
    if (!parse_tolerance(given, IB_OPTION_compare_rtol, diags, &options.rtol) ||
        !parse_tolerance(given, IB_OPTION_compare_atol, diags, &options.atol))
        return IB_BAD_INPUT;
    const char **channels =
        ib_arguments_list(given, IB_OPTION_compare_channels, &options.n_channels);
    options.channels = channels;
    ib_status status = IB_NO_MEMORY;
    if (channels)
        status = ib_results_compare(given->words[0], given->words[1], &options, diags, comparison);
    free(channels);
    return status;
}

int ib_command_compare(const ib_arguments *given) {
    ib_diags *diags = ib_new_diags();
    ib_comparison *comparison;
    size_t printed = 0;
    const bool quiet = ib_arguments_has(given, IB_OPTION_compare_quiet);
    const ib_status status = compare(given, diags, &comparison);
    const int code = ib_print_end(diags, &printed, quiet, status);
    if (ib_arguments_has(given, IB_OPTION_compare_json))
        print_json(comparison, status == IB_OK, diags);
    else if (comparison && !quiet)
        print_table(comparison);
    fflush(stdout);
    ib_comparison_destroy(comparison);
    ib_diags_destroy(diags);
    return code;
}
