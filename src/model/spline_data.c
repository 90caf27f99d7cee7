/* spline_data: the points of a spline, from lists in the model or from the rows of a file.
 */
#include "model/model_internal.h"

#include <stdlib.h>

/* ---- lists ---- */

static bool read_list(ib_loader *l, const char *key, ib_yaml *list, double *values) {
    bool good = true;
    for (size_t i = 0; i < list->n; i++)
        good = ib_read_number(l, key, list->items[i], IB_DIM_ANY, &values[i]) && good;
    return good;
}

static bool check_lists(ib_loader *l, ib_yaml *x, ib_yaml *y) {
    if (x->kind != IB_YAML_LIST)
        ib_report_kind(l, "x", x, "a list of numbers");
    if (y->kind != IB_YAML_LIST)
        ib_report_kind(l, "y", y, "a list of numbers");
    if (x->kind != IB_YAML_LIST || y->kind != IB_YAML_LIST)
        return false;
    if (x->n < 2)
        return ib_report(l, IB0502, x, "x: a spline needs two points at least"), false;
    if (x->n != y->n)
        return ib_report(l, IB0502, y, "y: has %zu values, x has %zu", y->n, x->n), false;
    return true;
}

bool ib_spline_data_lists(ib_loader *l, ib_record *r, ib_spline_data *data) {
    ib_yaml *x = r->given[IB_KEY_spline_x];
    ib_yaml *y = r->given[IB_KEY_spline_y];
    if (!check_lists(l, x, y))
        return false;
    data->n = x->n;
    data->x = calloc(x->n, sizeof(*data->x));
    data->y = calloc(x->n, sizeof(*data->y));
    if (!data->x || !data->y) {
        l->no_memory = true;
        return false;
    }
    const bool x_good = read_list(l, "x", x, data->x);
    if (!read_list(l, "y", y, data->y) || !x_good)
        return false;
    for (size_t i = 1; i < x->n; i++) {
        if (!(data->x[i] > data->x[i - 1])) {
            ib_report(l, IB0501, x->items[i], "x: must strictly increase, but %.6g follows %.6g",
                      data->x[i], data->x[i - 1]);
            return false;
        }
    }
    return true;
}

/* ---- a file ---- */

/* The rows whose x rises from one to the next, with a complaint about each that does not. */
static bool copy_rows(ib_loader *l, ib_data_file *file, ib_spline_data *data) {
    data->x = calloc(file->n + 1, sizeof(*data->x));
    data->y = calloc(file->n + 1, sizeof(*data->y));
    if (!data->x || !data->y) {
        l->no_memory = true;
        return false;
    }
    for (size_t i = 0; i < file->n; i++) {
        const double *row = &file->values[2 * i];
        if (data->n > 0 && !(row[0] > data->x[data->n - 1])) {
            ib_data_file_report(file, IB0501, i, 0, "x must strictly increase from row to row");
            continue;
        }
        data->x[data->n] = row[0];
        data->y[data->n++] = row[1];
    }
    return true;
}

bool ib_spline_data_file(ib_loader *l, const char *file, ib_place place, int header_lines,
                         const int columns[2], ib_spline_data *data) {
    ib_data_file rows = {.columns = {columns[0], columns[1]}, .n_wanted = 2};
    bool good = ib_data_file_read(l, file, place, header_lines, &rows) && copy_rows(l, &rows, data);
    if (good && data->n < 2 && rows.n_errors == 0)
        ib_report_place(l, IB0502, place, "file: a spline needs two points at least, '%s' has %zu",
                        file, data->n);
    good = good && rows.n_errors == 0 && data->n >= 2;
    ib_data_file_close(&rows);
    return good;
}
