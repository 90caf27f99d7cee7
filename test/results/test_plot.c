/* Plots: round axes, no peak lost, small pictures of long runs, well-formed SVG, text. */
#include "results_test.h"

/* ---- axes --------------------------------------------------------------------------------------
 */

static void expect_labels(double low, double high, unsigned wanted, const char *labels, int power) {
    const ib_axis axis = ib_axis_make(low, high, wanted, false);
    char all[400] = "";
    for (size_t i = 0; i < axis.n_ticks; i++) {
        char label[IB_LABEL_SIZE];
        const size_t length = ib_axis_label(&axis, i, label);
        assert_int_equal(length, strlen(label));
        strcat(strcat(all, i ? " " : ""), label);
    }
    assert_string_equal(all, labels);
    assert_int_equal(axis.power, power);
}

static void axis_labels(void **state) {
    (void)state;
    expect_labels(0, 5, 5, "0 1 2 3 4 5", 0);
    expect_labels(0, 8, 5, "0 2 4 6 8", 0);
    expect_labels(-0.02, 0.04, 5, "-0.02 0.00 0.02 0.04", 0);
    expect_labels(0.31, 0.39, 4, "0.32 0.34 0.36 0.38", 0);
    expect_labels(0, 1e6, 4, "0.0 0.5 1.0", 6);
    expect_labels(-1.5e6, 1.2e6, 4, "-1 0 1", 6);
    expect_labels(0, 8e-7, 5, "0 200 400 600 800", -9);
    expect_labels(1000, 1400, 5, "1000 1100 1200 1300 1400", 0);
    expect_labels(0, 0.5, 5, "0.0 0.1 0.2 0.3 0.4 0.5", 0);
}

/* Whatever the range, there are a few ticks, inside it and in order. */
static void axis_ranges(void **state) {
    (void)state;
    static const double ranges[][2] = {
        {0, 0},       {5, 5},         {-1e300, 1e300}, {1e-320, 2e-320}, {1e12, 1e12 + 1},
        {-3, 1e9},    {1, 1 + 1e-15}, {-1e308, 1e308}, {0, 5e-324},      {-7.3e-5, -7.1e-5},
        {9.99, 10.01}};
    for (size_t i = 0; i < IB_COUNT(ranges); i++)
        for (unsigned wanted = 2; wanted < 12; wanted++) {
            const ib_axis axis = ib_axis_make(ranges[i][0], ranges[i][1], wanted, wanted % 2);
            assert_true(axis.low < axis.high);
            assert_in_range(axis.n_ticks, 1, 3 * wanted);
            const double slack = 1e-6 * (axis.high - axis.low);
            for (size_t k = 0; k < axis.n_ticks; k++) {
                const double tick = ib_axis_tick(&axis, k);
                char label[IB_LABEL_SIZE];
                assert_true(tick >= axis.low - slack && tick <= axis.high + slack);
                assert_true(k == 0 || tick > ib_axis_tick(&axis, k - 1));
                assert_in_range(ib_axis_label(&axis, k, label), 1, IB_LABEL_SIZE - 1);
            }
        }
}

/* ---- series ------------------------------------------------------------------------------------
 */

static void no_peak_is_lost(void **state) {
    (void)state;
    ib_series series;
    assert_true(ib_series_create(&series));
    for (uint64_t i = 0; i < 3000000; i++)
        ib_series_add(&series, (double)i, i == 1234567 ? 9 : i == 2222222 ? -9 : 0.5);
    double least = 0, most = 0, last = -1;
    for (size_t i = 0; i < series.n_slices; i++) {
        const ib_slice *slice = &series.slices[i];
        double times[4], values[4];
        const size_t n = ib_slice_points(slice, times, values);
        assert_in_range(n, 1, 4);
        for (size_t k = 0; k < n; k++) {
            assert_true(times[k] > last);
            last = times[k];
        }
        least = fmin(least, slice->least);
        most = fmax(most, slice->most);
        if (slice->most == 9)
            assert_true(slice->most_time == 1234567);
    }
    assert_true(least == -9 && most == 9);
    assert_true(series.slices[0].first_time == 0 && last == 2999999);
    assert_true(series.n_slices <= 8192);
    ib_series_destroy(&series);
}

