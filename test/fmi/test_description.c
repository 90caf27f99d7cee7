/* Descriptions: what is read, and that everything against the standard is found where it stands.
 *
 * A bad description is a good one with one piece replaced; the mark | in the piece shows where the
 * finding belongs.
 */
#include "fmi/description.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char good3[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"m\" instantiationToken=\"{t}\">\n"
    "  <ModelExchange modelIdentifier=\"m\" needsCompletedIntegratorStep=\"true\"/>\n"
    "  <CoSimulation modelIdentifier=\"m\" hasEventMode=\"true\" fixedInternalStepSize=\"1e-3\"/>\n"
    "  <UnitDefinitions><Unit name=\"m\"><BaseUnit m=\"1\"/><DisplayUnit name=\"ft\" "
    "factor=\"3.28\"/></Unit></UnitDefinitions>\n"
    "  <TypeDefinitions>\n"
    "    <Float64Type name=\"Length\" unit=\"m\" min=\"-1\" nominal=\"2\"/>\n"
    "    <EnumerationType name=\"Mode\"><Item name=\"off\" value=\"0\"/><Item name=\"on\" "
    "value=\"1\"/></EnumerationType>\n"
    "  </TypeDefinitions>\n"
    "  <LogCategories><Category name=\"all\" description=\"everything\"/></LogCategories>\n"
    "  <DefaultExperiment startTime=\"1\" stopTime=\"3\" stepSize=\"0.25\" tolerance=\"1e-5\"/>\n"
    "  <ModelVariables>\n"
    "    <Float64 name=\"time\" valueReference=\"0\" causality=\"independent\" "
    "variability=\"continuous\"/>\n"
    "    <Float64 name=\"x\" valueReference=\"1\" causality=\"output\" initial=\"exact\" "
    "declaredType=\"Length\" start=\"0.5\"><Alias name=\"x_ft\" displayUnit=\"ft\"/></Float64>\n"
    "    <Float64 name=\"der(x)\" valueReference=\"2\" derivative=\"1\"/>\n"
    "    <UInt64 name=\"n\" valueReference=\"3\" causality=\"structuralParameter\" start=\"2\"/>\n"
    "    <Float64 name=\"A\" valueReference=\"4\" causality=\"parameter\" variability=\"tunable\" "
    "start=\"1 2 3 4 5 6\"><Dimension valueReference=\"3\"/><Dimension start=\"3\"/></Float64>\n"
    "    <Int64 name=\"big\" valueReference=\"5\" causality=\"input\" "
    "start=\"-9223372036854775808\"/>\n"
    "    <Enumeration name=\"mode\" valueReference=\"6\" causality=\"parameter\" "
    "declaredType=\"Mode\" start=\"1\"/>\n"
    "    <String name=\"s\" valueReference=\"7\" causality=\"parameter\"><Start "
    "value=\"a b\"/></String>\n"
    "    <Binary name=\"b\" valueReference=\"8\" causality=\"input\"><Start "
    "value=\"00fF\"/></Binary>\n"
    "    <Clock name=\"c\" valueReference=\"9\" causality=\"input\" "
    "intervalVariability=\"constant\" intervalDecimal=\"0.1\"/>\n"
    "    <Float64 name=\"z\" valueReference=\"10\" variability=\"discrete\" clocks=\"9\" "
    "previous=\"11\"/>\n"
    "    <Float64 name=\"zp\" valueReference=\"11\" variability=\"discrete\" clocks=\"9\"/>\n"
    "  </ModelVariables>\n"
    "  <ModelStructure>\n"
    "    <Output valueReference=\"1\" dependencies=\"5 4\" dependenciesKind=\"dependent fixed\"/>\n"
    "    <ContinuousStateDerivative valueReference=\"2\"/>\n"
    "    <ClockedState valueReference=\"10\"/>\n"
    "    <InitialUnknown valueReference=\"2\"/>\n"
    "    <EventIndicator valueReference=\"1\"/>\n"
    "  </ModelStructure>\n"
    "  <Annotations><Annotation type=\"x\"><anything><a/></anything></Annotation></Annotations>\n"
    "</fmiModelDescription>\n";

