/* A plot for a terminal: each panel a grid of Braille dots (2 by 4 in a cell), or of letters where
 * the terminal knows only ASCII.
 *
 * With colour the curves differ by it, without by their letter; Braille without colour shows the
 * shape only. A cell that two curves cross belongs to the later one.
 */
#include "results_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_COLUMNS 40
#define MOST_COLUMNS 400
#define LEAST_LINES 4
#define MOST_LINES 200

/* ANSI codes near the colours of the SVG, and the letters of ASCII curves. */
static const char *const colours[IB_PLOT_COLOURS] = {"34", "33", "32", "35", "31", "36", "37"};
static const char letters[] = "*+ox#@%";

typedef struct canvas {
    size_t columns, lines;           /* in cells */
    unsigned dots_across, dots_down; /* in a cell */
    unsigned char *cells;            /* dots of each cell: bit 4*x + y */
    unsigned char *owners;           /* 1 + the curve drawn last into it, modulo the colours */
    unsigned char owner;
} canvas;

static bool make_canvas(canvas *c, size_t columns, size_t lines, bool unicode) {
    *c = (canvas){columns, lines, unicode ? 2 : 1, unicode ? 4 : 1, NULL, NULL, 0};
    c->cells = calloc(columns * lines, 1);
    c->owners = calloc(columns * lines, 1);
    return c->cells && c->owners;
}

static void free_canvas(canvas *c) {
    free(c->cells);
    free(c->owners);
}

static void set_dot(canvas *c, int64_t x, int64_t y) {
    if (x < 0 || y < 0 || x >= (int64_t)(c->columns * c->dots_across) ||
        y >= (int64_t)(c->lines * c->dots_down))
        return;
    const size_t cell = (size_t)y / c->dots_down * c->columns + (size_t)x / c->dots_across;
    const unsigned bit = 4 * ((unsigned)x % c->dots_across) + (unsigned)y % c->dots_down;
    c->cells[cell] = (unsigned char)(c->cells[cell] | 1U << bit);
    c->owners[cell] = c->owner;
}

/* A straight line of dots: J. E. Bresenham, "Algorithm for computer control of a digital plotter"
 * (1965). */
static void draw_line(canvas *c, int64_t x1, int64_t y1, int64_t x2, int64_t y2) {
    const int64_t dx = llabs(x2 - x1), dy = -llabs(y2 - y1);
    const int64_t sx = x1 < x2 ? 1 : -1, sy = y1 < y2 ? 1 : -1;
    int64_t error = dx + dy;
    for (;;) {
        set_dot(c, x1, y1);
        if (x1 == x2 && y1 == y2)
            return;
        const int64_t twice = 2 * error;
        if (twice >= dy) {
            error += dy;
            x1 += sx;
        }
        if (twice <= dx) {
            error += dx;
            y1 += sy;
        }
    }
}

/* How times and values become dots. */
typedef struct scale {
    double from, to;
    ib_axis axis;
} scale;

static int64_t x_of(const canvas *c, const scale *s, double time) {
    const double last = (double)(c->columns * c->dots_across - 1), range = s->to - s->from;
    return (int64_t)ib_round(range > 0 ? (time - s->from) / range * last : last / 2);
}

static int64_t y_of(const canvas *c, const scale *s, double value) {
    const double last = (double)(c->lines * c->dots_down - 1);
    const double u = (value - s->axis.low) / (s->axis.high - s->axis.low);
    return (int64_t)ib_round((1 - u) * last);
}

static void draw_series(canvas *c, const scale *s, const ib_series *series) {
    int64_t x = 0, y = 0;
    for (size_t i = 0; i < series->n_slices; i++) {
        double times[4], values[4];
        const size_t n = ib_slice_points(&series->slices[i], times, values);
        for (size_t k = 0; k < n; k++) {
            const int64_t x2 = x_of(c, s, times[k]), y2 = y_of(c, s, values[k]);
            const bool start = k == 0 && (i == 0 || series->slices[i].gap);
            draw_line(c, start ? x2 : x, start ? y2 : y, x2, y2);
            x = x2;
            y = y2;
        }
    }
}

