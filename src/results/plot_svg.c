/* A plot as SVG 1.1: panels below each other over one time axis.
 *
 * Colours are those of M. Okabe and K. Ito, "Color universal design" (2008), which people with
 * colour-blindness can tell apart; beyond seven curves the lines are dashed. Curves are drawn from
 * the extremes within each column of pixels. Widths of text are estimated: the reader's font is not
 * known here.
 */
#include "results_internal.h"

#include <string.h>

#define WIDTH 960
#define HEIGHT 540
#define MORE_HEIGHT 190 /* a panel beyond the second */
#define RIGHT 28
#define TOP 54
#define BOTTOM 54
#define PANEL_GAP 12
#define LEGEND_LINE 22
#define LEGEND_WIDTH 840
#define LETTER 6.7 /* width of an average letter at 12 px */
#define LONGEST_LABEL 90

static const char *const colours[IB_PLOT_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                     "#e69f00", "#56b4e9", "#4d4d4d"};
static const char *const dashes[] = {"", "7 4", "2 3", "9 3 2 3"};

/* Where one panel lies, and how values become pixels. */
typedef struct frame {
    double left, right, top, bottom;
    double from, to; /* time */
    ib_axis axis;
} frame;

static const char *colour_of(const ib_curve_data *curve) {
    return colours[curve->style % IB_COUNT(colours)];
}

static const char *dash_of(const ib_curve_data *curve) {
    return dashes[curve->style / IB_COUNT(colours) % IB_COUNT(dashes)];
}

static double x_of(const frame *f, double time) {
    const double range = f->to - f->from;
    return f->left + (range > 0 ? (time - f->from) / range : 0.5) * (f->right - f->left);
}

static double y_of(const frame *f, double value) {
    const double u = (value - f->axis.low) / (f->axis.high - f->axis.low);
    return f->bottom - u * (f->bottom - f->top);
}

/* ---- text ---------------------------------------------------------------------------------- */

/* A coordinate to a hundredth of a pixel. */
static void add_coordinate(ib_str *svg, double x) {
    const int64_t hundredths = (int64_t)ib_round(100 * (x < -1e6 ? -1e6 : x > 1e6 ? 1e6 : x));
    const uint64_t size = hundredths < 0 ? 0 - (uint64_t)hundredths : (uint64_t)hundredths;
    char reversed[24], text[24];
    size_t n = 0, length = 0;
    if (size % 100) {
        if (size % 10)
            reversed[n++] = (char)('0' + size % 10);
        reversed[n++] = (char)('0' + size / 10 % 10);
        reversed[n++] = '.';
    }
    uint64_t whole = size / 100;
    do
        reversed[n++] = (char)('0' + whole % 10);
    while ((whole /= 10));
    if (hundredths < 0)
        reversed[n++] = '-';
    while (n)
        text[length++] = reversed[--n];
    ib_str_add_n(svg, text, length);
}

static void add_attribute(ib_str *svg, const char *name, double value) {
    ib_str_add_char(svg, ' ');
    ib_str_add(svg, name);
    ib_str_add(svg, "=\"");
    add_coordinate(svg, value);
    ib_str_add_char(svg, '"');
}

/* Text with the letters that XML keeps for itself written out; what XML forbids is left out. */
static void add_escaped(ib_str *svg, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '&':
            ib_str_add(svg, "&amp;");
            break;
        case '<':
            ib_str_add(svg, "&lt;");
            break;
        case '>':
            ib_str_add(svg, "&gt;");
            break;
        case '"':
            ib_str_add(svg, "&quot;");
            break;
        default:
            if ((unsigned char)*text >= 0x20)
                ib_str_add_char(svg, *text);
        }
    }
}

