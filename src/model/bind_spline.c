/* bind_spline: curves from lists or from a file. */
#include "model/model_internal.h"

#include <stdlib.h>

static bool read_columns(ib_loader *l, ib_yaml *node, int columns[2]) {
    if (!ib_check_list(l, "columns", node, 2, "2 whole numbers"))
        return false;
    const bool x_good = ib_read_count(l, "columns", node->items[0], &columns[0]);
    return ib_read_count(l, "columns", node->items[1], &columns[1]) && x_good;
}

static bool read_file(ib_loader *l, ib_record *r, const ib_spline_spec *spec,
                      ib_spline_data *data) {
    int columns[2] = {0, 1};
    ib_yaml *file = r->given[IB_KEY_spline_file];
    ib_record_exclude(l, r, IB_KEY_spline_file, IB_KEY_spline_x, "the data come from one of them");
    ib_record_exclude(l, r, IB_KEY_spline_file, IB_KEY_spline_y, "the data come from one of them");
    if (r->given[IB_KEY_spline_columns] &&
        !read_columns(l, r->given[IB_KEY_spline_columns], columns))
        return false;
    if (!ib_record_has(r, IB_KEY_spline_file) || r->bad[IB_KEY_spline_header_lines] ||
        r->bad[IB_KEY_spline_x] || r->bad[IB_KEY_spline_y] || file->reported)
        return false;
    const bool good = ib_spline_data_file(l, spec->file, ib_node_place(l, file), spec->header_lines,
                                          columns, data);
    file->reported = file->reported || !good;
    return good;
}

static bool read_data(ib_loader *l, ib_record *r, const ib_spline_spec *spec,
                      ib_spline_data *data) {
    if (r->given[IB_KEY_spline_file])
        return read_file(l, r, spec, data);
    ib_record_only_with(l, r, IB_KEY_spline_header_lines, IB_KEY_spline_file);
    ib_record_only_with(l, r, IB_KEY_spline_columns, IB_KEY_spline_file);
    if (!r->given[IB_KEY_spline_x] && !r->given[IB_KEY_spline_y])
        ib_record_need(l, r, "x' and 'y', or 'file");
    else if (!r->given[IB_KEY_spline_x])
        ib_record_need(l, r, "x");
    else if (!r->given[IB_KEY_spline_y])
        ib_record_need(l, r, "y");
    else
        return ib_spline_data_lists(l, r, data);
    return false;
}

/* Points so close or values so large that slopes overflow. */
static void check_finite(ib_loader *l, ib_yaml *name, size_t index) {
    if (!l->model->curves[index] || ib_curve_is_finite(l->model->curves[index]))
        return;
    ib_report(
        l, IB0504, name,
        "the spline '%s' has no finite slope somewhere: points lie too close for their values",
        name->text);
}

static void bind_spline(ib_loader *l, const ib_yaml_entry *entry, size_t index) {
    ib_record r;
    ib_spline_spec spec = {.element = ib_element_of(l, entry->key)};
    ib_spline_data data = {0};
    l->model->curve_names[index] = entry->key->text;
    if (!ib_record_open(l, IB_SECTION_spline, entry->key, entry->value, &r))
        return;
    ib_record_read(l, &r, &spec);
    if (read_data(l, &r, &spec, &data)) {
        const ib_curve_kind kind = r.type ? (ib_curve_kind)r.type->value : IB_CURVE_AKIMA;
        l->model->curves[index] = ib_curve_create(kind, data.x, data.y, data.n);
        l->no_memory = l->no_memory || !l->model->curves[index];
        check_finite(l, entry->key, index);
    }
    free(data.x);
    free(data.y);
}

void ib_bind_splines(ib_loader *l) {
    for (size_t i = 0; i < l->model->n_curves && ib_going_on(l); i++)
        bind_spline(l, ib_section_entry(l, IB_KEY_top_splines, i), i);
}
