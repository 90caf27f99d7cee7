/* The form of a model: version, unknown and misplaced keys, names, ids, several errors at once,
 * places inside expressions, simulation settings. */
#include "model_test.h"

static void test_version(void **state) {
    (void)state;
    const char *bodies = "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n";
    char text[200];
    expect_error(bodies, "IB0219", 1, 1, "begin the file with the line 'ironbird: 1'");
    snprintf(text, sizeof(text), "ironbird: 2\n%s", bodies);
    expect_error(text, "IB0219", 1, 11, "version 2");
    snprintf(text, sizeof(text), "ironbird: one\n%s", bodies);
    expect_error(text, "IB0407", 1, 11, "'one'");
    snprintf(text, sizeof(text), "ironbird: 1.5\n%s", bodies);
    expect_error(text, "IB0216", 1, 11, "whole number");
}

static void test_top(void **state) {
    (void)state;
    loaded l = load_good("ironbird: 1\nname: quarter car\ngravity: [0, 0, -9.81]\n"
                         "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n");
    assert_string_equal(ib_model_name(l.model), "quarter car");
    assert_vector(l.model->gravity, 0, 0, -9.81);
    assert_int_equal(l.model->gravity_place.line, 3);
    unload(&l);
    l = load_good(TWO_BODIES);
    assert_string_equal(ib_model_name(l.model), "m"); /* of m.yaml */
    assert_vector(l.model->gravity, 0, 0, 0);
    assert_int_equal(l.model->gravity_place.line, 0);
    assert_int_equal(ib_model_body_count(l.model), 2);
    assert_string_equal(ib_model_body_name(l.model, 1), "b");
    assert_null(ib_model_body_name(l.model, 2));
    assert_int_equal(ib_model_joint_count(l.model), 0);
    assert_int_equal(ib_model_force_count(l.model), 0);
    unload(&l);
    expect_error("ironbird: 1\n", "IB0211", 1, 1, "'bodies'");
    expect_error("ironbird: 1\nbodies: {}\n", "IB0211", 2, 9, "at least one body");
    expect_error("ironbird: 1\nbodies: [a]\n", "IB0212", 2, 9, "a map");
    expect_error("- ironbird: 1\n", "IB0212", 1, 1, "a model is a map");
    expect_error("ironbird", "IB0212", 1, 1, "a model is a map");
    expect_error("", "IB0208", 1, 1, "nothing");
}

static void test_byte_order_mark(void **state) {
    (void)state;
    loaded l = load_good("\xEF\xBB\xBFironbird: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n");
    unload(&l);
    expect_error("\xEF\xBB\xBFironbird: 3\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n", "IB0219",
                 1, 11, NULL);
    expect_error("\xFF\xFE"
                 "i",
                 "IB0221", 1, 1, "UTF-16");
}

static void test_unknown_keys(void **state) {
    (void)state;
    expect_error(TWO_BODIES "boddies: {}\n", "IB0210", 5, 1, "did you mean 'bodies'?");
    expect_error(TWO_BODIES "wholly_else: {}\n", "IB0210", 5, 1, "the keys here are ironbird");
    expect_error("ironbird: 1\nbodies: {a: {mas: 1, inertia: [1, 1, 1]}}\n", "IB0210", 2, 14,
                 "did you mean 'mass'?");
    expect_error(TWO_BODIES "joints: {j: {type: fixed, body1: a, boddy2: b}}\n", "IB0210", 5, 37,
                 "did you mean 'body2'?");
    expect_error("ironbird: 1\nbodies: {a: {mass:1, inertia: [1, 1, 1]}}\n", "IB0210", 2, 14,
                 "'mass: 1'");
    expect_error(TWO_BODIES "simulation: {until: 5}\n", "IB0210", 5, 14, "end, output_step");
    /* Keys of another place, as a body's in a joint. */
    expect_error(TWO_BODIES "joints: {j: {type: fixed, body1: a, mass: 1}}\n", "IB0210", 5, 37,
                 "no key 'mass'");
    expect_error(TWO_BODIES "mass: 3\n", "IB0210", 5, 1, "no key 'mass'");
}

