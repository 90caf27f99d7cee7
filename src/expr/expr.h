/* expr: scalar expressions as a hash-consed graph - built, simplified, differentiated exactly,
 * evaluated on a tape, emitted as C - and the parser of the user's language. Knows nothing of
 * mechanics. This is the one header that siblings include.
 */
#ifndef IB_EXPR_H
#define IB_EXPR_H

#include "base/base.h"
#include "num/num.h"

/* ---- spline.c: named curves y(x) ------------------------------------------------------------ */

typedef struct ib_curve ib_curve;
typedef enum ib_curve_kind {
    IB_CURVE_AKIMA,
    IB_CURVE_ZCC,
    IB_CURVE_LINEAR,
    IB_CURVE_PCHIP,
    IB_CURVE_CUBIC
} ib_curve_kind;

/* Copies n points; x must be strictly increasing and everything finite (the caller has checked and
 * said where not), n >= 2. NULL when out of memory. Beyond the ends every kind goes straight on
 * with the end slope but zcc. akima: Akima (1970). zcc: C2 cubic with zero first derivative at both
 * ends; beyond an end the quadratic with the end's value, zero slope and curvature. linear:
 * straight lines. pchip: monotone where the points are (Fritsch and Butland 1984). cubic: C2 cubic
 * with not-a-knot ends. */
ib_curve *ib_curve_create(ib_curve_kind kind, const double *x, const double *y, size_t n);
void ib_curve_destroy(ib_curve *curve);
/* Value (order 0) or derivative of order 1 to 3 at x. Stateless, O(1) amortised. At a knot the
 * piece to the right counts. */
double ib_curve_eval(const ib_curve *curve, unsigned order, double x);
/* False when values or differences of the points are so large, or widths so small, that some piece
 * has no finite coefficients. */
bool ib_curve_is_finite(const ib_curve *curve);

/* ---- table.c: functions f(x, y ...) on a grid ------------------------------------------------ */

enum { IB_TABLE_ARGUMENTS = 4 }; /* at most */
typedef struct ib_table ib_table;
typedef enum ib_table_kind { IB_TABLE_MULTILINEAR, IB_TABLE_CUBIC } ib_table_kind;

/* The order of a derivative along each argument, 8 bits for each, the first argument's lowest. */
#define IB_TABLE_ORDER(orders, argument) ((orders) >> (8 * (argument)) & 255)
#define IB_TABLE_ALONG(argument) (UINT32_C(1) << (8 * (argument)))

/* Copies the grid: n_arguments (2 to 4) axes of n[k] >= 2 strictly increasing numbers, and a value
 * for each of their combinations, the last argument's running fastest; everything finite (the
 * caller has checked and said where not). NULL when out of memory. multilinear: straight lines
 * along each argument. cubic: the tensor product of not-a-knot cubics. Both go straight on along
 * each argument beyond the grid. */
ib_table *ib_table_create(ib_table_kind kind, unsigned n_arguments, const size_t *n,
                          const double *const *axes, const double *values);
void ib_table_destroy(ib_table *table);
unsigned ib_table_arity(const ib_table *table);
/* The order of derivatives above which they vanish: 1 or 3. */
unsigned ib_table_degree(const ib_table *table);
/* Value (orders 0) or mixed derivative at x [n_arguments]; orders up to 3 along each argument, and
 * higher ones are as 3. Stateless, O(1) amortised. At a grid line the cell to the right counts. */
double ib_table_eval(const ib_table *table, uint32_t orders, const double *x);
/* False when some slope is too large to be a number. */
bool ib_table_is_finite(const ib_table *table);

/* ---- graph.c, simplify.c: the graph --------------------------------------------------------- */

typedef enum ib_op {
#define IB_OPCODE(name, text, arity, expression) IB_OP_##name,
#define IB_OPCODE_DATA(name, text, arity) IB_OP_##name,
#include "expr/opcodes.def"
    IB_OP_COUNT
} ib_op;

const char *ib_op_text(ib_op op);
unsigned ib_op_arity(ib_op op);

typedef struct ib_graph ib_graph;
/* A node of one graph. Equal expressions are one node. Children have smaller numbers. */
typedef uint32_t ib_node;
#define IB_NO_NODE UINT32_MAX

ib_graph *ib_graph_create(void);
void ib_graph_destroy(ib_graph *graph);
/* A copy with the same node numbers that grows on its own; curves and tables stay borrowed. NULL
 * when out of memory. */
ib_graph *ib_graph_clone(const ib_graph *graph);
/* True once memory ran out; every node built since is IB_NO_NODE, and building goes on harmlessly.
 */
bool ib_graph_failed(const ib_graph *graph);
size_t ib_graph_size(const ib_graph *graph);

