/* Writes the C code of every library element: its value, Jacobian, acceleration term and stiffness.
 *
 * An element is written once, as a scalar expression graph over its bodies' poses and velocities.
 * Everything else follows by exact differentiation (docs/numerics.md, "Elements and derivatives"):
 * with D_k r = e_k for a translation and D_k R = R e_k^ for a rotation about body axis k,
 *     J     = D phi                       the constraint Jacobian
 *     gamma = d2 phi / dt2 at zero acceleration, so that phi'' = J a + gamma
 *     K     = D (J^T lambda)              the geometric stiffness; not symmetric on the group
 * This program runs while Ironbird is built; its output is compiled into src/mechanics.
 *
 * Usage: generate_elements OUTPUT.c
 */
#include "generate_elements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements ---- */

/* u1 . a2 with u on body 1 and a on body 2, from the parameters. */
static ib_node across(ib_graph *g, int u, int a) {
    return dot(g, turned(g, 0, parameter_vec(g, u)), turned(g, 1, parameter_vec(g, a)));
}

static void coincide(ib_graph *g, ib_node *rows) {
    memcpy(rows, separation(g).c, sizeof(ib_node) * 3);
}

/* The separation's component along an axis fixed on body 2. */
static ib_node along(ib_graph *g, int axis) {
    return dot(g, separation(g), turned(g, 1, parameter_vec(g, axis)));
}

static void build_spherical(ib_graph *g, ib_node *rows) { coincide(g, rows); }

/* 6: u, 9: w on body 1, both across the axis; 12: axis on body 2. */
static void build_revolute(ib_graph *g, ib_node *rows) {
    coincide(g, rows);
    rows[3] = across(g, 6, 12);
    rows[4] = across(g, 9, 12);
}

/* 6: axis on body 1; 9: axis on body 2. */
static void build_universal(ib_graph *g, ib_node *rows) {
    coincide(g, rows);
    rows[3] = across(g, 6, 9);
}

/* 6, 9, 12: x, y, z on body 1; 15, 18, 21: x, y, z on body 2. */
static void aligned(ib_graph *g, ib_node *rows) {
    rows[0] = across(g, 9, 21);
    rows[1] = across(g, 12, 15);
    rows[2] = across(g, 6, 18);
}

static void build_fixed(ib_graph *g, ib_node *rows) {
    coincide(g, rows);
    aligned(g, rows + 3);
}

/* Frames as for fixed, z along the axis; translation along z is free. */
static void build_prismatic(ib_graph *g, ib_node *rows) {
    rows[0] = along(g, 15);
    rows[1] = along(g, 18);
    aligned(g, rows + 2);
}

/* 6: axis on body 1; 9, 12: x, y on body 2, both across the axis. */
static void build_cylindrical(ib_graph *g, ib_node *rows) {
    rows[0] = along(g, 9);
    rows[1] = along(g, 12);
    rows[2] = across(g, 6, 9);
    rows[3] = across(g, 6, 12);
}

/* 6: axis on body 1; 9, 12, 15: x, y, z on body 2, z the axis. */
static void build_planar(ib_graph *g, ib_node *rows) {
    rows[0] = along(g, 15);
    rows[1] = across(g, 6, 9);
    rows[2] = across(g, 6, 12);
}

/* 6, 9: on body 2, both across the line. */
static void build_point_on_line(ib_graph *g, ib_node *rows) {
    rows[0] = along(g, 6);
    rows[1] = along(g, 9);
}

/* 6: axis on body 1; 9, 12: x, y on body 2, both across its axis. */
static void build_parallel(ib_graph *g, ib_node *rows) {
    rows[0] = across(g, 6, 9);
    rows[1] = across(g, 6, 12);
}

/* 6, 9: x, y on body 1; 12, 15: x, y on body 2; both frames have z along their shaft. The rotation
 * that takes one frame to the other is about an axis across the shafts (its skew part has no z),
 * so that what one shaft turns the other turns too, at any angle between them. */
static void build_constant_velocity(ib_graph *g, ib_node *rows) {
    coincide(g, rows);
    rows[3] = ib_sub(g, across(g, 6, 15), across(g, 9, 12));
}