static void test_not_yet(void **state) {
    (void)state;
    static const char *const keys[] = {"functions: {}", "stages: {}", "mission: x",
                                       "network: {}",   "board: x",   "study: x"};
    for (size_t i = 0; i < IB_COUNT(keys); i++) {
        char text[300];
        snprintf(text, sizeof(text), TWO_BODIES "%s\n", keys[i]);
        expect_error(text, "IB0213", 5, 1, "not yet");
    }
    expect_error("ironbird: 1\nmission: ascent\nvehicles: {}\n", "IB0212", 2, 1,
                 "this is a mission");
}

static void test_duplicates(void **state) {
    (void)state;
    expect_error(TWO_BODIES "bodies: {}\n", "IB0203", 5, 1, "given twice");
    expect_error("ironbird: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1], mass: 2}}\n", "IB0203", 2,
                 43, "given twice");
    expect_error("ironbird: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
                 "  a: {mass: 1, inertia: [1, 1, 1]}\n",
                 "IB0203", 4, 3, "'a'");
}

#define M "measures: {z: {type: displacement, body1: a, component: z}}\n"

static void test_clashes(void **state) {
    (void)state;
    /* Bodies, joints, forces, sensors, drivers, outputs. */
    expect_error(TWO_BODIES "joints: {a: {type: fixed, body1: b}}\n", "IB0301", 5, 10,
                 "used twice");
    expect_error(TWO_BODIES "forces: {b: {type: gravity}}\n", "IB0301", 5, 10, "used twice");
    expect_error(TWO_BODIES "sensors: {b: {type: point, body: a}}\n", "IB0301", 5, 11,
                 "used twice");
    expect_error(TWO_BODIES M "drivers: {b: {measure: z, motion: 0}}\n", "IB0301", 6, 11,
                 "used twice");
    expect_error(TWO_BODIES M "outputs: {b: z}\n", "IB0301", 6, 11, "used twice");
    expect_error(TWO_BODIES M "outputs: {q: z}\ndrivers: {q: {measure: z, motion: 0}}\n", "IB0301",
                 6, 11, "used twice");
    /* Parameters, inputs, measures, splines. */
    expect_error(TWO_BODIES M "parameters: {z: 1}\n", "IB0301", 5, 12, "used twice");
    expect_error(TWO_BODIES "inputs: {q: 1}\nparameters: {q: 1}\n", "IB0301", 5, 10, "used twice");
    expect_error(TWO_BODIES M "splines: {z: {x: [0, 1], y: [0, 1]}}\n", "IB0301", 6, 11,
                 "used twice");
    expect_error(TWO_BODIES "inputs: {q: 1}\nsplines: {q: {x: [0, 1], y: [0, 1]}}\n", "IB0301", 6,
                 11, "used twice");
    /* The two sets do not meet; points and frames have names of their own. */
    loaded l = load_good(TWO_BODIES "measures: {a: {type: displacement, body1: a, component: z}}\n"
                                    "parameters: {b: 1}\npoints: {a: [0, 0, 0]}\n"
                                    "frames: {a: [1, 0, 0, 0]}\noutputs: {o: a}\n");
    unload(&l);
}

static void test_reserved_names(void **state) {
    (void)state;
    expect_error("ironbird: 1\nbodies: {ground: {mass: 1, inertia: [1, 1, 1]}}\n", "IB0302", 2, 10,
                 "'ground'");
    expect_error("ironbird: 1\nbodies: {global: {mass: 1, inertia: [1, 1, 1]}}\n", "IB0302", 2, 10,
                 "'global'");
    expect_error("ironbird: 1\nbodies: {a.b: {mass: 1, inertia: [1, 1, 1]}}\n", "IB0303", 2, 10,
                 "letters");
    expect_error(TWO_BODIES "measures: {step: {type: distance, body1: a}}\n", "IB0302", 5, 12,
                 "redefined");
    expect_error(TWO_BODIES "splines: {max: {x: [0, 1], y: [0, 1]}}\n", "IB0302", 5, 11,
                 "redefined");
}