ib_node ib_graph_const(ib_graph *graph, double value);
/* A variable. Leaves are numbered by the caller, densely from 0. */
ib_node ib_graph_leaf(ib_graph *graph, uint32_t leaf);
/* An operation of opcodes.def (not one with data of its own); unused arguments are IB_NO_NODE.
 * Folds constants and simplifies without changing any finite value: x+0, x*1, --x, x-x only where
 * dependence says so, integer powers as exact products. */
ib_node ib_graph_op(ib_graph *graph, ib_op op, ib_node a, ib_node b, ib_node c);
/* A curve's derivative of the given order at x. The curve is borrowed and must outlive the graph.
 */
ib_node ib_graph_curve(ib_graph *graph, const ib_curve *curve, unsigned order, ib_node x);
/* A table's derivative of the given orders at its arguments; the table is borrowed likewise. */
ib_node ib_graph_table(ib_graph *graph, const ib_table *table, uint32_t orders,
                       const ib_node *arguments);

static inline ib_node ib_neg(ib_graph *g, ib_node a) {
    return ib_graph_op(g, IB_OP_NEG, a, IB_NO_NODE, IB_NO_NODE);
}
static inline ib_node ib_add(ib_graph *g, ib_node a, ib_node b) {
    return ib_graph_op(g, IB_OP_ADD, a, b, IB_NO_NODE);
}
static inline ib_node ib_sub(ib_graph *g, ib_node a, ib_node b) {
    return ib_graph_op(g, IB_OP_SUB, a, b, IB_NO_NODE);
}
static inline ib_node ib_mul(ib_graph *g, ib_node a, ib_node b) {
    return ib_graph_op(g, IB_OP_MUL, a, b, IB_NO_NODE);
}
static inline ib_node ib_div(ib_graph *g, ib_node a, ib_node b) {
    return ib_graph_op(g, IB_OP_DIV, a, b, IB_NO_NODE);
}

ib_op ib_graph_op_of(const ib_graph *graph, ib_node node);
/* Child 0 to 2, or IB_NO_NODE. */
ib_node ib_graph_child(const ib_graph *graph, ib_node node, unsigned which);
/* True, with the value, when the node is a constant. */
bool ib_graph_is_const(const ib_graph *graph, ib_node node, double *value);
uint32_t ib_graph_leaf_of(const ib_graph *graph, ib_node node);
/* Marks used[leaf] for every leaf below n_leaves that the node depends on (structurally: 0*x
 * depends on x). The others are left as they are. False, with nothing marked, when out of memory.
 */
bool ib_graph_depends(const ib_graph *graph, ib_node node, bool *used, size_t n_leaves);
/* Value of one node; allocates, so not for loops. Leaves beyond n_leaves read as 0. NaN when out of
 * memory. */
double ib_graph_value(const ib_graph *graph, ib_node node, const double *leaves, size_t n_leaves);

/* ---- derivative.c: exact derivatives ----------------------------------------------------------
 */

/* Forward: the derivative of each root when leaf i moves at rate seeds[i] (a node; IB_NO_NODE is
 * zero; leaves beyond n_seeds do not move). Partial derivatives, time derivatives and the group
 * derivative D_k R = R e_k^ are all this with other seeds. At a kink the active branch counts. */
void ib_graph_tangent(ib_graph *graph, const ib_node *roots, size_t n_roots, const ib_node *seeds,
                      size_t n_seeds, ib_node *derivatives);
/* Reverse: the partial derivatives of one root by each of the given leaves. */
void ib_graph_gradient(ib_graph *graph, ib_node root, const uint32_t *leaves, size_t n_leaves,
                       ib_node *derivatives);
/* The root with leaf i replaced by node replacements[i] (IB_NO_NODE: kept). */
ib_node ib_graph_replace(ib_graph *graph, ib_node root, const ib_node *replacements,
                         size_t n_replacements);

/* ---- tape.c: evaluation -----------------------------------------------------------------------
 */

/* Several roots compiled to one straight list of instructions; immutable once made. */
typedef struct ib_tape ib_tape;

/* Where a value first stopped being finite. */
typedef struct ib_fault {
    size_t root; /* index of the root that is not finite */
    ib_op op;    /* the operation that failed */
    double a, b; /* what went into it (b is 0 for one argument) */
} ib_fault;

/* The failure in words: "log of -1", "1 / 0", "atan2 of 0 and 0". */
enum { IB_FAULT_TEXT = 96 };
const char *ib_fault_text(const ib_fault *fault, char text[IB_FAULT_TEXT]);