/* One row of a generic joint, or a point on a plane: 6: axis on body 2. */
static void build_axial(ib_graph *g, ib_node *rows) { rows[0] = along(g, 6); }

/* One row of a generic joint, or perpendicular axes: 6: u on body 1, 9: a on body 2. */
static void build_perpendicular(ib_graph *g, ib_node *rows) { rows[0] = across(g, 6, 9); }

static void build_distance(ib_graph *g, ib_node *rows) {
    const vec d = separation(g);
    rows[0] = ib_graph_op(g, IB_OP_SQRT, dot(g, d, d), IB_NO_NODE, IB_NO_NODE);
}

/* 6: the length that is kept. */
static void build_rod(ib_graph *g, ib_node *rows) {
    build_distance(g, rows);
    rows[0] = ib_sub(g, rows[0], leaf(g, PARAMETER_LEAF + 6));
}

static void build_distance_rate(ib_graph *g, ib_node *rows) {
    ib_node distance;
    build_distance(g, &distance);
    rows[0] = ib_div(g, dot(g, separation(g), separation_velocity(g)), distance);
}

/* 6: an axis fixed in the frame of body 3. */
static void build_displacement(ib_graph *g, ib_node *rows) {
    rows[0] = dot(g, separation(g), turned(g, 2, parameter_vec(g, 6)));
}

static void build_velocity(ib_graph *g, ib_node *rows) {
    rows[0] = dot(g, separation_velocity(g), turned(g, 2, parameter_vec(g, 6)));
}

/* atan2(a.c, a.b): 0: a on body 1; 3: b, 6: c on body 2. */
static void angle_parts(ib_graph *g, ib_node *sine, ib_node *cosine) {
    const vec a = turned(g, 0, parameter_vec(g, 0));
    *sine = dot(g, a, turned(g, 1, parameter_vec(g, 6)));
    *cosine = dot(g, a, turned(g, 1, parameter_vec(g, 3)));
}

static void build_angle(ib_graph *g, ib_node *rows) {
    ib_node sine, cosine;
    angle_parts(g, &sine, &cosine);
    rows[0] = ib_graph_op(g, IB_OP_ATAN2, sine, cosine, IB_NO_NODE);
}

static void build_angular_rate(ib_graph *g, ib_node *rows) {
    ib_node angle;
    build_angle(g, &angle);
    time_derivative(g, &angle, 1, rows);
}

/* The numerator x y' - y x' of the rate only. */
static void build_angular_rate_legacy(ib_graph *g, ib_node *rows) {
    ib_node part[2], rate[2];
    angle_parts(g, &part[1], &part[0]);
    time_derivative(g, part, 2, rate);
    rows[0] = ib_sub(g, ib_mul(g, part[0], rate[1]), ib_mul(g, part[1], rate[0]));
}

/* 0: a global vector; 3: an axis fixed in the frame of body 1. */
static void build_direction(ib_graph *g, ib_node *rows) {
    rows[0] = dot(g, parameter_vec(g, 0), turned(g, 0, parameter_vec(g, 3)));
}

/* 0: an axis fixed in the frame of body 3. */
static void build_angular_velocity(ib_graph *g, ib_node *rows) {
    const vec w = minus(g, turned(g, 0, rates_of(g, 0)), turned(g, 1, rates_of(g, 1)));
    rows[0] = dot(g, w, turned(g, 2, parameter_vec(g, 0)));
}

/* ---- force directions: the 6 generalised force components a body for a unit scalar ---- */

/* 0: point on body 1; 3: axis fixed in the frame of body 3. Along +axis on body 1 at its point; the
 * reaction on body 2 acts at the same place. */
static void build_axis_force(ib_graph *g, ib_node *direction) {
    const vec s = parameter_vec(g, 0);
    const vec a = turned(g, 2, parameter_vec(g, 3));
    const vec arm = minus(g, point_of(g, 0, s), position_of(g, 1));
    const vec torque1 = cross(g, s, turned_back(g, 0, a));
    const vec torque2 = negative(g, turned_back(g, 1, cross(g, arm, a)));
    const vec force2 = negative(g, a);
    memcpy(direction, a.c, sizeof a.c);
    memcpy(direction + 3, torque1.c, sizeof torque1.c);
    memcpy(direction + 6, force2.c, sizeof force2.c);
    memcpy(direction + 9, torque2.c, sizeof torque2.c);
}