static void test_ids(void **state) {
    (void)state;
    expect_error("ironbird: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], id: X}\n"
                 "  b: {mass: 1, inertia: [1, 1, 1], id: X}\n",
                 "IB0301", 4, 40, "the id 'X' is used twice");
    expect_error(TWO_BODIES "joints: {j: {type: fixed, body1: a, id: }}\n", "IB0212", 5, 41,
                 "a text");
    expect_error(TWO_BODIES "joints: {j: {type: fixed, body1: a, id: [1]}}\n", "IB0212", 5, 41,
                 "a text");
}

static void test_elements_must_be_maps(void **state) {
    (void)state;
    expect_error("ironbird: 1\nbodies: {a: 5}\n", "IB0212", 2, 13, "a map");
    expect_error(TWO_BODIES "joints: {j: [fixed]}\n", "IB0212", 5, 13, "a map");
    expect_error(TWO_BODIES "joints: {j: }\n", "IB0212", 5, 13, "a map");
    expect_error(TWO_BODIES "joints: 5\n", "IB0212", 5, 9, "a map");
    /* An empty section is an empty section. */
    loaded l = load_good(TWO_BODIES "joints:\nforces: {}\nmeasures: ~\n");
    unload(&l);
}

/* All errors of a file, in the order of their places, and nothing that follows from them. */
static void test_all_at_once(void **state) {
    (void)state;
    static const struct {
        uint32_t line;
        const char *id;
    } wanted[] = {{2, "IB0305"}, {4, "IB0601"},  {4, "IB0310"},  {5, "IB0212"}, {7, "IB0215"},
                  {8, "IB0312"}, {10, "IB0214"}, {12, "IB0407"}, {13, "IB0316"}};
    loaded l = load("ironbird: 1\n"
                    "parameters: {p: q, q: p, r: 2 * p}\n"
                    "bodies:\n"
                    "  a: {mass: -1, inertia: [1, 1, 1], position: nowhere}\n"
                    "  b: 5\n"
                    "joints:\n"
                    "  j: {type: revolut, body1: a}\n"
                    "  k: {type: fixed, body1: c, body2: b}\n"
                    "measures:\n"
                    "  v: {type: velocity, body1: b, component: x, offset: initial}\n"
                    "outputs:\n"
                    "  o: v * r + s\n"
                    "  u: r\n"
                    "sensors: {s: {type: point, body: b}}\n");
    assert_int_equal(l.status, IB_BAD_INPUT);
    if (ib_diags_count(l.diags) != IB_COUNT(wanted))
        print_diags(&l);
    assert_int_equal(ib_diags_count(l.diags), IB_COUNT(wanted));
    for (size_t i = 0; i < IB_COUNT(wanted); i++) {
        assert_string_equal(ib_diags_at(l.diags, i)->id, wanted[i].id);
        assert_int_equal(ib_diags_at(l.diags, i)->place.line, wanted[i].line);
    }
    unload(&l);
}

/* Errors inside an expression point at the character, however the expression is written. */
static void test_places_in_expressions(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t line, column;
    } cases[] = {
        {"  o: z + wrong\n", 6, 10},
        {"  o: 'z + wrong'\n", 6, 11},
        {"  o: \"z + wrong\"\n", 6, 11},
        {"  o: \"\\x7A + wrong\"\n", 6, 14},
        {"  o: \"z \\\n    + wrong\"\n", 7, 7},
        {"  o: z +\n    2 *\n    wrong\n", 8, 5},
        {"  o: >\n    z +\n    2 * wrong\n", 8, 9},
        {"  o: >-\n\n    z\n    + (wrong)\n", 9, 8},
        {"  o: |\n    z + # the first\n    wrong\n", 8, 5},
        {"  o: {value: z + wrong}\n", 6, 18},
        {"  o: &x z + wrong\n  p: *x\n", 6, 13},
    };
    for (size_t i = 0; i < IB_COUNT(cases); i++) {
        char text[400];
        snprintf(text, sizeof(text),
                 "ironbird: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n" M
                 "# comment\noutputs:\n%s",
                 cases[i].text);
        expect_error(text, "IB0407", cases[i].line, cases[i].column, "'wrong'");
    }
}