static void gaps_stay(void **state) {
    (void)state;
    ib_series series;
    assert_true(ib_series_create(&series));
    for (int i = 0; i < 100000; i++)
        ib_series_add(&series, i, i / 10000 % 2 ? (double)NAN : i);
    size_t gaps = 0;
    for (size_t i = 0; i < series.n_slices; i++) {
        gaps += series.slices[i].gap;
        assert_true(series.slices[i].last_time - series.slices[i].first_time < 10000);
    }
    assert_int_equal(gaps, 4);
    assert_int_equal(series.n_missing, 50000);
    ib_series_destroy(&series);
}

/* A value missing every other row is more gaps than there is room for. */
static void many_gaps(void **state) {
    (void)state;
    ib_series series;
    assert_true(ib_series_create(&series));
    for (int i = 0; i < 200000; i++)
        ib_series_add(&series, i, i % 2 ? (double)NAN : i);
    assert_true(series.n_slices > 0 && series.n_slices <= 8192);
    ib_series_destroy(&series);
}

/* ---- pictures ----------------------------------------------------------------------------------
 */

/* A run of n rows with a unit for each of three channels. */
static void write_run(place *p, int n) {
    static const ib_channel_info channels[] = {
        {"a.x", "m", "", NULL}, {"b.x", "m", "", NULL}, {"a.force", "N", "", NULL}};
    static const ib_run_record record = {.model = "Tom & \"Jerry\" <1>", .status = "done"};
    ib_recorder *recorder;
    char *path = path_of(p, "results.csv");
    assert_int_equal(ib_recorder_create(path, channels, 3, p->diags, &recorder), IB_OK);
    for (int i = 0; i < n; i++) {
        const double t = i / 1000.0,
                     values[] = {ib_sin(t), 2 * ib_cos(3 * t), 1e6 * ib_sin(50 * t)};
        assert_int_equal(ib_recorder_push(recorder, (ib_time)i * 1000000, values), IB_OK);
    }
    assert_int_equal(ib_recorder_finish(recorder, p->diags), IB_OK);
    ib_recorder_destroy(recorder);
    assert_int_equal(ib_results_write_channels(p->folder, channels, 3, p->diags), IB_OK);
    assert_int_equal(ib_results_write_run(p->folder, &record, p->diags), IB_OK);
    free(path);
}

static ib_plot *make_plot(place *p, const char *const *texts, size_t n) {
    ib_plot *plot;
    assert_int_equal(ib_plot_create(p->folder, texts, n, p->diags, &plot), IB_OK);
    return plot;
}