/* 0: axis fixed in the frame of body 3. */
static void build_axis_torque(ib_graph *g, ib_node *direction) {
    const vec a = turned(g, 2, parameter_vec(g, 0));
    const vec torque1 = turned_back(g, 0, a);
    const vec torque2 = negative(g, turned_back(g, 1, a));
    memcpy(direction + 3, torque1.c, sizeof torque1.c);
    memcpy(direction + 9, torque2.c, sizeof torque2.c);
}

/* ---- the table of elements ---- */

static const element elements[] = {
    {"spherical", ROWS, 2, 3, 6, 3, true, build_spherical, NULL},
    {"revolute", ROWS, 2, 5, 15, 3, true, build_revolute, NULL},
    {"universal", ROWS, 2, 4, 12, 3, true, build_universal, NULL},
    {"fixed", ROWS, 2, 6, 24, 3, true, build_fixed, NULL},
    {"cylindrical", ROWS, 2, 4, 15, 2, false, build_cylindrical, NULL},
    {"prismatic", ROWS, 2, 5, 24, 2, false, build_prismatic, NULL},
    {"planar", ROWS, 2, 3, 18, 1, false, build_planar, NULL},
    {"point_on_line", ROWS, 2, 2, 12, 2, false, build_point_on_line, NULL},
    {"parallel", ROWS, 2, 2, 15, 0, false, build_parallel, NULL},
    {"constant_velocity", ROWS, 2, 4, 18, 3, true, build_constant_velocity, NULL},
    {"axial", ROWS, 2, 1, 9, 1, false, build_axial, NULL},
    {"perpendicular", ROWS, 2, 1, 12, 0, false, build_perpendicular, NULL},
    {"rod", ROWS, 2, 1, 7, 1, false, build_rod, NULL},
    {"distance", ROWS, 2, 1, 6, 1, false, build_distance, NULL},
    {"displacement", ROWS, 3, 1, 9, 1, false, build_displacement, NULL},
    {"angle", ROWS, 2, 1, 9, 0, false, build_angle, NULL},
    {"direction", ROWS, 1, 1, 6, 0, false, build_direction, NULL},
    {"distance_rate", RATE, 2, 1, 6, 0, false, build_distance_rate, NULL},
    {"velocity", RATE, 3, 1, 9, 0, false, build_velocity, NULL},
    {"angular_rate", RATE, 2, 1, 9, 0, false, build_angular_rate, NULL},
    {"angular_rate_legacy", RATE, 2, 1, 9, 0, false, build_angular_rate_legacy, NULL},
    {"angular_velocity", RATE, 3, 1, 3, 0, false, build_angular_velocity, NULL},
    {"axis_force", DIRECTION, 3, 1, 6, 0, false, build_axis_force, NULL},
    {"axis_torque", DIRECTION, 3, 1, 3, 0, false, build_axis_torque, NULL},
    {"bushing", LOAD, 2, 12, 102, 0, false, build_bushing, NULL},
    {"contact_plane", LOAD, 2, 12, 21, 0, false, build_contact_plane, NULL},
    {"contact_field", LOAD, 2, 12, 29, 0, false, build_contact_field, follow_contact_field},
    {"joint_friction", LOAD, 2, 12, 11, 0, false, build_joint_friction, NULL},
};

_Static_assert(IB_COUNT(elements) == IB_ELEMENT_COUNT, "every element has its code");

/* ---- emission ---- */

typedef struct emission {
    ib_graph *graph;
    const element *element;
    ib_node roots[1024];
    char names[1024][24];
    size_t n;
} emission;

static void emit_root(emission *e, ib_node node, const char *array, int index) {
    e->roots[e->n] = node;
    snprintf(e->names[e->n], sizeof e->names[0], "%s[%d]", array, index);
    e->n++;
}

static const char *leaf_text(void *context, uint32_t index, char *text, size_t size) {
    (void)context;
    if (index < PARAMETER_LEAF)
        snprintf(text, size, "b%u[%u]", (unsigned)(index / IB_KIN + 1), (unsigned)(index % IB_KIN));
    else if (index < LAMBDA_LEAF)
        snprintf(text, size, "p[%u]", (unsigned)(index - PARAMETER_LEAF));
    else
        snprintf(text, size, "lambda[%u]", (unsigned)(index - LAMBDA_LEAF));
    return text;
}