static void test_simulation_defaults(void **state) {
    (void)state;
    loaded l = load_good(TWO_BODIES);
    const ib_simulation *s = &l.model->simulation;
    assert_int_equal(ib_model_end(l.model), 10 * IB_SECOND);
    assert_int_equal(ib_model_output_step(l.model), IB_SECOND / 100);
    assert_int_equal(s->step, 0);
    assert_same(s->rtol, 1e-6);
    assert_same(s->atol, 1e-6);
    assert_int_equal(s->solver, IB_SOLVER_AUTO);
    assert_same(s->rho_infinity, 0.9);
    assert_same(s->alpha, -0.3);
    assert_same(s->assembly_tolerance, 1e-3);
    assert_int_equal(s->n_record, 0);
    unload(&l);
    l = load_good(TWO_BODIES "simulation: {rtol: 1e-9}\n");
    assert_same(l.model->simulation.atol, 1e-9);
    unload(&l);
}

/* What each solver leaves without effect is a note at its key. */
static void test_without_effect(void **state) {
    (void)state;
    static const struct {
        const char *keys, *told; /* the keys that are told, in their order */
    } cases[] = {
        {"alpha: -0.1, solver: dopri5", "alpha"},
        {"alpha: -0.1", "alpha"},
        {"alpha: -0.1, solver: hht", ""},
        {"rho_infinity: 0.5, solver: hht", "rho_infinity"},
        {"rho_infinity: 0.5, solver: rk4", "rho_infinity"},
        {"rho_infinity: 0.5, solver: generalized_alpha", ""},
        {"rtol: 1e-7, solver: rk4", "rtol"},
        {"rtol: 1e-7, atol: 1e-8, solver: hht", "rtol atol"},
        {"rtol: 1e-7, solver: hht, step: adaptive", ""},
        {"rtol: 1e-7, solver: dopri5, step: 1 ms", "rtol"},
        {"rtol: 1e-7, solver: dopri5", ""},
        {"rtol: 1e-7, atol: 1e-9", ""},
    };
    for (size_t i = 0; i < IB_COUNT(cases); i++) {
        char text[300], told[60] = "";
        snprintf(text, sizeof(text), TWO_BODIES "simulation: {%s}\n", cases[i].keys);
        loaded l = load(text);
        assert_int_equal(l.status, IB_OK);
        for (size_t k = 0; k < ib_diags_count(l.diags); k++) {
            const ib_diag *diag = ib_diags_at(l.diags, k);
            assert_int_equal(diag->severity, IB_NOTE);
            assert_string_equal(diag->id, "IB0214");
            assert_non_null(strstr(diag->message, ": without effect "));
            snprintf(told + strlen(told), sizeof(told) - strlen(told), "%s%.*s", k ? " " : "",
                     (int)(strchr(diag->message, ':') - diag->message), diag->message);
        }
        assert_string_equal(told, cases[i].told);
        unload(&l);
    }
}

