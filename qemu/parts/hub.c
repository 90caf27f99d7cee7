/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A board is put together: parts, their options, chips on buses, lines. */
#include <stdlib.h>
#include <string.h>

#include "qemu/parts/hub.h"
#include "qemu/parts/types.h"

#define HSI_HZ UINT32_C(16000000)

ib_hub *ib_hub_create(const ib_host *host, int most) {
    ib_hub *hub = calloc(1, sizeof *hub);
    if (!hub)
        return NULL;
    hub->seats = calloc((size_t)most, sizeof *hub->seats);
    if (!hub->seats) {
        free(hub);
        return NULL;
    }
    hub->host = *host;
    hub->most = most;
    hub->alarm = hub->alarm_told = IB_NEVER;
    hub->clocks = (ib_clocks){HSI_HZ, HSI_HZ, HSI_HZ, HSI_HZ, HSI_HZ, HSI_HZ};
    return hub;
}

void ib_hub_destroy(ib_hub *hub) {
    if (!hub)
        return;
    for (int i = 0; i < hub->n; i++)
        free(hub->seats[i].part.state);
    free(hub->seats);
    free(hub);
}

const ib_part_type *ib_part_type_named(const char *name) {
    const ib_part_type *type;
    for (int i = 0; (type = ib_part_type_at(i)) != NULL; i++)
        if (strcmp(type->name, name) == 0)
            return type;
    return NULL;
}

ib_seat *ib_hub_seat(ib_hub *hub, int part) {
    return part >= 0 && part < hub->n ? &hub->seats[part] : NULL;
}

ib_part *ib_hub_part(ib_hub *hub, int part) {
    ib_seat *seat = ib_hub_seat(hub, part);
    return seat ? &seat->part : NULL;
}

int ib_hub_find(const ib_hub *hub, const char *name) {
    for (int i = 0; i < hub->n; i++)
        if (strcmp(hub->seats[i].part.name, name) == 0)
            return i;
    return -1;
}

static bool overlaps(const ib_hub *hub, uint32_t base, uint32_t window) {
    for (int i = 0; i < hub->n; i++) {
        const ib_part *part = &hub->seats[i].part;
        if (window && part->type->window && base < part->base + part->type->window &&
            part->base < base + window)
            return true;
    }
    return false;
}

int ib_hub_add_type(ib_hub *hub, const ib_part_type *type, const char *name, uint32_t base) {
    if (!type || hub->n == hub->most || overlaps(hub, base, type->window))
        return -1;
    ib_seat *seat = &hub->seats[hub->n];
    ib_part *part = &seat->part;
    *part = (ib_part){.type = type, .hub = hub, .index = hub->n, .base = base};
    part->state = calloc(1, type->state_size ? type->state_size : 1);
    if (!part->state)
        return -1;
    strncpy(part->name, name, sizeof part->name - 1);
    for (int i = 0; type->options && type->options[i].name; i++)
        part->option[i] = type->options[i].normal;
    for (int i = 0; i < 9; i += 4)
        part->chip_from_body[i] = 1;
    for (int i = 0; i < IB_TIMERS_MOST; i++)
        seat->due[i] = IB_NEVER;
    for (int i = 0; i < IB_IRQS_MOST; i++)
        seat->irq[i] = -1;
    memset(seat->input, IB_OPEN, sizeof seat->input);
    memset(seat->output, IB_OPEN, sizeof seat->output);
    return hub->n++;
}

int ib_hub_add(ib_hub *hub, const char *type, const char *name, uint32_t base) {
    return ib_hub_add_type(hub, ib_part_type_named(type), name, base);
}

bool ib_hub_option(ib_hub *hub, int part, const char *option, double value) {
    ib_part *p = ib_hub_part(hub, part);
    const ib_option *options = p ? p->type->options : NULL;
    for (int i = 0; options && options[i].name; i++)
        if (strcmp(options[i].name, option) == 0) {
            if (!(value >= options[i].lowest && value <= options[i].highest))
                return false;
            p->option[i] = value;
            return true;
        }
    return false;
}

bool ib_hub_irq(ib_hub *hub, int part, int k, int irq) {
    ib_seat *seat = ib_hub_seat(hub, part);
    if (!seat || k < 0 || k >= seat->part.type->n_irqs || irq < 0 || irq >= IRQ_NUMBERS)
        return false;
    seat->irq[k] = irq;
    return true;
}

