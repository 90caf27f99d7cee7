/* table_data: a grid and the values on it, from nested lists in the model or from the rows of a
 * file.
 *
 * A file has one row for each point of the grid: the arguments, then the value. Rows come in the
 * order of the grid, with the last argument running fastest or with the first one, and each
 * argument strictly increases; so a row that is missing, doubled or out of order is named where it
 * is.
 */
#include "model/model_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ib_table_data_free(ib_table_data *data) {
    for (size_t k = 0; k < IB_TABLE_ARGUMENTS; k++)
        free(data->axes[k]);
    free(data->values);
    *data = (ib_table_data){0};
}

static bool allocate(ib_loader *l, double **numbers, size_t n) {
    *numbers = calloc(n + 1, sizeof(**numbers));
    l->no_memory = l->no_memory || !*numbers;
    return *numbers != NULL;
}

/* ---- lists ---- */

static bool read_axis(ib_loader *l, ib_yaml *list, double *axis) {
    bool good = true;
    for (size_t i = 0; i < list->n; i++)
        good = ib_read_number(l, "axes", list->items[i], IB_DIM_ANY, &axis[i]) && good;
    for (size_t i = 1; good && i < list->n; i++) {
        if (!(axis[i] > axis[i - 1]))
            return ib_report(l, IB0501, list->items[i],
                             "axes: must strictly increase, but %.6g follows %.6g", axis[i],
                             axis[i - 1]),
                   false;
    }
    return good;
}

static bool read_axes(ib_loader *l, ib_yaml *axes, ib_table_data *data) {
    bool good = true;
    if (axes->kind != IB_YAML_LIST || axes->n < 2 || axes->n > IB_TABLE_ARGUMENTS) {
        if (ib_report(l, IB0224, axes, "axes: 2 to 4 lists of numbers are wanted here"))
            ib_diags_suggest(l->diags, "one for each argument: [[0, 1, 2], [10, 20]]");
        return false;
    }
    data->n_arguments = (unsigned)axes->n;
    for (size_t k = 0; k < axes->n; k++) {
        ib_yaml *list = axes->items[k];
        data->n[k] = list->n;
        if (list->kind != IB_YAML_LIST) {
            ib_report_kind(l, "axes", list, "a list of numbers");
            good = false;
        } else if (list->n < 2) {
            ib_report(l, IB0502, list, "axes: each argument needs two numbers at least");
            good = false;
        } else {
            good =
                allocate(l, &data->axes[k], list->n) && read_axis(l, list, data->axes[k]) && good;
        }
    }
    return good;
}

/* One list of the innermost level, or the complaint that it has another length. */
static bool check_level(ib_loader *l, ib_yaml *node, const ib_table_data *data, unsigned level) {
    if (node->kind != IB_YAML_LIST) {
        ib_report(l, IB0212, node,
                  "values: a list for the numbers of axis %u is wanted here, not %s", level + 1,
                  ib_describe_node(node));
        return false;
    }
    if (node->n != data->n[level])
        ib_report(l, IB0505, node, "values: axis %u has %zu numbers, this list %zu", level + 1,
                  data->n[level], node->n);
    return node->n == data->n[level];
}

/* The lists below a node, level by level: at each one the node and how far it was read. */
static bool read_values(ib_loader *l, ib_yaml *values, ib_table_data *data) {
    struct {
        ib_yaml *list;
        size_t at;
    } open[IB_TABLE_ARGUMENTS] = {{values, 0}};
    unsigned level = 0;
    size_t n = 0;
    bool good = check_level(l, values, data, 0);
    while (good) {
        if (open[level].at == data->n[level]) {
            if (level == 0)
                return true;
            level--;
            continue;
        }
        ib_yaml *item = open[level].list->items[open[level].at++];
        if (level + 1 == data->n_arguments) {
            good = ib_read_number(l, "values", item, IB_DIM_ANY, &data->values[n++]);
        } else {
            open[++level].list = item;
            open[level].at = 0;
            good = check_level(l, item, data, level);
        }
    }
    return false;
}