/* Words that newcomers write. */
static void test_near_misses(void **state) {
    (void)state;
    expect_error(TWO_BODIES "joints: {j: {type: fixed, body1: a, body2: groud}}\n", "IB0312", 5, 44,
                 "did you mean 'ground'?");
    expect_error(TWO_BODIES "joints: {j: {type: fixed, body: a}}\n", "IB0210", 5, 27,
                 "did you mean 'body1'?");
    expect_error(TWO_BODIES "forces: {f: {type: force, body: a, value: [0, 0, 1]}}\n", "IB0210", 5,
                 27, "did you mean 'body1'?");
    expect_error(TWO_BODIES
                 "forces: {f: {type: force, body1: a, value: [0, 0, 1], frame: gobal}}\n",
                 "IB0312", 5, 62, "did you mean 'global'?");
    expect_error(TWO_BODIES "forces: {f: {type: force, body1: a, value: [0, 0, 1], frame: c}}\n",
                 "IB0312", 5, 62, "there is no body 'c'");
    expect_error(TWO_BODIES "sensors: {s: {type: point, body1: a}}\n", "IB0210", 5, 28,
                 "did you mean 'body'?");
    expect_error(TWO_BODIES "measures: {m: {type: angle, body1: a, axis: [0, 1, 0]}}\n", "IB0210",
                 5, 39, "write orientation: {z: [0, 1, 0]}");
    expect_error(TWO_BODIES "measures: {m: {type: angular_rate, body1: a, axis: p}}\n", "IB0210", 5,
                 46, "{z: [x, y, z]}");
    expect_error(TWO_BODIES "measures: {m: {type: distance, body1: a, axis: [0, 1, 0]}}\n",
                 "IB0210", 5, 42, "no key 'axis'");
}

static void test_simulation(void **state) {
    (void)state;
    loaded l = load(
        TWO_BODIES "simulation: {end: 2.5, output_step: 1e-3, step: 1 ms, rtol: 1e-7, atol: 1e-8,\n"
                   "  solver: hht, rho_infinity: 0.8, alpha: -0.1, record: [a.*, 'b.position.?'],\n"
                   "  assembly_tolerance: 1e-4}\n");
    assert_int_equal(l.status, IB_OK);
    /* rtol, atol and rho_infinity do nothing here, which is a note each */
    assert_int_equal(ib_diags_count(l.diags), 3);
    const ib_simulation *s = &l.model->simulation;
    assert_int_equal(s->end, 2500000000);
    assert_int_equal(s->output_step, 1000000);
    assert_int_equal(s->step, 1000000);
    assert_int_equal(s->step_place.column, 49);
    assert_same(s->rtol, 1e-7);
    assert_same(s->atol, 1e-8);
    assert_int_equal(s->solver, IB_SOLVER_HHT);
    assert_same(s->rho_infinity, 0.8);
    assert_same(s->alpha, -0.1);
    assert_same(s->assembly_tolerance, 1e-4);
    assert_int_equal(s->n_record, 2);
    assert_string_equal(s->record[1], "b.position.?");
    assert_int_equal(s->record_place.line, 6);
    unload(&l);
    static const struct {
        const char *name;
        ib_solver solver;
    } solvers[] = {{"auto", IB_SOLVER_AUTO},
                   {"dopri5", IB_SOLVER_DOPRI5},
                   {"rk4", IB_SOLVER_RK4},
                   {"generalized_alpha", IB_SOLVER_GENERALIZED_ALPHA}};
    for (size_t i = 0; i < IB_COUNT(solvers); i++) {
        char text[300];
        snprintf(text, sizeof(text), TWO_BODIES "simulation: {solver: %s, record: a.*}\n",
                 solvers[i].name);
        l = load_good(text);
        assert_int_equal(l.model->simulation.solver, solvers[i].solver);
        assert_int_equal(l.model->simulation.n_record, 1);
        unload(&l);
    }
}

static void refuses_simulation(const char *keys, const char *id, uint32_t column,
                               const char *said) {
    char text[300];
    snprintf(text, sizeof(text), TWO_BODIES "simulation: {%s}\n", keys);
    expect_error(text, id, 5, column, said);
}