/* ---- output -------------------------------------------------------------------------------- */

static void colour_on(ib_str *out, const ib_text_plot *options, size_t curve) {
    if (options->colour)
        ib_str_printf(out, "\033[%sm", colours[curve % IB_COUNT(colours)]);
}

static void colour_off(ib_str *out, const ib_text_plot *options) {
    if (options->colour)
        ib_str_add(out, "\033[0m");
}

/* The Braille pattern of dots bit 4*x + y; Unicode numbers them 1 2 3 7 down the left column and
 * 4 5 6 8 down the right. */
static void add_braille(ib_str *out, unsigned dots) {
    static const unsigned char bits[8] = {0x01, 0x02, 0x04, 0x40, 0x08, 0x10, 0x20, 0x80};
    unsigned pattern = 0;
    for (unsigned i = 0; i < 8; i++)
        pattern |= dots >> i & 1 ? bits[i] : 0U;
    const char text[3] = {(char)0xe2, (char)(0xa0 | pattern >> 6), (char)(0x80 | (pattern & 0x3f))};
    ib_str_add_n(out, text, sizeof text);
}

static void add_cells(ib_str *out, const canvas *c, size_t line, const ib_text_plot *options) {
    size_t last = c->columns;
    while (last > 0 && !c->cells[line * c->columns + last - 1])
        last--;
    unsigned char owner = 0;
    for (size_t x = 0; x < last; x++) {
        const size_t cell = line * c->columns + x;
        if (c->cells[cell] && c->owners[cell] != owner) {
            owner = c->owners[cell];
            colour_on(out, options, owner - 1U);
        }
        if (!c->cells[cell])
            ib_str_add_char(out, ' ');
        else if (options->unicode)
            add_braille(out, c->cells[cell]);
        else
            ib_str_add_char(out, letters[owner - 1U]);
    }
    if (owner)
        colour_off(out, options);
    ib_str_add_char(out, '\n');
}

static void add_spaces(ib_str *out, size_t n) {
    for (size_t i = 0; i < n; i++)
        ib_str_add_char(out, ' ');
}

/* The label of the tick that lies in this line of cells, right-aligned, and the axis. */
static void add_margin(ib_str *out, const canvas *c, const scale *s, size_t line, size_t width,
                       const ib_text_plot *options) {
    char label[IB_LABEL_SIZE] = "";
    size_t length = 0;
    for (size_t i = 0; i < s->axis.n_ticks; i++)
        if ((size_t)y_of(c, s, ib_axis_tick(&s->axis, i)) / c->dots_down == line)
            length = ib_axis_label(&s->axis, i, label);
    add_spaces(out, width - length);
    ib_str_add(out, label);
    if (options->unicode)
        ib_str_add(out, length ? " \xe2\x94\xa4" : " \xe2\x94\x82");
    else
        ib_str_add(out, length ? " +" : " |");
}

/* The time axis and its labels, centred under their ticks as far as they fit. */
static void add_time_axis(ib_str *out, const canvas *c, const scale *s, size_t width,
                          const ib_text_plot *options) {
    const ib_axis time = ib_axis_make(s->from, s->to, (unsigned)(c->columns / 12) + 1, false);
    ib_str labels = {0}, line = {0};
    add_spaces(&line, width + 1);
    ib_str_add(&line, options->unicode ? "\xe2\x94\x94" : "+");
    size_t used = 0;
    for (size_t x = 0, tick = 0; x < c->columns; x++) {
        bool here = false;
        for (; tick < time.n_ticks &&
               (size_t)x_of(c, s, ib_axis_tick(&time, tick)) / c->dots_across <= x;
             tick++) {
            char label[IB_LABEL_SIZE];
            const size_t length = ib_axis_label(&time, tick, label), centre = width + 2 + x;
            const size_t start = centre > length / 2 ? centre - length / 2 : 0;
            here = true;
            if (start < used + (used ? 1 : 0))
                continue;
            add_spaces(&labels, start - used);
            ib_str_add(&labels, label);
            used = start + length;
        }
        if (options->unicode)
            ib_str_add(&line, here ? "\xe2\x94\xb4" : "\xe2\x94\x80");
        else
            ib_str_add_char(&line, here ? '+' : '-');
    }
    ib_str_printf(out, "%s\n%s", line.data ? line.data : "", labels.data ? labels.data : "");
    if (time.power)
        ib_str_printf(out, "  10^%d s\n", time.power);
    else
        ib_str_add(out, "  s\n");
    out->failed = out->failed || labels.failed || line.failed;
    ib_str_free(&labels);
    ib_str_free(&line);
}