static const char good2[] =
    "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" guid=\"{t}\" "
    "numberOfEventIndicators=\"1\">\n"
    "  <ModelExchange modelIdentifier=\"m\"><SourceFiles><File name=\"m.c\"/></SourceFiles>"
    "</ModelExchange>\n"
    "  <UnitDefinitions><Unit name=\"m\"/></UnitDefinitions>\n"
    "  <TypeDefinitions><SimpleType name=\"Mode\"><Enumeration><Item name=\"off\" value=\"1\"/>"
    "</Enumeration></SimpleType></TypeDefinitions>\n"
    "  <ModelVariables>\n"
    "    <ScalarVariable name=\"x\" valueReference=\"1\" causality=\"output\" initial=\"exact\">"
    "<Real start=\"1\" unit=\"m\"/></ScalarVariable>\n"
    "    <ScalarVariable name=\"same\" valueReference=\"1\" causality=\"output\" "
    "initial=\"exact\"><Real start=\"1\"/></ScalarVariable>\n"
    "    <ScalarVariable name=\"der(x)\" valueReference=\"2\"><Real derivative=\"1\"/>"
    "</ScalarVariable>\n"
    "    <ScalarVariable name=\"i\" valueReference=\"1\" causality=\"parameter\" "
    "variability=\"fixed\"><Integer start=\"-7\"/></ScalarVariable>\n"
    "    <ScalarVariable name=\"mode\" valueReference=\"2\" causality=\"parameter\" "
    "variability=\"fixed\"><Enumeration declaredType=\"Mode\" start=\"1\"/></ScalarVariable>\n"
    "    <ScalarVariable name=\"s\" valueReference=\"1\" causality=\"parameter\" "
    "variability=\"fixed\"><String start=\"a &amp; b\"/></ScalarVariable>\n"
    "  </ModelVariables>\n"
    "  <ModelStructure>\n"
    "    <Outputs><Unknown index=\"1\"/><Unknown index=\"2\" dependencies=\"\"/></Outputs>\n"
    "    <Derivatives><Unknown index=\"3\"/></Derivatives>\n"
    "    <InitialUnknowns><Unknown index=\"3\"/></InitialUnknowns>\n"
    "  </ModelStructure>\n"
    "</fmiModelDescription>\n";

static ib_fmi_description *read_text(const char *text, size_t length, ib_fmu_rigour rigour,
                                     ib_diags *diags, ib_status wanted) {
    ib_fmi_description *description;
    const ib_status status =
        ib_fmi_description_read("md.xml", text, length, rigour, diags, &description);
    if (status != wanted)
        for (size_t i = 0; i < ib_diags_count(diags); i++)
            print_message("%s\n", ib_diags_at(diags, i)->message);
    assert_int_equal(status, wanted);
    assert_true((description != NULL) == (status == IB_OK));
    return description;
}

static ib_fmi_description *read_good(const char *text, size_t length) {
    ib_diags *diags = ib_diags_create();
    ib_fmi_description *description = read_text(text, length, IB_FMU_STRICT, diags, IB_OK);
    assert_int_equal(ib_diags_count(diags), 0);
    ib_diags_destroy(diags);
    return description;
}

static const ib_fmi_variable *find(const ib_fmi_description *d, const char *name) {
    const size_t index = ib_names_find(d->names, name);
    assert_true(index < d->n_variables);
    return &d->variables[index];
}

/* ---- what is read -------------------------------------------------------------------------- */