ib_tape *ib_tape_create(const ib_graph *graph, const ib_node *roots, size_t n_roots);
void ib_tape_destroy(ib_tape *tape);
size_t ib_tape_work_size(const ib_tape *tape); /* doubles that eval needs as scratch */
/* Evaluates all roots; no allocation. Returns false when a root is not finite: then *fault (unless
 * NULL) says which operation on the active branches first failed. */
bool ib_tape_eval(const ib_tape *tape, const double *leaves, double *work, double *out,
                  ib_fault *fault);

/* ---- emit_c.c: the same as C ------------------------------------------------------------------
 */

/* How leaves and results are written in the emitted text. */
typedef struct ib_emit_names {
    void *context;
    /* Writes the C expression that reads a leaf, e.g. "b1[3]", and returns text. */
    const char *(*leaf)(void *context, uint32_t leaf, char *text, size_t size);
    /* Writes the C lvalue of a root, e.g. "out[7]", and returns text. */
    const char *(*root)(void *context, size_t root, char *text, size_t size);
    /* Write the C expression of a pointer to the curve or table, and return text; NULL where there
     * are none. */
    const char *(*curve)(void *context, const ib_curve *curve, char *text, size_t size);
    const char *(*table)(void *context, const ib_table *table, char *text, size_t size);
} ib_emit_names;

/* Appends the statements (no function head) that compute the roots: the same operations as on the
 * tape, so the same bits, in an order that keeps values close to their use. Calls ib_sin ... of
 * base/fmath, sqrt and fabs of math.h, ib_curve_eval and ib_table_eval; curves and tables without a
 * name for them and constants that are not finite are refused (returns IB_UNSUPPORTED). Locals are
 * named v0, v1 ..., so give each list of statements a block of its own. A result is stored as soon
 * as it is known: results must not overlap the leaves (make the pointers `restrict`, it is worth
 * the time). Roots that are constant zero are left out when skip_zero. */
ib_status ib_emit_c(const ib_graph *graph, const ib_node *roots, size_t n_roots,
                    const ib_emit_names *names, bool skip_zero, ib_str *text);

/* ---- native.c: tapes as machine code ----------------------------------------------------------
 */

/* Compiled code of some tapes, loaded. */
typedef struct ib_native ib_native;

typedef struct ib_native_options {
    const char *compiler; /* a C compiler's name on the PATH, or its path */
    const char *folder;   /* where libraries are kept from run to run; made when missing */
} ib_native_options;

/* Has the tapes, made from this graph, evaluated by machine code from now on, with the same bits:
 * from a library kept in the folder under the hash of its source, or else compiled anew. NULL, with
 * the reason in `why` and the tapes as they were, when that cannot be. The result must outlive
 * every evaluation of the tapes. */
ib_native *ib_native_create(const ib_graph *graph, ib_tape *const *tapes, size_t n_tapes,
                            const ib_native_options *options, ib_str *why);
void ib_native_destroy(ib_native *native);

/* ---- parse.c: the user's language -------------------------------------------------------------
 */

typedef enum ib_symbol_kind {
    IB_SYMBOL_NONE,   /* no such name */
    IB_SYMBOL_NODE,   /* a value */
    IB_SYMBOL_CURVE,  /* a spline, called like a function */
    IB_SYMBOL_TABLE,  /* a table, likewise */
    IB_SYMBOL_REFUSED /* known, but not here; `reason` says why */
} ib_symbol_kind;

typedef struct ib_symbol {
    ib_symbol_kind kind;
    ib_node node;
    const ib_curve *curve;
    const ib_table *table;
    const char *reason;
} ib_symbol;

/* The names an expression may use besides t, time, pi and the functions. */
typedef struct ib_scope {
    void *context;
    ib_symbol (*find)(void *context, const char *name);
    /* All names, for suggestions. */
    const char *const *names;
    size_t n_names;
    ib_node time; /* what t and time mean; IB_NO_NODE where there is no time (constants) */
} ib_scope;

/* Text with places: `place` turns a byte offset and length of the text into a place in the file.
 * NULL: places count lines and columns of the text itself. */
typedef struct ib_text {
    const char *text;
    size_t length;
    void *context;
    ib_place (*place)(void *context, size_t offset, size_t length);
} ib_text;

/* Parses one expression. Names may contain dots. IB_NO_NODE after adding diagnostics that point at
 * the character (unknown name with the nearest spelling, wrong number of arguments, missing
 * parenthesis, deeper than 1,000 parentheses, a constant that is not finite, ...). A bare curve
 * name is returned through *bare_curve when that is not NULL (the node is then IB_NO_NODE, no
 * error). */
ib_node ib_expr_parse(ib_graph *graph, const ib_scope *scope, const ib_text *text, ib_diags *diags,
                      const ib_curve **bare_curve);
/* True for t, time, pi and every function name: what a user may not redefine. */
bool ib_expr_reserved(const char *name);

#endif