static void test_bad_simulation(void **state) {
    (void)state;
    refuses_simulation("end: 0", "IB0607", 19, "1 ns");
    refuses_simulation("end: -1", "IB0607", 19, "1 ns");
    refuses_simulation("end: 1e30", "IB0607", 19, "1 ns");
    refuses_simulation("end: 5 m", "IB0218", 21, "a time");
    refuses_simulation("output_step: 0", "IB0607", 27, "1 ns");
    refuses_simulation("step: 1e-12", "IB0607", 20, "1 ns");
    refuses_simulation("step: adapt", "IB0407", 20, "adapt");
    refuses_simulation("solver: rk4, step: adaptive", "IB0607", 33, "rk4 has no error control");
    refuses_simulation("static_start: true", "IB0213", 14, "not yet");
    refuses_simulation("solver: rk5", "IB0215", 22, "did you mean 'rk4'?");
    refuses_simulation("rtol: 0", "IB0607", 20, "strictly between");
    refuses_simulation("rtol: 1", "IB0607", 20, "strictly between");
    refuses_simulation("atol: -1", "IB0607", 20, "not greater than 0");
    refuses_simulation("rho_infinity: 1.1", "IB0607", 28, "between 0 and 1");
    refuses_simulation("alpha: -0.5", "IB0607", 21, "between");
    refuses_simulation("alpha: 0.1", "IB0607", 21, "between");
    refuses_simulation("assembly_tolerance: 0", "IB0607", 34, "not greater than 0");
    refuses_simulation("record: {a: b}", "IB0212", 22, "list of texts");
    refuses_simulation("record: [[a]]", "IB0212", 23, "a text");
}

/* Aliases and merges in a model; an error in shared text is told once. */
static void test_aliases(void **state) {
    (void)state;
    loaded l = load_good("ironbird: 1\nbodies:\n  a: &link {mass: 1, inertia: [1, 1, 1]}\n"
                         "  b: {<<: *link, mass: 2}\n  c: *link\n");
    assert_int_equal(l.model->n_bodies, 3);
    assert_same(l.model->bodies[1].mass, 2);
    assert_same(l.model->bodies[2].inertia[0], 1);
    unload(&l);
    expect_error("ironbird: 1\nbodies:\n  a: &link {mass: -1, inertia: [1, 1, 1]}\n  c: *link\n",
                 "IB0601", 3, 19, NULL);
    expect_error("ironbird: 1\nbodies:\n  a: &link {mas: 1, inertia: [1, 1, 1]}\n  c: *link\n",
                 "IB0210", 3, 13, NULL);
}

static void test_files(void **state) {
    (void)state;
    ib_diags *diags = ib_diags_create();
    ib_model *model = NULL;
    assert_int_not_equal(ib_model_load("/nowhere/at/all.yaml", NULL, 0, diags, &model), IB_OK);
    assert_null(model);
    assert_string_equal(ib_diags_at(diags, 0)->id, "IB0101");
    ib_diags_destroy(diags);
    /* A sink is not needed. */
    const char *good = TWO_BODIES;
    const char *bad = "ironbird: 1\n";
    assert_int_equal(ib_model_load_text("m", good, strlen(good), NULL, 0, NULL, &model), IB_OK);
    ib_model_destroy(model);
    assert_int_equal(ib_model_load_text("m", bad, strlen(bad), NULL, 0, NULL, &model),
                     IB_BAD_INPUT);
    assert_null(model);
    ib_model_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_top),
        cmocka_unit_test(test_byte_order_mark),
        cmocka_unit_test(test_unknown_keys),
        cmocka_unit_test(test_not_yet),
        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_clashes),
        cmocka_unit_test(test_reserved_names),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_elements_must_be_maps),
        cmocka_unit_test(test_all_at_once),
        cmocka_unit_test(test_places_in_expressions),
        cmocka_unit_test(test_simulation_defaults),
        cmocka_unit_test(test_simulation),
        cmocka_unit_test(test_without_effect),
        cmocka_unit_test(test_near_misses),
        cmocka_unit_test(test_bad_simulation),
        cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
