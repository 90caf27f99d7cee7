/* The C source of a model's tapes: what emit_c writes, between a head that says where functions,
 * curves and tables come from. It needs no header and no library. */
#include "expr/native.h"

#include <stdio.h>

#define IB_UNARY_MEMBER(name) "    double (*" #name ")(double);\n"
#define IB_BINARY_MEMBER(name) "    double (*" #name ")(double, double);\n"
#define IB_UNARY_NAME(name) "#define ib_" #name "(x) host->" #name "(x)\n"
#define IB_BINARY_NAME(name) "#define ib_" #name "(x, y) host->" #name "(x, y)\n"

static const char *const head[] = {
    "/* Expressions of a model as machine code; written by ironbird run --native. */\n"
    "double fabs(double);\ndouble sqrt(double);\n"
    "typedef struct host {\n",
    IB_NATIVE_UNARY(IB_UNARY_MEMBER) IB_NATIVE_PLAIN(IB_UNARY_MEMBER),
    IB_NATIVE_BINARY(IB_BINARY_MEMBER) "    void (*sincos)(double, double *, double *);\n",
    "    double (*curve)(const void *, unsigned, double);\n"
    "    double (*table)(const void *, unsigned, const double *);\n} host;\n",
    IB_NATIVE_UNARY(IB_UNARY_NAME) IB_NATIVE_PLAIN(IB_UNARY_NAME),
    IB_NATIVE_BINARY(IB_BINARY_NAME) "#define ib_sincos(x, s, c) host->sincos(x, s, c)\n",
    "#define ib_curve_eval(c, order, x) host->curve(c, order, x)\n"
    "#define ib_table_eval(t, orders, ...) host->table(t, (unsigned)(orders), __VA_ARGS__)\n",
};

static const char *leaf_text(void *context, uint32_t leaf, char *text, size_t size) {
    (void)context;
    snprintf(text, size, "x[%u]", (unsigned)leaf);
    return text;
}

static const char *root_text(void *context, size_t root, char *text, size_t size) {
    (void)context;
    snprintf(text, size, "out[%zu]", root);
    return text;
}

/* The number of an item, listed when it is new. */
static const char *item_text(ib_native_data *data, const void *item, char *text, size_t size) {
    size_t i = 0;
    while (i < data->n && data->items[i] != item)
        i++;
    if (i == data->n) {
        if (IB_VEC_RESERVE(data->items, data->capacity, data->n))
            data->items[data->n++] = item;
        else
            data->failed = true;
    }
    snprintf(text, size, "data[%zu]", i);
    return text;
}

static const char *curve_text(void *context, const ib_curve *curve, char *text, size_t size) {
    return item_text(context, curve, text, size);
}

static const char *table_text(void *context, const ib_table *table, char *text, size_t size) {
    return item_text(context, table, text, size);
}

ib_status ib_native_text(const ib_graph *graph, ib_tape *const *tapes, size_t n_tapes, ib_str *text,
                         ib_native_data *data) {
    const ib_emit_names names = {data, leaf_text, root_text, curve_text, table_text};
    ib_status status = IB_OK;
    for (size_t i = 0; i < IB_COUNT(head); i++)
        ib_str_add(text, head[i]);
    for (size_t k = 0; k < n_tapes && status == IB_OK; k++) {
        size_t n;
        const ib_node *roots = ib_tape_nodes(tapes[k], &n);
        ib_str_printf(text,
                      "void ib_tape_%zu(const host *host, const void *const *data, const double "
                      "*restrict x, double *restrict out)\n{\n    (void)host, (void)data, "
                      "(void)x, (void)out;\n",
                      k);
        status = ib_emit_c(graph, roots, n, &names, false, text);
        ib_str_add(text, "}\n");
    }
    return data->failed || text->failed ? IB_NO_MEMORY : status;
}