/* One line a curve: its colour or letter, the expression, the unit. */
static void add_legend(ib_str *out, const ib_plot *plot, const ib_panel *panel, const ib_axis *axis,
                       size_t width, const ib_text_plot *options) {
    for (size_t i = 0; i < panel->n_members; i++) {
        const ib_curve_data *curve = &plot->curves[panel->members[i]];
        const bool plain = !*panel->unit || strcmp(panel->unit, "1") == 0;
        add_spaces(out, width + 2);
        colour_on(out, options, curve->style);
        if (options->unicode)
            ib_str_add(out, "\xe2\x94\x81\xe2\x94\x81");
        else
            ib_str_add_char(out, letters[curve->style % IB_COUNT(colours)]);
        colour_off(out, options);
        ib_str_printf(out, " %s", curve->label);
        if (axis->power)
            ib_str_printf(out, "  [10^%d%s%s]", axis->power, plain ? "" : " ",
                          plain ? "" : panel->unit);
        else if (!plain)
            ib_str_printf(out, "  [%s]", panel->unit);
        ib_str_add_char(out, '\n');
    }
}

static size_t label_width(const ib_axis *axis) {
    size_t width = 1;
    for (size_t i = 0; i < axis->n_ticks; i++) {
        char label[IB_LABEL_SIZE];
        const size_t length = ib_axis_label(axis, i, label);
        width = length > width ? length : width;
    }
    return width;
}

static bool add_panel(ib_str *out, const ib_plot *plot, const ib_panel *panel,
                      const ib_text_plot *options) {
    const bool any = panel->low <= panel->high;
    const unsigned ticks = options->lines / 4 + 1;
    const scale s = {plot->from, plot->to,
                     ib_axis_make(any ? panel->low : 0, any ? panel->high : 1, ticks, false)};
    const size_t width = label_width(&s.axis);
    /* The axis takes two columns; the last label and the unit reach over the right end. */
    const size_t columns = options->columns > width + 18 ? options->columns - width - 10 : 8;
    canvas c;
    const bool made = make_canvas(&c, columns, options->lines, options->unicode);
    for (size_t i = 0; made && i < panel->n_members; i++) {
        const ib_curve_data *curve = &plot->curves[panel->members[i]];
        c.owner = (unsigned char)(1 + curve->style % IB_COUNT(colours));
        draw_series(&c, &s, &curve->series);
    }
    if (made) {
        add_legend(out, plot, panel, &s.axis, width, options);
        for (size_t line = 0; line < c.lines; line++) {
            add_margin(out, &c, &s, line, width, options);
            add_cells(out, &c, line, options);
        }
        add_time_axis(out, &c, &s, width, options);
    }
    free_canvas(&c);
    return made;
}

static unsigned between(unsigned value, unsigned least, unsigned most) {
    return value < least ? least : value > most ? most : value;
}

char *ib_plot_text(const ib_plot *plot, const ib_text_plot *asked) {
    ib_text_plot options = *asked;
    options.columns = between(options.columns, LEAST_COLUMNS, MOST_COLUMNS);
    options.lines = between(options.lines, LEAST_LINES, MOST_LINES);
    ib_str out = {0};
    bool done = true;
    ib_str_printf(&out, "%s\n", plot->title);
    for (size_t i = 0; done && i < plot->n_panels; i++)
        done = add_panel(&out, plot, &plot->panels[i], &options);
    if (done && !out.failed)
        return out.data;
    ib_str_free(&out);
    return NULL;
}
