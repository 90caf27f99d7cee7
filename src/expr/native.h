/* What a tape's machine code is given. Private to expr. */
#ifndef IB_EXPR_NATIVE_H
#define IB_EXPR_NATIVE_H

#include "expr/expr.h"

/* The functions of one and of two arguments that opcodes.def may call besides fabs and sqrt. */
#define IB_NATIVE_UNARY(X)                                                                         \
    X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(exp) X(log)
#define IB_NATIVE_PLAIN(X) X(floor) X(ceil)
#define IB_NATIVE_BINARY(X) X(pow) X(atan2) X(hypot) X(fmod)

/* Ironbird's side of the code, handed over by pointer so that the library needs no symbol of ours:
 * the order of the members is that of the text in native_text.c, which is made of the same lists.
 */
typedef struct ib_native_host {
#define IB_MEMBER(name) double (*name)(double);
    IB_NATIVE_UNARY(IB_MEMBER)
    IB_NATIVE_PLAIN(IB_MEMBER)
#undef IB_MEMBER
#define IB_MEMBER(name) double (*name)(double, double);
    IB_NATIVE_BINARY(IB_MEMBER)
#undef IB_MEMBER
    void (*sincos)(double, double *, double *);
    double (*curve)(const ib_curve *, unsigned, double);
    double (*table)(const ib_table *, uint32_t, const double *);
} ib_native_host;

typedef void (*ib_native_code)(const ib_native_host *host, const void *const *data,
                               const double *leaves, double *out);

/* Curves and tables that the code uses, by the number it knows them by. */
typedef struct ib_native_data {
    const void **items; /* [n] */
    size_t n, capacity;
    bool failed; /* out of memory */
} ib_native_data;

/* tape.c: the roots that the tape was made of. */
const ib_node *ib_tape_nodes(const ib_tape *tape, size_t *n);
/* From now on the tape's values come from the code; it must stay loaded as long as the tape is
 * used. The walk to a fault stays the tape's own. */
void ib_tape_use(ib_tape *tape, ib_native_code code, const ib_native_host *host,
                 const void *const *data);

/* native_text.c: the C source of the tapes, a function `ib_tape_K` each, and the data it refers to.
 * IB_UNSUPPORTED when a tape cannot be written as C. */
ib_status ib_native_text(const ib_graph *graph, ib_tape *const *tapes, size_t n_tapes, ib_str *text,
                         ib_native_data *data);

#endif