static void test_version_3(void **state) {
    (void)state;
    ib_fmi_description *d = read_good(good3, strlen(good3));
    assert_int_equal(d->version, 3);
    assert_string_equal(d->token, "{t}");
    assert_true(d->interfaces[IB_FMU_MODEL_EXCHANGE].flags[IB_FMI_FLAG_COMPLETED_STEP]);
    assert_true(d->interfaces[IB_FMU_CO_SIMULATION].flags[IB_FMI_FLAG_EVENT_MODE]);
    assert_false(d->interfaces[IB_FMU_CO_SIMULATION].flags[IB_FMI_FLAG_STATE]);
    assert_false(d->interfaces[IB_FMU_SCHEDULED_EXECUTION].exists);
    assert_true(d->interfaces[IB_FMU_CO_SIMULATION].fixed_step == 1e-3);
    assert_true(d->start == 1 && d->stop == 3 && d->step == 0.25 && d->tolerance == 1e-5);
    assert_int_equal(d->n_variables, 12);

    const ib_fmi_variable *x = find(d, "x");
    assert_int_equal(x->causality, IB_FMI_OUTPUT);
    assert_int_equal(x->variability, IB_FMI_CONTINUOUS);
    assert_int_equal(x->unit, 0);
    assert_string_equal(x->traits.min, "-1");
    assert_string_equal(x->traits.nominal, "2");
    assert_int_equal(ib_names_find(d->names, "x_ft"), d->n_variables);
    assert_string_equal(d->variables[d->aliases[0].variable].name, "x");

    const ib_fmi_variable *A = find(d, "A");
    assert_int_equal(A->n_dimensions, 2);
    assert_int_equal(A->sizes[0], 2);
    assert_int_equal(A->sizes[1], 3);
    assert_int_equal(A->n_values, 6);
    assert_int_equal(find(d, "n")->variability, IB_FMI_FIXED);
    assert_int_equal(find(d, "big")->variability, IB_FMI_DISCRETE);
    assert_string_equal(find(d, "s")->starts[0], "a b");
    assert_int_equal(find(d, "c")->clock->interval, IB_FMI_INTERVAL_CONSTANT);
    assert_true(find(d, "c")->clock->interval_decimal == 0.1);
    assert_string_equal(d->variables[find(d, "z")->previous].name, "zp");
    assert_string_equal(d->variables[find(d, "der(x)")->derivative].name, "x");

    const ib_fmi_unknown *output = &d->structure[IB_FMI_OUTPUTS].list[0];
    assert_int_equal(output->n_dependencies, 2);
    assert_string_equal(d->variables[output->dependencies[0]].name, "big");
    assert_int_equal(output->kinds[1], IB_FMI_DEPENDENT_FIXED);
    assert_int_equal(d->structure[IB_FMI_EVENT_INDICATORS].n, 1);
    assert_int_equal(d->types[1].n_items, 2);
    assert_string_equal(d->types[1].items[1].name, "on");
    ib_fmi_description_destroy(d);
}

static void test_version_2(void **state) {
    (void)state;
    ib_fmi_description *d = read_good(good2, strlen(good2));
    assert_int_equal(d->version, 2);
    assert_int_equal(d->said_event_indicators, 1);
    assert_string_equal(d->interfaces[IB_FMU_MODEL_EXCHANGE].sources[0], "m.c");
    assert_string_equal(d->variables[find(d, "der(x)")->derivative].name, "x");
    assert_string_equal(d->variables[d->structure[IB_FMI_DERIVATIVES].list[0].variable].name,
                        "der(x)");
    assert_string_equal(find(d, "s")->starts[0], "a & b");
    /* Each type has references of its own; enumerations share those of integers. */
    assert_string_equal(d->variables[ib_fmi_by_reference(d, IB_FMI_FLOAT64, 1)].name, "x");
    assert_string_equal(d->variables[ib_fmi_by_reference(d, IB_FMI_INT32, 1)].name, "i");
    assert_string_equal(d->variables[ib_fmi_by_reference(d, IB_FMI_INT32, 2)].name, "mode");
    assert_true(ib_fmi_by_reference(d, IB_FMI_BOOLEAN, 1) == SIZE_MAX);
    ib_fmi_description_destroy(d);
}

/* ---- encodings ----------------------------------------------------------------------------- */

static void test_byte_order_mark(void **state) {
    (void)state;
    char *text = malloc(sizeof good3 + 3);
    memcpy(text, "\xEF\xBB\xBF", 3);
    memcpy(text + 3, good3, sizeof good3);
    ib_fmi_description_destroy(read_good(text, strlen(text)));
    free(text);
}

static void test_utf_16(void **state) {
    (void)state;
    for (int big = 0; big < 2; big++) {
        const size_t n = strlen(good2);
        char *text = calloc(2 * n + 2, 1);
        text[big ? 0 : 1] = (char)0xFE;
        text[big ? 1 : 0] = (char)0xFF;
        for (size_t i = 0; i < n; i++)
            text[2 * i + 2 + (size_t)big] = good2[i];
        ib_fmi_description_destroy(read_good(text, 2 * n + 2));
        free(text);
    }
}

/* ---- what is found ------------------------------------------------------------------------- */

typedef struct bad {
    const char *old, *new; /* the mark | in `new` is where the finding belongs */
    const char *id, *text; /* a part of the message */
    bool lenient;          /* the file can be used all the same */
} bad;

/* The text with the first `old` replaced; the place of the mark goes to line and column. */
static char *replace(const char *text, const bad *b, uint32_t *line, uint32_t *column) {
    const char *at = strstr(text, b->old);
    assert_non_null(at);
    char *result = calloc(strlen(text) + strlen(b->new) + 2, 1);
    memcpy(result, text, (size_t)(at - text));
    strcat(result, b->new);
    strcat(result, at + strlen(b->old));
    char *mark = strchr(result, '|');
    *line = *column = 0;
    if (mark) {
        *line = *column = 1;
        for (const char *c = result; c < mark; c++) {
            *column = *c == '\n' ? 1 : *column + 1;
            *line += *c == '\n';
        }
        memmove(mark, mark + 1, strlen(mark));
    }
    return result;
}

