/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The board's text (qemu/wire/frame.h) becomes a hub with its parts. The host has checked all that
 * a user can get wrong; what is refused here is a host of another version. */
#define _GNU_SOURCE /* strtod_l */
#include "qemu/plugin/plugin.h"

#include <locale.h>

#include <stdlib.h>
#include <string.h>

enum { WORDS_MOST = 12 };

/* One line of the text, cut into words. */
typedef struct line {
    ib_plugin *plugin;
    char text[200];
    char *words[WORDS_MOST];
    int n;
} line;

static const char *word(const line *l, int i) { return i < l->n ? l->words[i] : ""; }
static int part(const line *l, int i) { return ib_hub_find(l->plugin->hub, word(l, i)); }
/* Whatever locale QEMU has chosen. */
static double number(const line *l, int i) {
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const double value = plain ? strtod_l(word(l, i), NULL, plain) : 0;
    if (plain)
        freelocale(plain);
    return value;
}
static int whole(const line *l, int i) { return (int)strtol(word(l, i), NULL, 0); }

static bool add_part(const line *l) {
    const uint32_t base = (uint32_t)strtoul(word(l, 3), NULL, 0);
    return l->n == 4 && ib_hub_add(l->plugin->hub, word(l, 2), word(l, 1), base) >= 0;
}

static bool set_option(const line *l) {
    return ib_hub_option(l->plugin->hub, part(l, 1), word(l, 2), number(l, 3));
}

static bool set_irq(const line *l) {
    const int irq = whole(l, 3);
    return irq < l->plugin->n_lines && ib_hub_irq(l->plugin->hub, part(l, 1), whole(l, 2), irq);
}

static bool attach(const line *l) { return ib_hub_attach(l->plugin->hub, part(l, 1), part(l, 2)); }

static bool join(const line *l) {
    return ib_hub_connect(l->plugin->hub, part(l, 1), word(l, 2), part(l, 3), word(l, 4));
}

static bool give_sample(const line *l) {
    const int i = whole(l, 3);
    return i >= 0 && i < IB_FRAME_SAMPLES &&
           ib_hub_sample(l->plugin->hub, part(l, 1), whole(l, 2), &l->plugin->frame->samples[i]);
}

static bool mount(const line *l) {
    double rows[9];
    for (int i = 0; i < 9; i++)
        rows[i] = number(l, 2 + i);
    ib_hub_mount(l->plugin->hub, part(l, 1), rows);
    return l->n == 11 && part(l, 1) >= 0;
}

static bool add_pulse(const line *l) {
    ib_plugin *p = l->plugin;
    ib_pulse pulse;
    if (p->n_pulses == IB_FRAME_PULSES || !ib_hub_pulse(p->hub, part(l, 1), whole(l, 2), &pulse))
        return false;
    p->pulse_part[p->n_pulses] = part(l, 1);
    p->pulse_channel[p->n_pulses++] = whole(l, 2);
    return true;
}

static bool add_link(const line *l) {
    ib_plugin *p = l->plugin;
    if (p->n_links == IB_FRAME_LINKS || part(l, 1) < 0)
        return false;
    p->link_part[p->n_links++] = part(l, 1);
    return true;
}

static bool set_analog(const line *l) {
    return ib_hub_analog(l->plugin->hub, part(l, 1), whole(l, 2), number(l, 3));
}

static bool take_rest(const line *l) {
    l->plugin->has_rest = true;
    return true;
}

static bool set_tick(const line *l) {
    l->plugin->tick_line = whole(l, 1);
    return whole(l, 1) >= 0 && whole(l, 1) < l->plugin->n_lines;
}

static const struct {
    const char *word;
    bool (*act)(const line *l);
} items[] = {{"part", add_part}, {"option", set_option},  {"irq", set_irq},    {"attach", attach},
             {"connect", join},  {"sample", give_sample}, {"mount", mount},    {"pulse", add_pulse},
             {"link", add_link}, {"analog", set_analog},  {"rest", take_rest}, {"tick", set_tick}};

static bool act(line *l) {
    l->n = 0;
    for (char *rest = l->text, *next; l->n < WORDS_MOST && (next = strtok_r(rest, " ", &rest));)
        l->words[l->n++] = next;
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        if (strcmp(word(l, 0), items[i].word) == 0)
            return items[i].act(l);
    return l->n == 0;
}

bool ib_plugin_build(ib_plugin *plugin, const ib_host *host, char *why, size_t size) {
    const char *text = plugin->frame->board;
    const char *end = memchr(text, 0, IB_FRAME_BOARD_SIZE);
    plugin->tick_line = -1;
    plugin->hub = ib_hub_create(host, IB_PLUGIN_PARTS);
    if (!plugin->hub || !end) {
        snprintf(why, size, "the board has no room");
        return false;
    }
    while (text < end) {
        line l = {.plugin = plugin};
        const size_t length = strcspn(text, "\n");
        snprintf(l.text, sizeof l.text, "%.*s", (int)length, text);
        if (!act(&l)) {
            snprintf(why, size, "the board cannot be made: '%.*s'", (int)length, text);
            return false;
        }
        text += length + (text[length] == '\n');
    }
    return true;
}