static const char *root_text(void *context, size_t root, char *text, size_t size) {
    const emission *e = context;
    snprintf(text, size, "%s", e->names[root]);
    return text;
}

static void fail(const char *what) {
    fprintf(stderr, "generate_elements: %s\n", what);
    exit(1);
}

/* Keeps the roots that are constant (or that are not), in order. */
static void keep_roots(emission *e, bool constant) {
    size_t kept = 0;
    for (size_t i = 0; i < e->n; i++) {
        double value;
        if (ib_graph_is_const(e->graph, e->roots[i], &value) != constant ||
            (constant && value == 0))
            continue;
        e->roots[kept] = e->roots[i];
        memmove(e->names[kept], e->names[i], sizeof e->names[0]);
        kept++;
    }
    e->n = kept;
}

/* Every function of a kind has the same signature, whatever it reads of it. */
static void write_function(FILE *out, const emission *e, const char *suffix, const char *results) {
    ib_str text = {0};
    const ib_emit_names names = {.context = (void *)e, .leaf = leaf_text, .root = root_text};
    if (e->n && ib_emit_c(e->graph, e->roots, e->n, &names, false, &text) != IB_OK)
        fail("an element cannot be emitted");
    fprintf(out,
            "static void %s_%s(const double *restrict b1, const double *restrict b2,\n"
            "    const double *restrict b3, const double *restrict p, %s)\n"
            "{\n    (void)b1, (void)b2, (void)b3, (void)p;\n%s}\n\n",
            e->element->name, suffix, results,
            e->n ? text.data : "    (void)J;\n"); /* only `constants` may be empty */
    ib_str_free(&text);
}

/* Column index of direction k of body s in row i of the Jacobian: for each body T (rows x 3), then
 * H (rows x 3). */
static int jacobian_index(const element *el, int row, int body, int k) {
    return body * 6 * el->n_rows + (k < 3 ? 0 : 3 * el->n_rows) + 3 * row + k % 3;
}

static void add_rows(emission *e, const ib_node *rows) {
    for (int i = 0; i < e->element->n_rows; i++)
        emit_root(e, rows[i], "phi", i);
}

static void add_jacobian(emission *e, const ib_node *jacobian) {
    const element *el = e->element;
    for (int body = 0; body < el->n_bodies; body++)
        for (int k = 0; k < 6; k++)
            for (int i = 0; i < el->n_rows; i++)
                emit_root(e, jacobian[(body * 6 + k) * el->n_rows + i], "J",
                          jacobian_index(el, i, body, k));
}

/* K_ij = D_j of generalised force component i. */
static void write_stiffness(FILE *out, emission *e, const ib_node *force) {
    const element *el = e->element;
    const int n = 6 * el->n_bodies;
    ib_node seeds[N_LEAVES], column[MAX_DIRECTIONS];
    e->n = 0;
    for (int j = 0; j < n; j++) {
        seed_direction(e->graph, j / 6, j % 6, seeds);
        ib_graph_tangent(e->graph, force, (size_t)n, seeds, N_LEAVES, column);
        for (int i = 0; i < n; i++)
            emit_root(e, column[i], "K", n * i + j);
    }
    keep_roots(e, false);
    write_function(out, e, "stiffness", "const double *restrict lambda, double *restrict K");
}

/* The root where body 2 is the ground: at the origin, unturned, at rest. */
static ib_node grounded(ib_graph *g, ib_node root) {
    ib_node fixed[N_LEAVES];
    clear_seeds(fixed);
    for (int i = 0; i < IB_KIN; i++)
        fixed[IB_KIN + i] = ib_graph_const(g, i == 3 || i == 7 || i == 11 ? 1 : 0);
    return ib_graph_replace(g, root, fixed, N_LEAVES);
}

