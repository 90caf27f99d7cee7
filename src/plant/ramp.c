/* The ramp of a driver: a 7th-order polynomial from rest to the motion (spec: drivers).
 *
 * With s = t / Ta and u = 1 - s the polynomial is m0 + s^4 (a + b u + c u^2 + d u^3): at s = 0 the
 * measure's initial value with zero velocity, acceleration and jerk. At u = 0 value, velocity and
 * acceleration are the motion's and the jerk is zero, which gives
 *     a = f - m0,  b = 4 a - Ta f',  c = Ta^2 f'' / 2 + 4 b - 6 a,  d = 4 c - 6 b + 4 a.
 */
#include "plant/compiled.h"

/* The node with t = at. */
static ib_node at_time(ib_graph *g, ib_node node, double at) {
    const ib_node time = ib_graph_const(g, at);
    return ib_graph_replace(g, node, &time, 1);
}

static ib_node rate(ib_graph *g, ib_node node) {
    const ib_node one = ib_graph_const(g, 1);
    ib_node derivative;
    ib_graph_tangent(g, &node, 1, &one, 1, &derivative);
    return derivative;
}

static ib_node times(ib_graph *g, double factor, ib_node node) {
    return ib_mul(g, ib_graph_const(g, factor), node);
}

ib_node ib_ramp(ib_graph *g, ib_node motion, double duration, uint32_t start) {
    const ib_node velocity = rate(g, motion), initial = ib_graph_leaf(g, start);
    const ib_node f = at_time(g, motion, duration);
    const ib_node f1 = times(g, duration, at_time(g, velocity, duration));
    const ib_node f2 = times(g, duration * duration, at_time(g, rate(g, velocity), duration));
    const ib_node a = ib_sub(g, f, initial);
    const ib_node b = ib_sub(g, times(g, 4, a), f1);
    const ib_node c = ib_sub(g, ib_add(g, times(g, 0.5, f2), times(g, 4, b)), times(g, 6, a));
    const ib_node d = ib_add(g, ib_sub(g, times(g, 4, c), times(g, 6, b)), times(g, 4, a));

    const ib_node t = ib_graph_leaf(g, ib_leaf_time());
    const ib_node s = ib_div(g, t, ib_graph_const(g, duration));
    const ib_node u = ib_sub(g, ib_graph_const(g, 1), s);
    const ib_node s2 = ib_mul(g, s, s);
    const ib_node bracket =
        ib_add(g, a, ib_mul(g, u, ib_add(g, b, ib_mul(g, u, ib_add(g, c, ib_mul(g, u, d))))));
    const ib_node ramp = ib_add(g, initial, ib_mul(g, ib_mul(g, s2, s2), bracket));
    const ib_node before = ib_graph_op(g, IB_OP_LT, t, ib_graph_const(g, duration), IB_NO_NODE);
    return ib_graph_op(g, IB_OP_SELECT, before, ramp, motion);
}