static size_t count(const char *text, const char *what) {
    size_t n = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

static void svg(void **state) {
    place *p = *state;
    static const char *const texts[] = {"a.x", "b.x + 1", "a.force", "a.x < b.x"};
    write_run(p, 2000);
    ib_plot *plot = make_plot(p, texts, 4);
    char *text = ib_plot_svg(plot);
    assert_non_null(text);
    assert_memory_equal(text, "<svg ", 5);
    assert_int_equal(count(text, "<path class=\"curve\""), 4);
    assert_int_equal(count(text, "<text class=\"unit\""), 3); /* m, N, and time */
    assert_int_equal(count(text, "<text "), count(text, "</text>"));
    assert_non_null(strstr(text, "Tom &amp; &quot;Jerry&quot; &lt;1&gt;"));
    assert_non_null(strstr(text, "a.x &lt; b.x"));
    assert_null(strstr(text, "nan"));
    assert_string_equal(text + strlen(text) - 7, "</svg>\n");
    free(text);
    ib_plot_destroy(plot);
}

static void long_run_small_picture(void **state) {
    place *p = *state;
    static const char *const texts[] = {"a.force"};
    write_run(p, 400000);
    ib_plot *plot = make_plot(p, texts, 1);
    char *text = ib_plot_svg(plot);
    assert_true(strlen(text) < 100000);
    free(text);
    ib_plot_destroy(plot);
}

static void text_plot(void **state) {
    place *p = *state;
    static const char *const texts[] = {"a.x", "b.x"};
    write_run(p, 3000);
    ib_plot *plot = make_plot(p, texts, 2);
    for (unsigned columns = 0; columns < 130; columns += 13) {
        const ib_text_plot ascii = {columns, 10, false, false}, unicode = {columns, 10, true, true};
        char *plain = ib_plot_text(plot, &ascii), *fancy = ib_plot_text(plot, &unicode);
        assert_non_null(plain);
        const unsigned width = columns < 40 ? 40 : columns;
        for (char *line = strtok(plain, "\n"); line; line = strtok(NULL, "\n")) {
            assert_in_range(strlen(line), 1, width);
            for (char *c = line; *c; c++)
                assert_in_range(*c, 32, 126);
        }
        assert_non_null(strstr(fancy, "\xe2\xa1")); /* a Braille cell */
        assert_non_null(strstr(fancy, "\033[34m"));
        free(plain);
        free(fancy);
    }
    ib_plot_destroy(plot);
}

static void values_that_do_not_exist(void **state) {
    place *p = *state;
    static const char *const texts[] = {"log(a.x)"}, *const nothing[] = {"log(-2 + 0 * a.x)"};
    ib_plot *plot;
    write_run(p, 7000);
    plot = make_plot(p, texts, 1);
    find_diag(p, "IB0811");
    char *text = ib_plot_svg(plot);
    assert_true(count(text, "M") >= 2); /* a gap */
    free(text);
    ib_plot_destroy(plot);
    assert_int_equal(ib_plot_create(p->folder, nothing, 1, p->diags, &plot), IB_BAD_INPUT);
    find_diag(p, "IB0809");
}

static void file_names(void **state) {
    place *p = *state;
    static const char *const texts[] = {"a.x"};
    write_run(p, 10);
    ib_plot *plot = make_plot(p, texts, 1);
    char *svg_path = path_of(p, "p.svg"), *odd_path = path_of(p, "p.jpg");
    assert_int_equal(ib_plot_write(plot, svg_path, p->diags), IB_OK);
    assert_int_equal(ib_plot_write(plot, odd_path, p->diags), IB_BAD_INPUT);
    find_diag(p, "IB0812");
    assert_int_equal(ib_plot_write(plot, "/nowhere/p.svg", p->diags), IB_IO_ERROR);
    free(svg_path);
    free(odd_path);
    ib_plot_destroy(plot);
}

/* With an empty PATH there is no converter, and the message says what to install. */
static void png_without_converter(void **state) {
    place *p = *state;
    static const char *const texts[] = {"a.x"};
    write_run(p, 10);
    ib_plot *plot = make_plot(p, texts, 1);
    char *path = path_of(p, "p.png"), *before = getenv("PATH") ? strdup(getenv("PATH")) : NULL;
    assert_int_equal(setenv("PATH", p->folder, 1), 0);
    assert_int_equal(ib_plot_write(plot, path, p->diags), IB_UNSUPPORTED);
    assert_non_null(strstr(find_diag(p, "IB0810")->suggestion, "librsvg2-bin"));
    assert_int_not_equal(access(path, F_OK), 0);
    if (before)
        setenv("PATH", before, 1);
    free(before);
    free(path);
    ib_plot_destroy(plot);
}

/* A single row and a constant still make a picture. */
static void degenerate(void **state) {
    place *p = *state;
    static const char *const texts[] = {"a.x", "5", "0 * b.x"};
    write_run(p, 1);
    ib_plot *plot = make_plot(p, texts, 3);
    char *text = ib_plot_svg(plot);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    free(text);
    text = ib_plot_text(plot, &(ib_text_plot){80, 5, false, false});
    assert_non_null(text);
    free(text);
    ib_plot_destroy(plot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axis_labels),       cmocka_unit_test(axis_ranges),
        cmocka_unit_test(no_peak_is_lost),   cmocka_unit_test(gaps_stay),
        cmocka_unit_test(many_gaps),         IN_FOLDER(svg),
        IN_FOLDER(long_run_small_picture),   IN_FOLDER(text_plot),
        IN_FOLDER(values_that_do_not_exist), IN_FOLDER(file_names),
        IN_FOLDER(png_without_converter),    IN_FOLDER(degenerate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