/* gradient and gamma for a joint to the ground, half the work: J of body 2 is not wanted. */
static void write_grounded(FILE *out, emission *e, const ib_node *rows, const ib_node *jacobian,
                           const ib_node *gamma) {
    const element *el = e->element;
    double value;
    e->n = 0;
    for (int i = 0; i < el->n_rows; i++)
        emit_root(e, grounded(e->graph, rows[i]), "phi", i);
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < el->n_rows; i++) {
            const ib_node entry = jacobian[k * el->n_rows + i];
            if (!ib_graph_is_const(e->graph, entry, &value))
                emit_root(e, grounded(e->graph, entry), "J", jacobian_index(el, i, 0, k));
        }
    write_function(out, e, "gradient_ground", "double *restrict phi, double *restrict J");
    e->n = 0;
    for (int i = 0; i < el->n_rows; i++)
        emit_root(e, grounded(e->graph, gamma[i]), "gamma", i);
    write_function(out, e, "gamma_ground", "double *restrict gamma");
}

static void write_rows(FILE *out, emission *e) {
    const element *el = e->element;
    ib_graph *g = e->graph;
    ib_node rows[IB_MAX_ROWS], gamma[IB_MAX_ROWS], jacobian[MAX_DIRECTIONS * IB_MAX_ROWS];
    el->build(g, rows);
    differentiate(g, el->n_bodies, rows, el->n_rows, jacobian);
    second_derivative(g, rows, el->n_rows, gamma);

    e->n = 0;
    add_jacobian(e, jacobian);
    keep_roots(e, true);
    write_function(out, e, "constants", "double *restrict J");
    e->n = 0;
    add_rows(e, rows);
    write_function(out, e, "value", "double *restrict phi");
    e->n = 0;
    add_rows(e, rows);
    add_jacobian(e, jacobian);
    keep_roots(e, false);
    write_function(out, e, "gradient", "double *restrict phi, double *restrict J");
    e->n = 0;
    for (int i = 0; i < el->n_rows; i++)
        emit_root(e, gamma[i], "gamma", i);
    write_function(out, e, "gamma", "double *restrict gamma");
    if (el->n_bodies == 2)
        write_grounded(out, e, rows, jacobian, gamma);

    ib_node force[MAX_DIRECTIONS];
    for (int d = 0; d < 6 * el->n_bodies; d++) {
        force[d] = ib_graph_const(g, 0);
        for (int i = 0; i < el->n_rows; i++)
            force[d] = ib_add(g, force[d],
                              ib_mul(g, leaf(g, LAMBDA_LEAF + i), jacobian[d * el->n_rows + i]));
    }
    write_stiffness(out, e, force);
}

/* A function of position and velocity: its value, J by position and Jv by velocity. */
static void write_rate(FILE *out, emission *e) {
    const element *el = e->element;
    ib_graph *g = e->graph;
    ib_node row, jacobian[MAX_DIRECTIONS];
    el->build(g, &row);
    differentiate(g, el->n_bodies, &row, 1, jacobian);
    e->n = 0;
    add_rows(e, &row);
    write_function(out, e, "value", "double *restrict phi");
    e->n = 0;
    add_rows(e, &row);
    add_jacobian(e, jacobian);
    for (int d = 0; d < 6 * el->n_bodies; d++) {
        ib_node slope;
        by_velocity(g, d / 6, d % 6, &row, 1, &slope);
        emit_root(e, slope, "Jv", jacobian_index(el, 0, d / 6, d % 6));
    }
    write_function(out, e, "rate", "double *restrict phi, double *restrict J, double *restrict Jv");
}

static void write_direction(FILE *out, emission *e) {
    const element *el = e->element;
    ib_graph *g = e->graph;
    ib_node direction[MAX_DIRECTIONS], force[MAX_DIRECTIONS];
    for (int d = 0; d < MAX_DIRECTIONS; d++)
        direction[d] = ib_graph_const(g, 0);
    el->build(g, direction);
    e->n = 0;
    add_jacobian(e, direction);
    emit_root(e, ib_graph_const(g, 1), "phi", 0); /* a direction has no value of its own */
    write_function(out, e, "gradient", "double *restrict phi, double *restrict J");
    for (int d = 0; d < 6 * el->n_bodies; d++)
        force[d] = ib_mul(g, leaf(g, LAMBDA_LEAF), direction[d]);
    write_stiffness(out, e, force);
}