static size_t letters(const char *text) {
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* At most LONGEST_LABEL letters, ending in an ellipsis when cut. */
static void add_label(ib_str *svg, const char *text) {
    ib_str label = {0};
    if (letters(text) <= LONGEST_LABEL) {
        ib_str_add(&label, text);
    } else {
        size_t n = 0;
        while (n < strlen(text) && (letters(text + n) > letters(text) - (LONGEST_LABEL - 1) ||
                                    ((unsigned char)text[n] & 0xc0) == 0x80))
            n++;
        ib_str_add_n(&label, text, n);
        ib_str_add(&label, "\xe2\x80\xa6");
    }
    svg->failed = svg->failed || label.failed;
    add_escaped(svg, label.data ? label.data : "");
    ib_str_free(&label);
}

static double label_width(const char *text) {
    const size_t n = letters(text);
    return LETTER * (double)(n > LONGEST_LABEL ? LONGEST_LABEL : n);
}

static void open_text(ib_str *svg, const char *class, double x, double y) {
    ib_str_printf(svg, "<text class=\"%s\"", class);
    add_attribute(svg, "x", x);
    add_attribute(svg, "y", y);
    ib_str_add_char(svg, '>');
}

static void add_line(ib_str *svg, const char *class, double x1, double y1, double x2, double y2) {
    ib_str_printf(svg, "<line class=\"%s\"", class);
    add_attribute(svg, "x1", x1);
    add_attribute(svg, "y1", y1);
    add_attribute(svg, "x2", x2);
    add_attribute(svg, "y2", y2);
    ib_str_add(svg, "/>\n");
}

/* ---- legends ------------------------------------------------------------------------------- */

static double entry_width(const char *label) { return 26 + label_width(label) + 22; }

static size_t legend_lines(const ib_plot *plot, const ib_panel *panel) {
    size_t lines = 1;
    double x = 0;
    for (size_t i = 0; i < panel->n_members; i++) {
        const double entry = entry_width(plot->curves[panel->members[i]].label);
        if (x > 0 && x + entry > LEGEND_WIDTH) {
            lines++;
            x = 0;
        }
        x += entry;
    }
    return lines;
}

static void add_entry(ib_str *svg, const ib_plot *plot, size_t curve, double x, double y) {
    ib_str_printf(svg, "<line class=\"curve\" stroke=\"%s\"", colour_of(&plot->curves[curve]));
    if (*dash_of(&plot->curves[curve]))
        ib_str_printf(svg, " stroke-dasharray=\"%s\"", dash_of(&plot->curves[curve]));
    add_attribute(svg, "x1", x);
    add_attribute(svg, "y1", y - 4);
    add_attribute(svg, "x2", x + 19);
    add_attribute(svg, "y2", y - 4);
    ib_str_add(svg, "/>\n");
    open_text(svg, "label", x + 26, y);
    add_label(svg, plot->curves[curve].label);
    ib_str_add(svg, "</text>\n");
}

static void add_legend(ib_str *svg, const ib_plot *plot, const ib_panel *panel, const frame *f) {
    double x = 0;
    double y = f->top - 10 - LEGEND_LINE * (double)(legend_lines(plot, panel) - 1);
    for (size_t i = 0; i < panel->n_members; i++) {
        const double entry = entry_width(plot->curves[panel->members[i]].label);
        if (x > 0 && x + entry > LEGEND_WIDTH) {
            y += LEGEND_LINE;
            x = 0;
        }
        add_entry(svg, plot, panel->members[i], f->left + x, y);
        x += entry;
    }
}

/* ---- axes ---------------------------------------------------------------------------------- */

/* "N", "N x 10^3", rotated beside the axis. */
static void add_unit(ib_str *svg, const ib_panel *panel, const frame *f) {
    const bool plain = !*panel->unit || strcmp(panel->unit, "1") == 0;
    if (plain && !f->axis.power)
        return;
    const double y = (f->top + f->bottom) / 2;
    ib_str_add(svg, "<text class=\"unit\" transform=\"translate(20 ");
    add_coordinate(svg, y);
    ib_str_add(svg, ") rotate(-90)\">");
    if (f->axis.power)
        ib_str_printf(
            svg, "10<tspan dy=\"-5\" font-size=\"9\">%d</tspan><tspan dy=\"5\">\xc2\xa0</tspan>",
            f->axis.power);
    if (!plain)
        add_escaped(svg, panel->unit);
    ib_str_add(svg, "</text>\n");
}

static void add_value_axis(ib_str *svg, const frame *f) {
    char label[IB_LABEL_SIZE];
    for (size_t i = 0; i < f->axis.n_ticks; i++) {
        const double value = ib_axis_tick(&f->axis, i), y = ib_floor(y_of(f, value)) + 0.5;
        add_line(svg, value == 0 ? "zero" : "grid", f->left, y, f->right, y);
        ib_axis_label(&f->axis, i, label);
        open_text(svg, "tick end", f->left - 9, y + 4);
        ib_str_add(svg, *label == '-' ? "\xe2\x88\x92" : "");
        ib_str_add(svg, *label == '-' ? label + 1 : label);
        ib_str_add(svg, "</text>\n");
    }
}

static void add_time_axis(ib_str *svg, const frame *f, const ib_axis *time, bool labelled) {
    char label[IB_LABEL_SIZE];
    for (size_t i = 0; i < time->n_ticks; i++) {
        const double x = ib_floor(x_of(f, ib_axis_tick(time, i))) + 0.5;
        add_line(svg, "grid", x, f->top, x, f->bottom);
        if (!labelled)
            continue;
        add_line(svg, "axis", x, f->bottom, x, f->bottom + 5);
        ib_axis_label(time, i, label);
        open_text(svg, "tick middle", x, f->bottom + 19);
        ib_str_add(svg, label);
        ib_str_add(svg, "</text>\n");
    }
    add_line(svg, "axis", f->left, f->bottom, f->right, f->bottom);
    if (!labelled)
        return;
    open_text(svg, "unit", (f->left + f->right) / 2, f->bottom + 40);
    if (time->power)
        ib_str_printf(
            svg,
            "time, 10<tspan dy=\"-5\" font-size=\"9\">%d</tspan><tspan dy=\"5\">\xc2\xa0s</tspan>",
            time->power);
    else
        ib_str_add(svg, "time, s");
    ib_str_add(svg, "</text>\n");
}

/* ---- curves -------------------------------------------------------------------------------- */

static void add_points(ib_str *svg, const frame *f, const ib_slice *slice, bool move) {
    double times[4], values[4];
    const size_t n = ib_slice_points(slice, times, values);
    for (size_t i = 0; i < n; i++) {
        ib_str_add_char(svg, move && i == 0 ? 'M' : 'L');
        add_coordinate(svg, x_of(f, times[i]));
        ib_str_add_char(svg, ' ');
        add_coordinate(svg, y_of(f, values[i]));
    }
    if (move && n == 1)
        ib_str_add(svg, "h0"); /* a lone point shows as a dot */
}

/* Slices within one column of pixels are drawn as one. */
static void add_path(ib_str *svg, const frame *f, const ib_series *series) {
    size_t i = 0;
    while (i < series->n_slices) {
        ib_slice merged = series->slices[i];
        const double column = ib_floor(x_of(f, merged.first_time));
        const bool move = i == 0 || merged.gap;
        for (i++; i < series->n_slices && !series->slices[i].gap &&
                  x_of(f, series->slices[i].last_time) < column + 1;
             i++)
            ib_slice_merge(&merged, &series->slices[i]);
        add_points(svg, f, &merged, move);
    }
}

static void add_curve(ib_str *svg, const ib_plot *plot, size_t curve, const frame *f) {
    ib_str_printf(svg, "<path class=\"curve\" stroke=\"%s\"", colour_of(&plot->curves[curve]));
    if (*dash_of(&plot->curves[curve]))
        ib_str_printf(svg, " stroke-dasharray=\"%s\"", dash_of(&plot->curves[curve]));
    ib_str_add(svg, " d=\"");
    add_path(svg, f, &plot->curves[curve].series);
    ib_str_add(svg, "\"/>\n");
}

/* ---- the picture --------------------------------------------------------------------------- */

static void add_head(ib_str *svg, const ib_plot *plot, double height) {
    ib_str_printf(svg,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" role=\"img\">\n<title>",
                  WIDTH, (int)height, WIDTH, (int)height);
    add_escaped(svg, plot->title);
    ib_str_add(svg,
               "</title>\n<style>\n"
               "text{font-family:'Helvetica Neue',Helvetica,Arial,'Liberation Sans','DejaVu Sans',"
               "sans-serif;font-size:12px;fill:#3e4c59}\n"
               ".title{font-size:17px;font-weight:600;fill:#1f2933}\n"
               ".label{fill:#1f2933}\n"
               ".unit{text-anchor:middle}\n"
               ".end{text-anchor:end}\n"
               ".middle{text-anchor:middle}\n"
               ".grid{stroke:#e4e7eb}\n"
               ".zero{stroke:#b8c2cc}\n"
               ".axis{stroke:#7b8794}\n"
               ".curve{fill:none;stroke-width:1.7;stroke-linejoin:round;stroke-linecap:round}\n"
               "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
}

static unsigned tick_count(double pixels, double apart) {
    const double n = pixels / apart;
    return n < 2 ? 2 : (unsigned)n;
}

/* Axes of all panels, and the left margin that the widest label needs. */
static double choose_axes(const ib_plot *plot, frame *frames) {
    size_t longest = 1;
    for (size_t i = 0; i < plot->n_panels; i++) {
        frame *f = &frames[i];
        const ib_panel *panel = &plot->panels[i];
        const bool any = panel->low <= panel->high;
        f->axis = ib_axis_make(any ? panel->low : 0, any ? panel->high : 1,
                               tick_count(f->bottom - f->top, 46), true);
        for (size_t k = 0; k < f->axis.n_ticks; k++) {
            char label[IB_LABEL_SIZE];
            const size_t length = ib_axis_label(&f->axis, k, label);
            longest = length > longest ? length : longest;
        }
    }
    return 44 + LETTER * (double)longest;
}

/* Stacks the panels; legends take what they need, the axes share the rest. */
static void place_panels(const ib_plot *plot, frame *frames, double height) {
    double rest = height - TOP - BOTTOM - PANEL_GAP * (double)(plot->n_panels - 1);
    for (size_t i = 0; i < plot->n_panels; i++)
        rest -= LEGEND_LINE * (double)legend_lines(plot, &plot->panels[i]);
    const double each = ib_floor(rest / (double)plot->n_panels);
    double y = TOP;
    for (size_t i = 0; i < plot->n_panels; i++) {
        y += LEGEND_LINE * (double)legend_lines(plot, &plot->panels[i]);
        frames[i].top = y;
        frames[i].bottom = y + (each < 60 ? 60 : each);
        y = frames[i].bottom + PANEL_GAP;
    }
}

/* Room for every legend line beyond the first of each panel is added. */
static double picture_height(const ib_plot *plot) {
    double height = HEIGHT;
    for (size_t i = 0; i < plot->n_panels; i++) {
        const size_t lines = legend_lines(plot, &plot->panels[i]);
        height += (i >= 2 ? MORE_HEIGHT : 0) + LEGEND_LINE * (double)(lines - 1);
    }
    return height;
}

static void add_panels(ib_str *svg, const ib_plot *plot, frame *frames, double height) {
    place_panels(plot, frames, height);
    const double left = choose_axes(plot, frames);
    const ib_axis time =
        ib_axis_make(plot->from, plot->to, tick_count(WIDTH - RIGHT - left, 84), false);
    for (size_t i = 0; i < plot->n_panels; i++) {
        const ib_panel *panel = &plot->panels[i];
        frame *f = &frames[i];
        f->left = left;
        f->right = WIDTH - RIGHT;
        f->from = time.low;
        f->to = time.high;
        add_value_axis(svg, f);
        add_time_axis(svg, f, &time, i + 1 == plot->n_panels);
        add_unit(svg, panel, f);
        for (size_t k = 0; k < panel->n_members; k++)
            add_curve(svg, plot, panel->members[k], f);
        add_legend(svg, plot, panel, f);
    }
    open_text(svg, "title", left, 34);
    add_label(svg, plot->title);
    ib_str_add(svg, "</text>\n");
}

char *ib_plot_svg(const ib_plot *plot) {
    ib_str svg = {0};
    ib_arena *arena = ib_arena_create();
    frame *frames = arena ? IB_ARENA_ARRAY(arena, plot->n_panels, frame) : NULL;
    if (frames) {
        const double height = picture_height(plot);
        add_head(&svg, plot, height);
        add_panels(&svg, plot, frames, height);
        ib_str_add(&svg, "</svg>\n");
    }
    ib_arena_destroy(arena);
    if (frames && !svg.failed)
        return svg.data;
    ib_str_free(&svg);
    return NULL;
}