static void check_bad(const char *good, const bad *b) {
    uint32_t line, column;
    char *text = replace(good, b, &line, &column);
    ib_diags *diags = ib_diags_create();
    read_text(text, strlen(text), IB_FMU_STRICT, diags, IB_BAD_INPUT);
    const ib_diag *first = NULL;
    for (size_t i = 0; i < ib_diags_count(diags) && !first; i++)
        if (strcmp(ib_diags_at(diags, i)->id, b->id) == 0 &&
            strstr(ib_diags_at(diags, i)->message, b->text))
            first = ib_diags_at(diags, i);
    if (!first || first->place.line != line || first->place.column != column) {
        print_message("%s -> %s:\n", b->old, b->new);
        for (size_t i = 0; i < ib_diags_count(diags); i++) {
            const ib_diag *d = ib_diags_at(diags, i);
            print_message("%u:%u: %s [%s]\n", d->place.line, d->place.column, d->message, d->id);
        }
        fail();
    }
    ib_diags_clear(diags);
    ib_fmi_description *d =
        read_text(text, strlen(text), IB_FMU_LENIENT, diags, b->lenient ? IB_OK : IB_BAD_INPUT);
    assert_true(ib_diags_count(diags) > 0);
    ib_fmi_description_destroy(d);
    ib_diags_destroy(diags);
    free(text);
}