/* A load: Q, its guard, the energy it stores, and Q by position and by velocity. */
static void write_load(FILE *out, emission *e) {
    ib_graph *g = e->graph;
    ib_node rows[LOAD_ROWS], slope[LOAD_FORCES], slope_v[LOAD_FORCES], seeds[N_LEAVES];
    e->element->build(g, rows);
    e->n = 0;
    for (int i = 0; i < LOAD_FORCES; i++)
        emit_root(e, rows[i], "phi", i);
    write_function(out, e, "value", "double *restrict phi");
    e->n = 0;
    emit_root(e, rows[LOAD_GUARD], "guard", 0);
    write_function(out, e, "guard", "double *restrict guard");
    e->n = 0;
    emit_root(e, rows[LOAD_ENERGY], "energy", 0);
    write_function(out, e, "energy", "double *restrict energy");
    e->n = 0;
    for (int j = 0; j < LOAD_FORCES; j++) {
        seed_direction(g, j / 6, j % 6, seeds);
        if (e->element->follow)
            e->element->follow(g, seeds);
        ib_graph_tangent(g, rows, LOAD_FORCES, seeds, N_LEAVES, slope);
        by_velocity(g, j / 6, j % 6, rows, LOAD_FORCES, slope_v);
        for (int i = 0; i < LOAD_FORCES; i++) {
            emit_root(e, slope[i], "K", LOAD_FORCES * i + j);
            emit_root(e, slope_v[i], "Kv", LOAD_FORCES * i + j);
        }
    }
    keep_roots(e, false);
    write_function(out, e, "slopes", "double *restrict K, double *restrict Kv");
}

static void write_element(FILE *out, const element *el) {
    emission *e = calloc(1, sizeof *e);
    ib_graph *graph = ib_graph_create();
    if (!e || !graph)
        fail("out of memory");
    e->graph = graph;
    e->element = el;
    if (el->kind == ROWS)
        write_rows(out, e);
    else if (el->kind == RATE)
        write_rate(out, e);
    else if (el->kind == DIRECTION)
        write_direction(out, e);
    else
        write_load(out, e);
    if (ib_graph_failed(graph))
        fail("out of memory");
    ib_graph_destroy(graph);
    free(e);
}

static void write_table(FILE *out) {
    fprintf(out, "const ib_element_code ib_element_codes[IB_ELEMENT_COUNT] = {\n");
    for (size_t i = 0; i < IB_COUNT(elements); i++) {
        const element *el = &elements[i];
        fprintf(out, "    [IB_ELEMENT_%s] = {\"%s\", %d, %d, %d, %d, %s", el->name, el->name,
                el->n_bodies, el->n_rows, el->n_parameters, el->n_points,
                el->coincident ? "true" : "false");
        if (el->kind == ROWS)
            fprintf(out, ", %s_constants, %s_value, %s_gradient, %s_gamma, NULL, %s_stiffness",
                    el->name, el->name, el->name, el->name, el->name);
        else if (el->kind == RATE)
            fprintf(out, ", NULL, %s_value, NULL, NULL, %s_rate, NULL", el->name, el->name);
        else if (el->kind == DIRECTION)
            fprintf(out, ", NULL, NULL, %s_gradient, NULL, NULL, %s_stiffness", el->name, el->name);
        else
            fprintf(out, ", NULL, %s_value, NULL, NULL, NULL, NULL", el->name);
        if (el->kind == ROWS && el->n_bodies == 2)
            fprintf(out, ", %s_gradient_ground, %s_gamma_ground", el->name, el->name);
        else
            fprintf(out, ", NULL, NULL");
        if (el->kind == LOAD)
            fprintf(out, ", %s_slopes, %s_guard, %s_energy", el->name, el->name, el->name);
        fprintf(out, "},\n");
    }
    fprintf(out, "};\n");
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: generate_elements OUTPUT.c\n");
        return 2;
    }
    FILE *out = fopen(argv[1], "w");
    if (!out)
        fail("the output cannot be written");
    fprintf(out, "/* Written by tools/generate_elements.c; do not edit. */\n"
                 "#include \"mechanics/element.h\"\n\n#include <math.h>\n\n");
    for (size_t i = 0; i < IB_COUNT(elements); i++)
        write_element(out, &elements[i]);
    write_table(out);
    if (fclose(out) != 0)
        fail("the output cannot be written");
    return 0;
}