bool ib_hub_sample(ib_hub *hub, int part, int slot, const ib_sample *sample) {
    ib_part *p = ib_hub_part(hub, part);
    if (!p || slot < 0 || slot >= IB_SAMPLES_MOST || p->type->samples[slot] == IB_SAMPLE_NONE)
        return false;
    p->sample[slot] = sample;
    return true;
}

void ib_hub_mount(ib_hub *hub, int part, const double chip_from_body[9]) {
    ib_part *p = ib_hub_part(hub, part);
    if (p)
        memcpy(p->chip_from_body, chip_from_body, sizeof p->chip_from_body);
}

/* Whether the peripheral speaks what the chip understands. */
static bool fits(const ib_part_type *chip, const ib_part_type *bus) {
    return bus->window && !chip->window &&
           ((bus->is_spi_bus && chip->spi) || (bus->is_i2c_bus && chip->i2c) ||
            (bus->uart && chip->uart));
}

bool ib_hub_attach(ib_hub *hub, int chip, int bus) {
    ib_part *c = ib_hub_part(hub, chip), *b = ib_hub_part(hub, bus);
    if (!c || !b || c->bus || b->n_chips == IB_BUS_CHIPS_MOST || !fits(c->type, b->type))
        return false;
    c->bus = b;
    b->chips[b->n_chips++] = c;
    return true;
}

int ib_hub_line_named(const char *const *names, const char *name) {
    for (int i = 0; names && names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static bool add_wire(ib_hub *hub, int from, int output, int to, int input) {
    if (hub->n_wires == WIRES_MOST)
        return false;
    hub->wires[hub->n_wires++] =
        (ib_wire){(int16_t)from, (int16_t)output, (int16_t)to, (int16_t)input};
    return true;
}

bool ib_hub_connect(ib_hub *hub, int from, const char *output, int to, const char *input) {
    const ib_part *a = ib_hub_part(hub, from), *b = ib_hub_part(hub, to);
    const int out = a ? ib_hub_line_named(a->type->outputs, output) : -1;
    const int in = b ? ib_hub_line_named(b->type->inputs, input) : -1;
    if (out < 0 || in < 0 || !add_wire(hub, from, out, to, in))
        return false;
    hub->seats[to].select_wired |= b->type->spi && in == 0;
    return true;
}

static int first_of_type(const ib_hub *hub, const ib_part_type *type) {
    for (int i = 0; i < hub->n; i++)
        if (hub->seats[i].part.type == type)
            return i;
    return -1;
}

/* Inside the microcontroller, pin n of every port goes to SYSCFG, which hands one port's to line n
 * of EXTI (RM0090 section 12.2.5). */
static void wire_pins_to_exti(ib_hub *hub) {
    const int syscfg = first_of_type(hub, &ib_type_stm32_syscfg);
    const int exti = first_of_type(hub, &ib_type_stm32_exti);
    if (syscfg < 0)
        return;
    for (int i = 0; i < hub->n; i++) {
        const ib_part *part = &hub->seats[i].part;
        if (part->type != &ib_type_stm32_gpio)
            continue;
        const int port = (int)(part->base >> 10 & 15);
        for (int pin = 0; pin < 16 && port < 9; pin++)
            add_wire(hub, i, pin, syscfg, port * 16 + pin);
    }
    for (int line = 0; line < 16 && exti >= 0; line++)
        add_wire(hub, syscfg, line, exti, line);
}

/* The watchdog leaves its mark in RCC's reset flags. */
static void wire_watchdog(ib_hub *hub) {
    const int iwdg = first_of_type(hub, &ib_type_stm32_iwdg);
    const int rcc = first_of_type(hub, &ib_type_stm32_rcc);
    if (iwdg >= 0 && rcc >= 0)
        add_wire(hub, iwdg, 0, rcc, 0);
}

void ib_hub_start(ib_hub *hub) {
    wire_pins_to_exti(hub);
    wire_watchdog(hub);
    hub->now = hub->host.now(hub->host.context);
    for (int i = 0; i < hub->n; i++)
        if (!hub->seats[i].part.type->window && hub->seats[i].part.type->reset)
            hub->seats[i].part.type->reset(&hub->seats[i].part);
    ib_hub_reset(hub);
}
