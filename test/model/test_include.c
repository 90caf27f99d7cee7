/* Included files: names, places, parameters, data beside them, and what is wrong where. */
#include "model_test.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static const char *path_of(const char *name) {
    static char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/ironbird_include_XXXXXX");
    return mkdtemp(folder) && mkdir(path_of("parts"), 0700) == 0 ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"m.yaml",       "parts/a.yaml", "parts/b.yaml",
                                        "parts/c.yaml", "parts/d.txt",  "parts"};
    for (size_t i = 0; i < IB_COUNT(names); i++)
        remove(path_of(names[i]));
    return rmdir(folder);
}

static void write_bytes(const char *name, const char *text, size_t length) {
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void write_file(const char *name, const char *text) {
    write_bytes(name, text, strlen(text));
}

#define BODY "{mass: 1, inertia: [1, 1, 1]}"
#define PART "ironbird: 1\nbodies: {hub: " BODY "}\n"

/* m.yaml with these lines after its version and one body, set from outside as well. */
static loaded load_with(const char *lines, const ib_override *overrides, size_t n) {
    char text[4000];
    snprintf(text, sizeof(text), "ironbird: 1\nbodies: {base: " BODY "}\n%s", lines);
    write_file("m.yaml", text);
    loaded l = {.diags = ib_diags_create()};
    l.status = ib_model_load(path_of("m.yaml"), overrides, n, l.diags, &l.model);
    return l;
}

static loaded load_lines(const char *lines) {
    loaded l = load_with(lines, NULL, 0);
    if (l.status != IB_OK)
        print_diags(&l);
    assert_int_equal(l.status, IB_OK);
    return l;
}

/* One error, in this file at this place. */
static void fails(const char *lines, const char *file, const char *id, uint32_t line,
                  uint32_t column, const char *said) {
    loaded l = load_with(lines, NULL, 0);
    const ib_diag *d = ib_diags_count(l.diags) > 0 ? ib_diags_at(l.diags, 0) : NULL;
    const bool good = l.status == IB_BAD_INPUT && ib_diags_errors(l.diags) == 1 && d &&
                      strcmp(d->id, id) == 0 && d->place.line == line &&
                      d->place.column == column && strcmp(d->place.file, path_of(file)) == 0 &&
                      (strstr(d->message, said) || (d->suggestion && strstr(d->suggestion, said)));
    if (!good) {
        print_message("-- wanted %s at %s:%u:%u, '%s'; got:\n", id, file, line, column, said);
        print_diags(&l);
    }
    assert_true(good);
    unload(&l);
}

static const char a_as_front[] = "include: [{file: parts/a.yaml, as: front}]\n";

/* ---- names ---- */

static void test_names(void **state) {
    (void)state;
    write_file("parts/d.txt", "0 0\n1 2\n");
    write_file(
        "parts/a.yaml",
        "ironbird: 1\n"
        "parameters: {k: 2, two: 2 * k}\n"
        "inputs: {u: 0.5}\n"
        "points: {p: [1, 2, 3]}\n"
        "frames: {f: {z: [1, 0, 0]}}\n"
        "bodies: {hub: {mass: two, inertia: [1, 1, 1], position: p, orientation: f, id: H}}\n"
        "splines: {s: {file: d.txt, type: linear}}\n"
        "tables: {g: {axes: [[0, 1], [0, 1]], values: [[0, k], [0, 1]]}}\n"
        "measures: {x: {type: displacement, body1: hub, component: x}}\n"
        "joints: {j: {type: prismatic, body1: hub, axis: [1, 0, 0]}}\n"
        "forces:\n"
        "  push: {type: expression_force, body1: hub, body2: ground, "
        "force: \"s(x) + g(x, 0) + u + two + length\"}\n"
        "drivers: {d: {measure: x, motion: \"1 + s(t)\"}}\n"
        "outputs: {o: x + k}\n"
        "sensors: {at: {type: point, body: hub, point: p}}\n");
    loaded l =
        load_lines("include: [{file: parts/a.yaml, as: front}, {file: parts/a.yaml, as: rear}]\n"
                   "parameters: {k: 7, own: front.two + rear.k}\n"
                   "measures: {gap: {type: distance, body1: front.hub, body2: rear.hub, "
                   "point1: front.p, point2: [0, 0, 0]}}\n"
                   "outputs: {sum: \"front.x + rear.u * front.s(gap) + rear.g(0, 1)\"}\n"
                   "joints: {fix: {type: fixed, body1: front.hub, body2: rear.hub, "
                   "orientation: rear.f}}\n");
    const ib_model *m = l.model;
    assert_int_equal(m->n_bodies, 3);
    assert_string_equal(m->bodies[0].element.name, "base");
    assert_string_equal(m->bodies[1].element.name, "front.hub");
    assert_string_equal(m->bodies[1].element.id, "front.H");
    assert_string_equal(m->bodies[2].element.name, "rear.hub");
    assert_string_equal(m->bodies[2].element.id, "rear.H");
    assert_same(m->bodies[2].mass, 4);
    assert_string_equal(m->parameters[2].name, "front.k");
    assert_same(m->parameters[1].value, 4 + 2);
    assert_string_equal(m->inputs[1].name, "rear.u");
    assert_string_equal(m->joints[0].element.name, "fix");
    assert_string_equal(m->joints[1].element.name, "front.j");
    assert_int_equal(m->joints[2].body1, 2);
    assert_string_equal(m->forces[0].element.name, "front.push");
    assert_string_equal(m->measures[1].element.name, "front.x");
    assert_int_equal(m->measures[2].body1, 2);
    assert_int_equal(m->drivers[1].measure, 2);
    assert_string_equal(m->drivers[0].element.name, "front.d");
    assert_string_equal(m->outputs[2].element.name, "rear.o");
    assert_string_equal(m->sensors[1].element.name, "rear.at");
    assert_string_equal(m->curve_names[1], "rear.s");
    assert_string_equal(m->table_names[0], "front.g");
    assert_vector(m->measures[0].point1, 1, 2, 3);
    unload(&l);
}

/* Files that include others, and are relative to where they are. */
static void test_nested(void **state) {
    (void)state;
    write_file("parts/a.yaml", PART "include: [{file: b.yaml, as: in, at: [0, 1, 0], parameters: "
                                    "{k: 2 * q}}]\nparameters: {q: 3}\n");
    write_file("parts/b.yaml",
               "ironbird: 1\nparameters: {k: 1, m: 2 * k}\n"
               "bodies: {rim: {mass: m, inertia: [1, 1, 1], position: [1, 0, 0]}}\n");
    loaded l = load_lines("include: [{file: parts/a.yaml, as: out, at: [5, 0, 0], orientation: {z: "
                          "[0, 0, 1], x: [0, 1, 0]}, parameters: {q: 10}}]\n");
    assert_string_equal(l.model->bodies[2].element.name, "out.in.rim");
    assert_same(l.model->bodies[2].mass, 40);
    /* (1, 1, 0) turned by a quarter about z, and moved */
    assert_vector(l.model->bodies[2].position, 5 - 1, 1, 0);
    unload(&l);
}

/* ---- places ---- */

static void test_placement(void **state) {
    (void)state;
    write_file("parts/a.yaml",
               "ironbird: 1\n"
               "points: {p: [1, 2, 3]}\n"
               "frames: {f: {z: [1, 0, 0]}}\n"
               "bodies:\n"
               "  rim: " BODY "\n"
               "  hub: {mass: 1, inertia: [1, 1, 1], position: p, orientation: [0, 1, 0, 0],\n"
               "    velocity: [1, 2, 3], angular_velocity: [0, 0, 4]}\n"
               "measures:\n"
               "  x: {type: displacement, body1: hub, component: x}\n"
               "  own: {type: velocity, body1: hub, component: x, frame: hub}\n"
               "  up: {type: direction, body1: hub, vector: [0, 0, 2], component: y}\n"
               "  a: {type: angle, body1: hub, vector: [1, 0, 0], plane: [[1, 0, 0], [0, 1, 0]]}\n"
               "  b: {type: angle, body1: hub, orientation: f}\n"
               "joints:\n"
               "  r: {type: revolute, body1: hub, point: [0, 1, 0], axis: [1, 0, 0]}\n"
               "  g: {type: generic, body1: rim, lock: [x], point: p}\n"
               "forces:\n"
               "  f: {type: force, body1: hub, value: [\"t\", 2, 0]}\n"
               "  e: {type: expression_force, body1: hub, axis: [1, 0, 0], force: 1}\n"
               "  s: {type: spring_damper, body1: hub, stiffness: 1}\n"
               "sensors: {at: {type: point, body: hub, point: [0, 1, 0]}}\n");
    /* x becomes y, y becomes -x */
    loaded l =
        load_lines("include: [{file: parts/a.yaml, as: in, at: base_point, orientation: quarter}]\n"
                   "points: {base_point: [10, 0, 0]}\n"
                   "frames: {quarter: {z: [0, 0, 1], x: [0, 1, 0]}}\n");
    const ib_model *m = l.model;
    assert_vector(m->bodies[1].position, 10, 0, 0);
    assert_near(m->bodies[1].orientation[3], sqrt(0.5), 1e-15);
    assert_vector(m->bodies[2].position, 8, 1, 3);
    assert_vector(m->bodies[2].velocity, -2, 1, 3);
    assert_vector(m->bodies[2].angular_velocity, 0, 0, 4);
    assert_near(fabs(m->bodies[2].orientation[2]), sqrt(0.5), 1e-15);
    assert_vector(m->measures[0].axis, 0, 1, 0);
    assert_vector(m->measures[0].point2, 10, 0, 0);
    assert_vector(m->measures[1].axis, 1, 0, 0);
    assert_vector(m->measures[2].vector, 0, 0, 2);
    assert_vector(m->measures[3].vector, 0, 1, 0);
    assert_vector(m->measures[3].plane[1], -1, 0, 0);
    double z[3];
    ib_quat_rotate(m->measures[4].orientation, (const double[]){0, 0, 1}, z);
    assert_vector(z, 0, 1, 0);
    assert_vector(m->joints[0].point1, 9, 0, 0);
    assert_vector(m->joints[0].axis1, 0, 1, 0);
    assert_near(m->joints[1].orientation[3], sqrt(0.5), 1e-15);
    assert_vector(m->forces[1].axis, 0, 1, 0);
    assert_vector(m->forces[2].point2, 10, 0, 0);
    assert_vector(m->sensors[0].point, 9, 0, 0);
    const double t = 7;
    assert_near(ib_graph_value(m->graph, m->forces[0].value[0].node, &t, 1), -2, 1e-14);
    assert_near(ib_graph_value(m->graph, m->forces[0].value[1].node, &t, 1), 7, 1e-14);
    assert_near(ib_graph_value(m->graph, m->forces[0].value[2].node, &t, 1), 0, 1e-14);
    unload(&l);
}

/* Frames that an axis implies are those of the file alone, turned: not made anew. */
static void test_implied_frames(void **state) {
    (void)state;
    write_file("parts/a.yaml",
               PART "joints:\n  j: {type: generic, body1: hub, axis: [1, 1, 0], lock: "
                    "[x], point: [0, 0, 0]}\n"
                    "frames: {f: {z: [1, 2, 3]}}\n"
                    "measures: {a: {type: angle, body1: hub, orientation: f}}\n");
    loaded l = load_lines("include: [{file: parts/a.yaml, as: a}, {file: parts/a.yaml, as: b, "
                          "orientation: {sequence: xyz, angles: [0.3, 1.1, -2]}}]\n");
    const double turn[3] = {0.3, 1.1, -2};
    double q[4] = {1, 0, 0, 0}, want[4];
    for (int k = 0; k < 3; k++) {
        double part[4] = {cos(turn[k] / 2), 0, 0, 0};
        part[1 + k] = sin(turn[k] / 2);
        ib_quat_mul(q, part, q);
    }
    ib_quat_mul(q, l.model->joints[0].orientation, want);
    for (int k = 0; k < 4; k++)
        assert_near(l.model->joints[1].orientation[k], want[k], 1e-15);
    ib_quat_mul(q, l.model->measures[0].orientation, want);
    for (int k = 0; k < 4; k++)
        assert_near(l.model->measures[1].orientation[k], want[k], 1e-15);
    unload(&l);
}

/* ---- parameters ---- */

static void test_parameters(void **state) {
    (void)state;
    write_file("parts/a.yaml", "ironbird: 1\nparameters: {k: 1, m: 3 * k}\nbodies: {hub: {mass: m, "
                               "inertia: [1, 1, 1]}}\n");
    const char *lines =
        "parameters: {k: 5, q: 2 * front.m}\ninclude: [{file: parts/a.yaml, as: front, "
        "parameters: {k: k + 1}}, {file: parts/a.yaml, as: rear}]\n";
    loaded l = load_lines(lines);
    assert_same(l.model->bodies[1].mass, 18);
    assert_same(l.model->bodies[2].mass, 3);
    assert_same(l.model->parameters[1].value, 36);
    unload(&l);
    const ib_override overrides[] = {{"k", "10"}, {"rear.m", "k / 4"}};
    l = load_with(lines, overrides, 2);
    assert_int_equal(l.status, IB_OK);
    assert_same(l.model->bodies[1].mass, 33);
    assert_same(l.model->bodies[2].mass, 2.5);
    unload(&l);
    const ib_override inner[] = {{"front.k", "4"}};
    l = load_with(lines, inner, 1);
    assert_same(l.model->bodies[1].mass, 12);
    unload(&l);
    const ib_override wrong[] = {{"front.kk", "4"}};
    l = load_with(lines, wrong, 1);
    assert_int_equal(l.status, IB_BAD_INPUT);
    assert_string_equal(ib_diags_at(l.diags, 0)->suggestion, "did you mean 'front.k'?");
    unload(&l);
    fails("include: [{file: parts/a.yaml, as: front, parameters: {mm: 1}}]\n", "m.yaml", "IB0322",
          3, 56, "has no parameter 'mm'");
    fails("include: [{file: parts/a.yaml, as: front, parameters: {Mass: 1, k: 1}}]\n", "m.yaml",
          "IB0322", 3, 56, "parts/a.yaml' has no parameter 'Mass'");
    fails("include: [{file: parts/a.yaml, as: front, parameters: {k: qq}}]\n", "m.yaml", "IB0407",
          3, 59, "unknown name 'qq'");
    fails("include: [{file: parts/a.yaml, as: front, parameters: [1]}]\n", "m.yaml", "IB0212", 3,
          55, "a map is wanted");
    fails("parameters: {a: front.m}\ninclude: [{file: parts/a.yaml, as: front, parameters: {k: "
          "a}}]\n",
          "m.yaml", "IB0305", 3, 14, "a -> front.m -> front.k -> a");
}

/* ---- what is wrong, and where ---- */

static void test_bad_includes(void **state) {
    (void)state;
    write_file("parts/a.yaml", PART);
    fails("include: {file: parts/a.yaml, as: front}\n", "m.yaml", "IB0212", 3, 10, "a list");
    fails("include: [parts/a.yaml]\n", "m.yaml", "IB0212", 3, 11, "'file' and 'as'");
    fails("include: [{as: front}]\n", "m.yaml", "IB0211", 3, 11, "needs 'file'");
    fails("include: [{file: parts/a.yaml}]\n", "m.yaml", "IB0211", 3, 11, "needs 'as'");
    fails("include: [{file: parts/a.yaml, as: front, att: [0, 0, 0]}]\n", "m.yaml", "IB0210", 3, 43,
          "did you mean 'at'?");
    fails("include: [{file: parts/a.yaml, as: front, at: 3}]\n", "m.yaml", "IB0310", 3, 47,
          "no point '3'");
    fails("include: [{file: parts/a.yaml, as: front, at: there}]\n", "m.yaml", "IB0310", 3, 47,
          "no point 'there'");
    fails("include: [{file: parts/none.yaml, as: front}]\n", "m.yaml", "IB0101", 3, 18,
          "none.yaml");
    fails("include: [{file: parts, as: front}]\n", "m.yaml", "IB0101", 3, 18, "parts");
    fails("include: [{file: parts/a.yaml, as: a.b}]\n", "m.yaml", "IB0303", 3, 36,
          "cannot be a name");
    fails("include: [{file: parts/a.yaml, as: ground}]\n", "m.yaml", "IB0302", 3, 36, "meaning");
    fails("include: [{file: parts/a.yaml, as: sin}]\n", "m.yaml", "IB0302", 3, 36, "meaning");
}

static void test_clashes(void **state) {
    (void)state;
    write_file("parts/a.yaml", PART);
    fails("include: [{file: parts/a.yaml, as: base}]\n", "m.yaml", "IB0301", 3, 36, "used already");
    fails("include: [{file: parts/a.yaml, as: k}]\nparameters: {k: 1}\n", "m.yaml", "IB0301", 3, 36,
          "used already");
    fails("include: [{file: parts/a.yaml, as: p}]\npoints: {p: [0, 0, 0]}\n", "m.yaml", "IB0301", 3,
          36, "used already");
    fails("include: [{file: parts/a.yaml, as: f}, {file: parts/a.yaml, as: f}]\n", "m.yaml",
          "IB0301", 3, 65, "twice");
    write_file("parts/a.yaml", PART "joints: {hub: {type: fixed, body1: hub}}\n");
    fails(a_as_front, "parts/a.yaml", "IB0301", 3, 10, "'front.hub' is used twice");
}

static void test_circles(void **state) {
    (void)state;
    fails("include: [{file: m.yaml, as: me}]\n", "m.yaml", "IB0320", 3, 18, "m.yaml -> ");
    write_file("parts/a.yaml", PART "include: [{file: b.yaml, as: b}]\n");
    write_file("parts/b.yaml", PART "include: [{file: c.yaml, as: c}]\n");
    write_file("parts/c.yaml", PART "include: [{file: ../parts/a.yaml, as: a}]\n");
    fails(a_as_front, "parts/c.yaml", "IB0320", 3, 18, "/parts/a.yaml -> ");
    /* twice, but not a part of itself */
    write_file("parts/c.yaml", PART);
    write_file("parts/a.yaml", PART "include: [{file: b.yaml, as: b}, {file: c.yaml, as: c}]\n");
    loaded l = load_lines(a_as_front);
    assert_int_equal(l.model->n_bodies, 5);
    unload(&l);
    /* each file twice in the one before: 2^32 in all */
    char text[200];
    write_file("parts/b.yaml", PART);
    const char *doubled = "include: [{file: %s, as: x}, {file: %s, as: y}]\n";
    char name[40], next[40];
    for (int k = 0; k < 12; k++) {
        snprintf(name, sizeof(name), "parts/n%d.yaml", k);
        snprintf(next, sizeof(next), k < 11 ? "n%d.yaml" : "b.yaml", k + 1);
        snprintf(text, sizeof(text), doubled, next, next);
        char whole[400];
        snprintf(whole, sizeof(whole), "%s%s", PART, text);
        write_file(name, whole);
    }
    l = load_with("include: [{file: parts/n0.yaml, as: x}]\n", NULL, 0);
    assert_int_equal(l.status, IB_BAD_INPUT);
    assert_string_equal(ib_diags_at(l.diags, 0)->id, "IB0320");
    assert_non_null(strstr(ib_diags_at(l.diags, 0)->message, "at most 1000 files"));
    unload(&l);
    for (int k = 0; k < 12; k++) {
        snprintf(name, sizeof(name), "parts/n%d.yaml", k);
        remove(path_of(name));
    }
}

/* What is wrong inside is said there, once, whatever the number of includes. */
static void test_errors_inside(void **state) {
    (void)state;
    static const char two[] =
        "include: [{file: parts/a.yaml, as: front}, {file: parts/a.yaml, as: rear}]\n";
    write_file("parts/a.yaml", PART "joints: {j: {type: fixed, body1: hubb}}\n");
    fails(two, "parts/a.yaml", "IB0312", 3, 34, "did you mean 'hub'?");
    write_file("parts/a.yaml", PART "joints: {j: {type: fixed, body1: base}}\n");
    fails(two, "parts/a.yaml", "IB0312", 3, 34, "there is no body 'base'");
    write_file("parts/a.yaml", PART "outputs: {o: \"2 * stiffnes\"}\nparameters: {stiffness: 1}\n");
    fails(two, "parts/a.yaml", "IB0407", 3, 19, "did you mean 'stiffness'?");
    write_file("parts/a.yaml", PART "parameters: {k: 1 +}\n");
    fails(two, "parts/a.yaml", "IB0403", 3, 19, "value is missing");
    write_file("parts/a.yaml", PART "splines: {s: {file: d.txt}}\n");
    write_file("parts/d.txt", "0 0\n1 x\n");
    fails(two, "parts/d.txt", "IB0503", 2, 3, "finite number");
    write_file("parts/a.yaml", "ironbird: 1\nbodies: {hub: {inertia: [1, 1, 1]}}\n");
    fails(two, "parts/a.yaml", "IB0211", 2, 10, "body 'front.hub' needs 'mass'");
    write_file("parts/a.yaml", "ironbird: 1\nbodies: {hub: {\n");
    fails(two, "parts/a.yaml", "IB0201", 3, 1, "");
    write_file("parts/a.yaml", "- 1\n");
    fails(two, "parts/a.yaml", "IB0212", 1, 1, "a map");
    write_file("parts/a.yaml", "mission: {}\n");
    fails(two, "parts/a.yaml", "IB0212", 1, 1, "this is a mission");
    write_file("parts/a.yaml", "bodies: {hub: " BODY "}\n");
    fails(two, "parts/a.yaml", "IB0219", 1, 1, "'ironbird: 1'");
    write_file("parts/a.yaml", PART "colour: red\n");
    fails(two, "parts/a.yaml", "IB0210", 3, 1, "no key 'colour'");
    write_bytes("parts/a.yaml", "b\0o\0d\0i\0e\0s\0", 12);
    fails(two, "parts/a.yaml", "IB0221", 1, 1, "UTF-16");
}

/* A file of its own stands by itself; what it says about a run counts for nothing here. */
static void test_tops(void **state) {
    (void)state;
    write_file("parts/a.yaml", PART "name: part\ngravity: [0, 0, -1]\nsimulation: {end: 3}\n");
    loaded l =
        load_lines("gravity: [0, 0, -9.81]\nsimulation: {end: 2}\ninclude: [{file: parts/a.yaml, "
                   "as: a}, {file: parts/a.yaml, as: b}]\n");
    assert_string_equal(l.model->name, "m");
    assert_same(l.model->gravity[2], -9.81);
    assert_int_equal(l.model->simulation.end, 2 * IB_SECOND);
    assert_int_equal(ib_diags_count(l.diags), 1);
    assert_string_equal(ib_diags_at(l.diags, 0)->id, "IB0321");
    assert_int_equal(ib_diags_at(l.diags, 0)->severity, IB_NOTE);
    assert_int_equal(ib_diags_at(l.diags, 0)->place.line, 4);
    unload(&l);
    /* Bodies may all be in included files, or in none of some. */
    write_file("parts/b.yaml", "ironbird: 1\nparameters: {k: 1}\n");
    write_file("m.yaml",
               "ironbird: 1\ninclude: [{file: parts/a.yaml, as: a}, {file: parts/b.yaml, as: "
               "b}]\n");
    l = (loaded){.diags = ib_diags_create()};
    l.status = ib_model_load(path_of("m.yaml"), NULL, 0, l.diags, &l.model);
    assert_int_equal(l.status, IB_OK);
    unload(&l);
    write_file("m.yaml", "ironbird: 1\ninclude: [{file: parts/b.yaml, as: b}]\n");
    l = (loaded){.diags = ib_diags_create()};
    l.status = ib_model_load(path_of("m.yaml"), NULL, 0, l.diags, &l.model);
    assert_int_equal(l.status, IB_BAD_INPUT);
    assert_string_equal(ib_diags_at(l.diags, 0)->message, "a model needs at least one body");
    assert_int_equal(ib_diags_at(l.diags, 0)->place.line, 2);
    unload(&l);
    l = load_lines("include:\n");
    unload(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),         cmocka_unit_test(test_nested),
        cmocka_unit_test(test_placement),     cmocka_unit_test(test_implied_frames),
        cmocka_unit_test(test_parameters),    cmocka_unit_test(test_bad_includes),
        cmocka_unit_test(test_clashes),       cmocka_unit_test(test_circles),
        cmocka_unit_test(test_errors_inside), cmocka_unit_test(test_tops),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