/* The number of points of the grid, or 0 when there are too many. */
static size_t count_points(ib_table_data *data) {
    size_t n = 1;
    for (unsigned k = 0; k < data->n_arguments; k++) {
        if (data->n[k] > IB_TABLE_LIMIT / n)
            return 0;
        n *= data->n[k];
    }
    return n;
}

bool ib_table_data_lists(ib_loader *l, ib_yaml *axes, ib_yaml *values, ib_table_data *data) {
    if (!read_axes(l, axes, data))
        return false;
    const size_t n = count_points(data);
    if (n == 0) {
        ib_report(l, IB0502, axes, "axes: a table has at most %zu points", IB_TABLE_LIMIT);
        return false;
    }
    return allocate(l, &data->values, n) && read_values(l, values, data);
}

/* ---- a file ---- */

/* A file's rows and the order in which they run through the grid. */
typedef struct grid {
    ib_loader *l;
    ib_data_file *rows;
    ib_table_data *data;
    unsigned order[IB_TABLE_ARGUMENTS]; /* arguments, the fastest first */
} grid;

static double argument_at(const grid *g, size_t row, unsigned argument) {
    return g->rows->values[row * g->rows->n_wanted + argument];
}

/* The argument that changes from the first row to the second runs fastest: the last or the first.
 */
static void find_order(grid *g) {
    const unsigned n = g->data->n_arguments;
    const bool first = g->rows->n > 1 && argument_at(g, 0, 0) != argument_at(g, 1, 0) &&
                       !(argument_at(g, 0, n - 1) != argument_at(g, 1, n - 1));
    for (unsigned k = 0; k < n; k++)
        g->order[k] = first ? k : n - 1 - k;
}

/* True when the arguments that are slower than the k-th of the order are those of the first row. */
static bool same_slower(const grid *g, size_t row, unsigned k) {
    for (unsigned slower = k + 1; slower < g->data->n_arguments; slower++) {
        const unsigned argument = g->order[slower];
        if (argument_at(g, row, argument) != argument_at(g, 0, argument))
            return false;
    }
    return true;
}

/* Fewer than two numbers on an axis: the rows follow no grid, or one that is flat. */
static void report_single(grid *g, unsigned k) {
    const unsigned argument = g->order[k];
    if (k == 0 && g->rows->n > 1)
        ib_data_file_report(g->rows, IB0505, 1, SIZE_MAX,
                            "rows run through a grid: from one to the next only the last argument "
                            "changes, or only the first");
    else
        ib_data_file_report(g->rows, IB0502, 0, argument,
                            "argument %u has one number only, %.9g; a grid needs two at least",
                            argument + 1, argument_at(g, 0, argument));
}

/* The numbers of the k-th argument of the order: for the fastest each row has the next one, for
 * others it stays for some rows; until a slower argument changes. */
static bool find_axis(grid *g, unsigned k) {
    const unsigned argument = g->order[k];
    double **axis = &g->data->axes[argument];
    size_t n = 0, capacity = 0;
    for (size_t row = 0; row < g->rows->n && same_slower(g, row, k); row++) {
        const double x = argument_at(g, row, argument);
        const double last = n > 0 ? (*axis)[n - 1] : x;
        if (k > 0 && n > 0 && !(x > last) && !(x < last))
            continue;
        if (n > 0 && !(x > last)) {
            ib_data_file_report(g->rows, IB0501, row, argument,
                                "argument %u must strictly increase, but %.9g follows %.9g",
                                argument + 1, x, last);
            return false;
        }
        if (!IB_VEC_RESERVE(*axis, capacity, n)) {
            g->l->no_memory = true;
            return false;
        }
        (*axis)[n++] = x;
    }
    g->data->n[argument] = n;
    if (n < 2)
        report_single(g, k);
    return n >= 2;
}