static const bad bad3[] = {
    {"</ModelVariables>", "</|ModelVariable>", "IB1010", "mismatched", false},
    {"<fmiModelDescription ", "<!DOCTYPE a |[<!ENTITY b \"c\">]><fmiModelDescription ", "IB1011",
     "document type", false},
    {"fmiVersion=\"3.0\"", "|fmiVersion=\"1.0\"", "IB1012", "FMI '1.0'", false},
    {"<fmiModelDescription ", "|<Description/><fmiModelDescription ", "IB1012", "first element",
     false},
    {" hasEventMode", " |hasEventMood=\"true\" hasEventMode", "IB1013", "hasEventMood", true},
    {"<Output ", "|<Ausgang/><Output ", "IB1013", "<Ausgang>", true},
    {"  <ModelExchange modelIdentifier=\"m\"", "  |<ModelExchange", "IB1014", "modelIdentifier",
     false},
    {"<Float64 name=\"x\" valueReference=\"1\"", "|<Float64 name=\"x\"", "IB1014", "valueReference",
     false},
    {"hasEventMode=\"true\"", "|hasEventMode=\"yes\"", "IB1015", "true or false", false},
    {"valueReference=\"5\" causality=\"input\"", "valueReference=\"5\" |causality=\"inpt\"",
     "IB1015", "one of the words", false},
    {"start=\"-9223372036854775808\"", "|start=\"-9223372036854775809\"", "IB1015", "Int64", false},
    {"stepSize=\"0.25\"", "|stepSize=\"fast\"", "IB1015", "a number", false},
    {"value=\"00fF\"", "|value=\"00f\"", "IB1015", "hexadecimal", false},
    {"intervalDecimal=\"0.1\"", "|intervalDecimal=\"0\"", "IB1015", "not positive", false},
    {"name=\"zp\"", "|name=\"big\"", "IB1016", "'big' is used twice", false},
    {"name=\"x_ft\"", "|name=\"zp\"", "IB1016", "'zp' is used twice", false},
    {"name=\"big\" valueReference=\"5\"", "name=\"big\" |valueReference=\"4\"", "IB1017", "of A",
     false},
    {"derivative=\"1\"", "|derivative=\"77\"", "IB1018", "reference 77", false},
    {"previous=\"11\"", "|previous=\"12\"", "IB1018", "reference 12", false},
    {"clocks=\"9\"", "|clocks=\"5\"", "IB1018", "big is not a clock", false},
    {"<InitialUnknown valueReference=\"2\"", "<InitialUnknown |valueReference=\"200\"", "IB1018",
     "reference 200", false},
    {"dependencies=\"5 4\"", "|dependencies=\"5 99\"", "IB1018", "reference 99", false},
    {"    <Int64 name=\"big\" valueReference=\"5\" causality=\"input\" "
     "start=\"-9223372036854775808\"/>",
     "    |<Int64 name=\"big\" valueReference=\"5\" causality=\"input\"/>", "IB1019",
     "big needs a start value", true},
    {"derivative=\"1\"", "derivative=\"1\" |start=\"1\"", "IB1019", "calculated", true},
    {"start=\"1 2 3 4 5 6\"", "|start=\"1 2 3 4 5\"", "IB1019", "5 start values for 6", false},
    {"variability=\"tunable\"", "|variability=\"continuous\"", "IB1020", "parameter", true},
    {"name=\"big\" ", "name=\"big\" |variability=\"continuous\" ", "IB1020", "Int64", true},
    {"name=\"A\" ", "name=\"A\" |initial=\"calculated\" ", "IB1020", "initial", true},
    {"name=\"zp\" ", "name=\"zp\" |causality=\"independent\" ", "IB1020", "second independent",
     true},
    {"unit=\"m\" min", "|unit=\"km\" min", "IB1021", "'km'", true},
    {"<Float64 name=\"zp\"", "<Float64 name=\"zp\" |displayUnit=\"yd\"", "IB1021", "'yd'", true},
    {"declaredType=\"Length\"", "|declaredType=\"Width\"", "IB1022", "'Width'", true},
    {"declaredType=\"Length\"", "|declaredType=\"Mode\"", "IB1022", "other values", true},
    {"<Dimension valueReference=\"3\"/>", "<Dimension |valueReference=\"5\"/>", "IB1023",
     "gives no size", false},
    {"<Dimension valueReference=\"3\"/>", "<Dimension |valueReference=\"33\"/>", "IB1018",
     "reference 33", false},
    {"<Dimension start=\"3\"/>", "|<Dimension/>", "IB1023", "either", false},
    {"    <Float64 name=\"A\" valueReference=\"4\" causality=\"parameter\" variability=\"tunable\" "
     "start=\"1 2 3 4 5 6\"><Dimension valueReference=\"3\"/>",
     "    |<Float64 name=\"A\" valueReference=\"4\" causality=\"parameter\" start=\"1\"><Dimension "
     "start=\"18446744073709551615\"/>",
     "IB1023", "more than", false},
    {"<ModelExchange modelIdentifier=\"m\"", "<ModelExchange |modelIdentifier=\"../m\"", "IB1024",
     "identifier of C", false},
    {"<Output valueReference=\"1\"", "<Output |valueReference=\"4\"", "IB1026", "A is no output",
     true},
    {"<ContinuousStateDerivative valueReference=\"2\"",
     "<ContinuousStateDerivative |valueReference=\"1\"", "IB1026", "x is no state derivative",
     false},
    {"<ClockedState ", "<ContinuousStateDerivative |valueReference=\"2\"/><ClockedState ", "IB1026",
     "listed twice", true},
    {"dependenciesKind=\"dependent fixed\"", "|dependenciesKind=\"dependent\"", "IB1026",
     "2 variables", true},
    {"dependenciesKind=\"dependent fixed\"", "|dependenciesKind=\"dependent some\"", "IB1015",
     "'some'", true},
    {"stepSize=\"0.25\"", "stepSize=\"0\"", "IB1015", "stepSize is not positive", true},
    {"stopTime=\"3\"", "stopTime=\"1\"", "IB1015", "ends no later", true},
};

static const bad bad2[] = {
    {"guid=", "|guido=", "IB1013", "guido", false},
    {"<Derivatives><Unknown index=\"3\"/>", "<Derivatives><Unknown |index=\"0\"/>", "IB1018",
     "index 0", false},
    {"<Derivatives><Unknown index=\"3\"/>", "<Derivatives><Unknown |index=\"7\"/>", "IB1018",
     "index 7", false},
    {"<Real derivative=\"1\"/>", "", "IB1022", "no type", false},
    {"<Integer start=\"-7\"/>", "<Integer start=\"-7\"/>|<Real/>", "IB1016", "two types", false},
    {"<Integer start=\"-7\"", "<Integer |start=\"2147483648\"", "IB1015", "Int32", false},
    {"<Unknown index=\"2\" dependencies=\"\"/>", "", "IB1026", "same is not listed", true},
};

static void test_bad(void **state) {
    (void)state;
    for (size_t i = 0; i < IB_COUNT(bad3); i++)
        check_bad(good3, &bad3[i]);
}

