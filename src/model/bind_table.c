/* bind_table: functions of several arguments, from nested lists or from a file.
 */
#include "model/model_internal.h"

static size_t read_columns(ib_loader *l, ib_yaml *node, int columns[IB_DATA_COLUMNS]) {
    if (node->kind != IB_YAML_LIST || node->n < 3 || node->n > IB_DATA_COLUMNS) {
        if (ib_report(l, IB0224, node, "columns: 3 to 5 whole numbers are wanted here"))
            ib_diags_suggest(l->diags, "the columns of the 2 to 4 arguments, then the value's");
        return 0;
    }
    for (size_t i = 0; i < node->n; i++) {
        if (!ib_read_count(l, "columns", node->items[i], &columns[i]))
            return 0;
    }
    return node->n;
}

static bool read_file(ib_loader *l, ib_record *r, const ib_table_spec *spec, ib_table_data *data) {
    int columns[IB_DATA_COLUMNS];
    size_t n_columns = 0;
    ib_yaml *file = r->given[IB_KEY_table_file];
    ib_record_exclude(l, r, IB_KEY_table_file, IB_KEY_table_axes, "the data come from one of them");
    ib_record_exclude(l, r, IB_KEY_table_file, IB_KEY_table_values,
                      "the data come from one of them");
    if (r->given[IB_KEY_table_columns]) {
        n_columns = read_columns(l, r->given[IB_KEY_table_columns], columns);
        if (n_columns == 0)
            return false;
    }
    if (!ib_record_has(r, IB_KEY_table_file) || r->bad[IB_KEY_table_header_lines] ||
        r->bad[IB_KEY_table_axes] || r->bad[IB_KEY_table_values] || file->reported)
        return false;
    const bool good = ib_table_data_file(l, spec->file, ib_node_place(l, file), spec->header_lines,
                                         columns, n_columns, data);
    file->reported = file->reported || !good;
    return good;
}

static bool read_data(ib_loader *l, ib_record *r, const ib_table_spec *spec, ib_table_data *data) {
    ib_yaml *axes = r->given[IB_KEY_table_axes], *values = r->given[IB_KEY_table_values];
    if (r->given[IB_KEY_table_file])
        return read_file(l, r, spec, data);
    ib_record_only_with(l, r, IB_KEY_table_header_lines, IB_KEY_table_file);
    ib_record_only_with(l, r, IB_KEY_table_columns, IB_KEY_table_file);
    if (!axes && !values)
        ib_record_need(l, r, "axes' and 'values', or 'file");
    else if (!axes || !values)
        ib_record_need(l, r, axes ? "values" : "axes");
    else
        return ib_table_data_lists(l, axes, values, data);
    return false;
}

static void bind_table(ib_loader *l, const ib_yaml_entry *entry, size_t index) {
    ib_record r;
    ib_table_spec spec = {.element = ib_element_of(l, entry->key)};
    ib_table_data data = {0};
    l->model->table_names[index] = entry->key->text;
    if (!ib_record_open(l, IB_SECTION_table, entry->key, entry->value, &r))
        return;
    ib_record_read(l, &r, &spec);
    if (read_data(l, &r, &spec, &data)) {
        const ib_table_kind kind = r.type ? (ib_table_kind)r.type->value : IB_TABLE_MULTILINEAR;
        const double *axes[IB_TABLE_ARGUMENTS];
        for (unsigned k = 0; k < data.n_arguments; k++)
            axes[k] = data.axes[k];
        ib_table *table = ib_table_create(kind, data.n_arguments, data.n, axes, data.values);
        l->model->tables[index] = table;
        l->no_memory = l->no_memory || !table;
        if (table && !ib_table_is_finite(table))
            ib_report(
                l, IB0504, entry->key,
                "the table '%s' has no finite slope somewhere: points lie too close for their "
                "values",
                entry->key->text);
    }
    ib_table_data_free(&data);
}

void ib_bind_tables(ib_loader *l) {
    for (size_t i = 0; i < l->model->n_tables && ib_going_on(l); i++)
        bind_table(l, ib_section_entry(l, IB_KEY_top_tables, i), i);
}
