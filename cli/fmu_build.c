/* `ironbird fmu build FMU` and `ironbird fmu diff A B`. */
#include "run.h"

#include <string.h>

/* ---- build --------------------------------------------------------------------------------- */

/* Builds every library that the FMU has, each once. */
static ib_status build_all(ib_fmu *fmu, ib_diags *diags, const char *libraries[IB_FMU_KINDS],
                           size_t *n) {
    const char *identifiers[IB_FMU_KINDS];
    for (int k = 0; k < IB_FMU_KINDS; k++) {
        const char *identifier = ib_fmu_identifier(fmu, (ib_fmu_kind)k);
        bool known = !identifier;
        for (size_t i = 0; i < *n && !known; i++)
            known = strcmp(identifiers[i], identifier) == 0;
        if (known)
            continue;
        const ib_status status = ib_fmu_build(fmu, (ib_fmu_kind)k, diags, &libraries[*n]);
        if (status != IB_OK)
            return status;
        identifiers[(*n)++] = identifier;
    }
    return IB_OK;
}

static void print_build_json(const char *path, ib_status status, const char *const *libraries,
                             size_t n, const ib_diags *diags) {
    ib_str text = {0};
    ib_str_add(&text, "{\"file\": \"");
    ib_str_add_json(&text, path);
    ib_str_printf(&text, "\", \"ok\": %s, \"libraries\": [", status == IB_OK ? "true" : "false");
    for (size_t i = 0; i < n; i++) {
        ib_str_add(&text, i ? ", \"" : "\"");
        ib_str_add_json(&text, libraries[i]);
        ib_str_add_char(&text, '"');
    }
    ib_str_add(&text, "],\n \"diagnostics\": ");
    ib_add_json_diags(&text, diags);
    ib_str_add(&text, "}\n");
    if (!text.failed)
        ib_print(text.data);
    ib_str_free(&text);
}

int ib_build_fmu(const char *path, bool quiet, bool json) {
    ib_diags *diags = ib_new_diags();
    const char *libraries[IB_FMU_KINDS] = {NULL};
    ib_fmu *fmu;
    size_t printed = 0, n = 0;
    /* The compiler gets Ctrl-C too; what was unpacked for it is removed afterwards. */
    ib_interrupt_watch();
    ib_status status = ib_fmu_open(path, IB_FMU_LENIENT, diags, &fmu);
    const bool opened = status == IB_OK;
    if (opened)
        status = build_all(fmu, diags, libraries, &n);
    int code = ib_print_end(diags, &printed, quiet, status);
    if (opened && status == IB_BAD_INPUT)
        code = IB_EXIT_FAILED;
    if (ib_interrupt_seen())
        code = IB_EXIT_INTERRUPTED;
    if (json)
        print_build_json(path, status, libraries, n, diags);
    for (size_t i = 0; i < n && !json && !quiet; i++)
        printf("%s\n", libraries[i]);
    ib_fmu_close(fmu);
    ib_diags_destroy(diags);
    return code;
}

/* ---- diff ---------------------------------------------------------------------------------- */

static void print_difference(const ib_fmu_difference *d) {
    const char *sign = !d->a ? "+" : !d->b ? "-" : " ";
    printf("%s %s%s%s", sign, d->what, *d->name ? " " : "", d->name);
    if (*d->member)
        printf(", %s", d->member);
    if (d->a && d->b)
        printf(": %s -> %s\n", *d->a ? d->a : "(none)", *d->b ? d->b : "(none)");
    else
        printf(": %s\n", d->a ? d->a : d->b);
}

static void add_member(ib_str *text, const char *name, const char *value) {
    ib_str_printf(text, ", \"%s\": ", name);
    if (!value) {
        ib_str_add(text, "null");
        return;
    }
    ib_str_add_char(text, '"');
    ib_str_add_json(text, value);
    ib_str_add_char(text, '"');
}

static void print_diff_json(const char *a, const char *b, const ib_fmu_diff *diff,
                            const ib_diags *diags) {
    const size_t n = diff ? ib_fmu_diff_count(diff) : 0;
    ib_str text = {0};
    ib_str_printf(&text, "{\"same\": %s", diff && !n ? "true" : "false");
    add_member(&text, "a", a);
    add_member(&text, "b", b);
    ib_str_add(&text, ",\n \"differences\": [");
    for (size_t i = 0; i < n; i++) {
        const ib_fmu_difference *d = ib_fmu_diff_at(diff, i);
        ib_str_add(&text, i ? ",\n  {\"what\": \"" : "\n  {\"what\": \"");
        ib_str_add_json(&text, d->what);
        ib_str_add_char(&text, '"');
        add_member(&text, "name", d->name);
        add_member(&text, "member", d->member);
        add_member(&text, "a", d->a);
        add_member(&text, "b", d->b);
        ib_str_add_char(&text, '}');
    }
    ib_str_add(&text, "],\n \"diagnostics\": ");
    ib_add_json_diags(&text, diags);
    ib_str_add(&text, "}\n");
    if (!text.failed)
        ib_print(text.data);
    ib_str_free(&text);
}

int ib_diff_fmus(const char *a, const char *b, bool quiet, bool json) {
    ib_diags *diags = ib_new_diags();
    ib_fmu *one = NULL, *two = NULL;
    ib_fmu_diff *diff = NULL;
    size_t printed = 0;
    ib_status status = ib_fmu_open(a, IB_FMU_LENIENT, diags, &one);
    if (status == IB_OK)
        status = ib_fmu_open(b, IB_FMU_LENIENT, diags, &two);
    if (status == IB_OK)
        status = ib_fmu_diff_create(one, two, diags, &diff);
    int code = ib_print_end(diags, &printed, quiet, status);
    const size_t n = diff ? ib_fmu_diff_count(diff) : 0;
    for (size_t i = 0; i < n && !json && !quiet; i++)
        print_difference(ib_fmu_diff_at(diff, i));
    if (json)
        print_diff_json(a, b, diff, diags);
    else if (status == IB_OK && !quiet && n)
        printf("%zu difference%s\n", n, n == 1 ? "" : "s");
    else if (status == IB_OK && !quiet)
        printf("no difference\n");
    if (status == IB_OK && n)
        code = IB_EXIT_FAILED;
    ib_fmu_diff_destroy(diff);
    ib_fmu_close(two);
    ib_fmu_close(one);
    ib_diags_destroy(diags);
    return code;
}