/* "(1, 2.5)": the arguments of a point of the grid by its number in the order of rows. */
static const char *point_text(const grid *g, size_t point, char *text, size_t size) {
    double x[IB_TABLE_ARGUMENTS] = {0};
    size_t used = 0;
    for (unsigned k = 0; k < g->data->n_arguments; k++) {
        const unsigned argument = g->order[k];
        x[argument] = g->data->axes[argument][point % g->data->n[argument]];
        point /= g->data->n[argument];
    }
    for (unsigned k = 0; k < g->data->n_arguments && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%.9g", k ? ", " : "(", x[k]);
    if (used + 2 <= size)
        memcpy(text + used, ")", 2);
    return text;
}

/* The first row that is not the grid's, or the number of rows. */
static size_t find_stray(const grid *g) {
    for (size_t row = 0; row < g->rows->n; row++) {
        size_t rest = row;
        for (unsigned k = 0; k < g->data->n_arguments; k++) {
            const unsigned argument = g->order[k];
            if (argument_at(g, row, argument) !=
                g->data->axes[argument][rest % g->data->n[argument]])
                return row;
            rest /= g->data->n[argument];
        }
    }
    return g->rows->n;
}

/* Every row where the grid wants it, and none missing at the end. */
static bool check_rows(grid *g) {
    char wanted[160];
    const size_t n = count_points(g->data), stray = find_stray(g), n_rows = g->rows->n;
    if (n == 0) {
        ib_data_file_report(g->rows, IB0502, 0, SIZE_MAX, "a table has at most %zu points",
                            IB_TABLE_LIMIT);
    } else if (stray < n_rows && stray < n) {
        ib_data_file_report(g->rows, IB0505, stray, SIZE_MAX,
                            "the grid wants the point %s here; a row is missing, doubled or out of "
                            "order",
                            point_text(g, stray, wanted, sizeof(wanted)));
    } else if (n_rows < n) {
        ib_data_file_report(g->rows, IB0505, n_rows - 1, SIZE_MAX,
                            "the grid goes on with the point %s, but this is the last row",
                            point_text(g, n_rows, wanted, sizeof(wanted)));
    } else if (n_rows > n) {
        ib_data_file_report(g->rows, IB0505, n, SIZE_MAX, "the grid is full before this row");
    }
    return n > 0 && stray == n_rows && n_rows == n;
}

/* Values in the order of rows go where the last argument runs fastest. */
static bool copy_values(const grid *g) {
    const unsigned n_arguments = g->data->n_arguments;
    if (!allocate(g->l, &g->data->values, g->rows->n))
        return false;
    for (size_t row = 0; row < g->rows->n; row++) {
        size_t digits[IB_TABLE_ARGUMENTS] = {0}, rest = row, to = 0;
        for (unsigned k = 0; k < n_arguments; k++) {
            const unsigned argument = g->order[k];
            digits[argument] = rest % g->data->n[argument];
            rest /= g->data->n[argument];
        }
        for (unsigned k = 0; k < n_arguments; k++)
            to = to * g->data->n[k] + digits[k];
        g->data->values[to] = argument_at(g, row, n_arguments);
    }
    return true;
}

static bool make_grid(ib_loader *l, ib_data_file *rows, ib_table_data *data) {
    grid g = {.l = l, .rows = rows, .data = data};
    data->n_arguments = (unsigned)rows->n_wanted - 1;
    find_order(&g);
    for (unsigned k = 0; k < data->n_arguments; k++) {
        if (!find_axis(&g, k))
            return false;
    }
    return check_rows(&g) && copy_values(&g);
}

bool ib_table_data_file(ib_loader *l, const char *file, ib_place place, int header_lines,
                        const int *columns, size_t n_columns, ib_table_data *data) {
    ib_data_file rows = {.n_wanted = n_columns, .fewest = 3, .most = IB_DATA_COLUMNS};
    for (size_t i = 0; i < n_columns; i++)
        rows.columns[i] = columns[i];
    bool good = ib_data_file_read(l, file, place, header_lines, &rows) && rows.n_errors == 0;
    if (good && rows.n == 0)
        ib_report_place(l, IB0502, place, "file: there is no row in '%s'", file);
    good = good && rows.n > 0 && make_grid(l, &rows, data);
    ib_data_file_close(&rows);
    return good;
}