static void test_bad_2(void **state) {
    (void)state;
    for (size_t i = 0; i < 3; i++)
        check_bad(good2, &bad2[i]);
    check_bad(good2, &bad2[4]);
    check_bad(good2, &bad2[5]);
    for (size_t i = 3; i < IB_COUNT(bad2); i += 3) {
        /* These are placed at their variable, whose element is far away. */
        uint32_t line, column;
        char *text = replace(good2, &bad2[i], &line, &column);
        ib_diags *diags = ib_diags_create();
        read_text(text, strlen(text), IB_FMU_STRICT, diags, IB_BAD_INPUT);
        assert_string_equal(ib_diags_at(diags, 0)->id, bad2[i].id);
        assert_non_null(strstr(ib_diags_at(diags, 0)->message, bad2[i].text));
        assert_int_equal(ib_diags_at(diags, 0)->place.line, i == 3 ? 8 : 7);
        assert_int_equal(ib_diags_at(diags, 0)->place.column, 5);
        ib_diags_destroy(diags);
        free(text);
    }
}

/* All findings of a file are reported, not the first. */
static void test_all_findings(void **state) {
    (void)state;
    char *text = strdup(good3);
    memcpy(strstr(text, "derivative=\"1\""), "derivative=\"8\"", 14);
    memcpy(strstr(text, "previous=\"11\""), "previous=\"77\"", 13);
    memcpy(strstr(text, "declaredType=\"Mode\""), "declaredType=\"Mood\"", 19);
    ib_diags *diags = ib_diags_create();
    read_text(text, strlen(text), IB_FMU_STRICT, diags, IB_BAD_INPUT);
    assert_true(ib_diags_count(diags) >= 3);
    ib_diags_destroy(diags);
    free(text);
}

/* ---- size ---------------------------------------------------------------------------------- */

static void test_deep_annotations(void **state) {
    (void)state;
    ib_str text = {0};
    const char *at = strstr(good3, "<anything>");
    ib_str_add_n(&text, good3, (size_t)(at - good3));
    for (int i = 0; i < 10000; i++)
        ib_str_add(&text, "<deep>");
    for (int i = 0; i < 10000; i++)
        ib_str_add(&text, "</deep>");
    ib_str_add(&text, at);
    ib_fmi_description_destroy(read_good(text.data, text.length));
    ib_str_free(&text);
}

static void test_many_variables(void **state) {
    (void)state;
    enum { N = 100000 };
    ib_str text = {0};
    ib_str_add(&text, "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"m\" "
                      "instantiationToken=\"{t}\"><CoSimulation modelIdentifier=\"m\"/>"
                      "<UnitDefinitions><Unit name=\"m\"/></UnitDefinitions><ModelVariables>\n");
    for (int i = 0; i < N; i++)
        ib_str_printf(&text,
                      "<Float64 name=\"model.part[%d].x\" valueReference=\"%d\" "
                      "causality=\"output\" variability=\"continuous\" initial=\"exact\" "
                      "unit=\"m\" start=\"%d.5\" description=\"a variable\"/>\n",
                      i, 2 * N - i, i);
    ib_str_add(&text, "</ModelVariables><ModelStructure>\n");
    for (int i = 0; i < N; i++)
        ib_str_printf(&text, "<Output valueReference=\"%d\"/>\n", 2 * N - i);
    ib_str_add(&text, "</ModelStructure></fmiModelDescription>\n");
    ib_fmi_description *d = read_good(text.data, text.length);
    assert_int_equal(d->n_variables, N);
    assert_string_equal(find(d, "model.part[99999].x")->start, "99999.5");
    ib_fmi_description_destroy(d);
    ib_str_free(&text);
}

/* A file cut off anywhere is refused, and nothing is read beyond its end. */
static void test_cut_off(void **state) {
    (void)state;
    for (size_t n = 0; n + 1 < strlen(good3); n += 7) {
        char *text = malloc(n + 1);
        memcpy(text, good3, n);
        ib_fmi_description *d;
        assert_int_equal(ib_fmi_description_read("md.xml", text, n, IB_FMU_LENIENT, NULL, &d),
                         IB_BAD_INPUT);
        assert_null(d);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version_3),
        cmocka_unit_test(test_version_2),
        cmocka_unit_test(test_byte_order_mark),
        cmocka_unit_test(test_utf_16),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_bad_2),
        cmocka_unit_test(test_all_findings),
        cmocka_unit_test(test_deep_annotations),
        cmocka_unit_test(test_many_variables),
        cmocka_unit_test(test_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
