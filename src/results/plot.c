/* A plot: expressions evaluated over results, reduced, and grouped into one panel for each unit. */
#include "results_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- curves -------------------------------------------------------------------------------- */

static bool add_curves(ib_plot *plot, const ib_formulas *formulas) {
    const size_t n = ib_formulas_count(formulas);
    plot->curves = IB_ARENA_ARRAY(plot->arena, n + 1, ib_curve_data);
    for (; plot->curves && plot->n_curves < n; plot->n_curves++) {
        ib_curve_data *curve = &plot->curves[plot->n_curves];
        curve->label = ib_arena_strdup(plot->arena, ib_formulas_text(formulas, plot->n_curves));
        curve->unit = ib_arena_strdup(plot->arena, ib_formulas_unit(formulas, plot->n_curves));
        if (!curve->label || !curve->unit || !ib_series_create(&curve->series))
            return false;
    }
    return plot->curves;
}

static ib_status fill(ib_plot *plot, ib_results *results, ib_formulas *formulas, ib_diags *diags) {
    double *values = IB_ARENA_ARRAY(plot->arena, plot->n_curves + 1, double);
    bool *wanted = IB_ARENA_ARRAY(plot->arena, ib_results_channel_count(results) + 1, bool);
    if (!values || !wanted)
        return ib_diags_no_memory(diags);
    ib_formulas_channels(formulas, wanted);
    ib_results_select(results, wanted);
    for (bool first = true;; first = false) {
        const double *row;
        const ib_status status = ib_results_next(results, &row, diags);
        if (status != IB_OK || !row)
            return status;
        if (first)
            plot->from = row[0];
        plot->to = row[0];
        ib_formulas_eval(formulas, row, values);
        for (size_t i = 0; i < plot->n_curves; i++)
            ib_series_add(&plot->curves[i].series, row[0], values[i]);
    }
}

static ib_status check_curves(const ib_plot *plot, const char *path, ib_diags *diags) {
    bool any = false;
    const ib_place place = {.file = ib_diags_file(diags, path)};
    for (size_t i = 0; i < plot->n_curves; i++) {
        const ib_curve_data *curve = &plot->curves[i];
        any = any || curve->series.n_slices;
        if (curve->series.n_missing)
            ib_diags_add(diags, IB_WARNING, IB0811, place, "'%s' has no value at %llu time%s",
                         curve->label, (unsigned long long)curve->series.n_missing,
                         curve->series.n_missing == 1 ? "" : "s");
    }
    if (any)
        return IB_OK;
    ib_diags_add(diags, IB_ERROR, IB0809, place, "there is nothing to plot");
    return IB_BAD_INPUT;
}

/* ---- panels -------------------------------------------------------------------------------- */

static ib_panel *panel_of_unit(ib_plot *plot, const char *unit) {
    for (size_t i = 0; i < plot->n_panels; i++)
        if (strcmp(plot->panels[i].unit, unit) == 0)
            return &plot->panels[i];
    ib_panel *panel = &plot->panels[plot->n_panels];
    *panel = (ib_panel){.unit = unit, .low = HUGE_VAL, .high = -HUGE_VAL};
    panel->members = IB_ARENA_ARRAY(plot->arena, plot->n_curves, size_t);
    if (!panel->members)
        return NULL;
    plot->n_panels++;
    return panel;
}

static void extend(ib_panel *panel, const ib_series *series) {
    for (size_t i = 0; i < series->n_slices; i++) {
        panel->low = fmin(panel->low, series->slices[i].least);
        panel->high = fmax(panel->high, series->slices[i].most);
    }
}

static bool group(ib_plot *plot) {
    plot->panels = IB_ARENA_ARRAY(plot->arena, plot->n_curves, ib_panel);
    for (size_t i = 0; plot->panels && i < plot->n_curves; i++) {
        ib_panel *panel = panel_of_unit(plot, plot->curves[i].unit);
        if (!panel)
            return false;
        /* Colours differ across panels as long as there are enough of them. */
        plot->curves[i].style = plot->n_curves <= IB_PLOT_COLOURS ? i : panel->n_members;
        panel->members[panel->n_members++] = i;
        extend(panel, &plot->curves[i].series);
    }
    return plot->panels;
}

/* ---- the object ---------------------------------------------------------------------------- */

static ib_status parse(const ib_results *results, const char *const *expressions, size_t n,
                       ib_diags *diags, ib_formulas **formulas) {
    ib_texts texts = {0};
    const ib_status status = ib_texts_expand(&texts, results, expressions, n)
                                 ? ib_formulas_create(results, texts.list, texts.n, diags, formulas)
                                 : ib_diags_no_memory(diags);
    ib_texts_free(&texts);
    return status;
}

static ib_status build(ib_plot *plot, const char *path, const char *const *expressions, size_t n,
                       ib_diags *diags) {
    ib_results *results = NULL;
    ib_formulas *formulas = NULL;
    plot->arena = ib_arena_create();
    if (!plot->arena)
        return ib_diags_no_memory(diags);
    ib_status status = ib_results_open(path, diags, &results);
    if (status == IB_OK)
        status = parse(results, expressions, n, diags, &formulas);
    if (status == IB_OK) {
        plot->title = ib_arena_strdup(plot->arena, ib_results_title(results));
        if (!plot->title || !add_curves(plot, formulas))
            status = ib_diags_no_memory(diags);
    }
    if (status == IB_OK)
        status = fill(plot, results, formulas, diags);
    if (status == IB_OK)
        status = check_curves(plot, path, diags);
    if (status == IB_OK && !group(plot))
        status = ib_diags_no_memory(diags);
    ib_formulas_destroy(formulas);
    ib_results_close(results);
    return status;
}

ib_status ib_plot_create(const char *path, const char *const *expressions, size_t n,
                         ib_diags *diags, ib_plot **result) {
    *result = NULL;
    ib_plot *plot = calloc(1, sizeof *plot);
    if (!plot)
        return ib_diags_no_memory(diags);
    const ib_status status = build(plot, path, expressions, n, diags);
    if (status == IB_OK)
        *result = plot;
    else
        ib_plot_destroy(plot);
    return status;
}

void ib_plot_destroy(ib_plot *plot) {
    if (!plot)
        return;
    for (size_t i = 0; plot->curves && i < plot->n_curves; i++)
        ib_series_destroy(&plot->curves[i].series);
    ib_arena_destroy(plot->arena);
    free(plot);
}

static bool ends_in(const char *path, const char *ending) {
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

ib_status ib_plot_write(const ib_plot *plot, const char *path, ib_diags *diags) {
    const bool png = ends_in(path, ".png");
    if (!png && !ends_in(path, ".svg")) {
        ib_diags_add(diags, IB_ERROR, IB0812, (ib_place){.file = ib_diags_file(diags, path)},
                     "the name of a picture ends in .svg or .png");
        return IB_BAD_INPUT;
    }
    char *svg = ib_plot_svg(plot);
    if (!svg)
        return ib_diags_no_memory(diags);
    const ib_status status =
        png ? ib_png_write(path, svg, diags) : ib_file_write(path, svg, strlen(svg), diags);
    free(svg);
    return status;
}
