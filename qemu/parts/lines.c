/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What joins parts: lines, interrupt and DMA requests, clocks, and the buses of chips. */
#include "qemu/parts/hub.h"

#define APB1_BASE UINT32_C(0x40000000)
#define APB2_BASE UINT32_C(0x40010000)
#define AHB1_BASE UINT32_C(0x40020000)

void ib_hub_set_input(ib_hub *hub, int part, int line, ib_level level) {
    ib_seat *seat = &hub->seats[part];
    if (seat->input[line] == level)
        return;
    seat->input[line] = (uint8_t)level;
    /* Input 0 of a chip on SPI is its chip select. */
    if (seat->part.type->spi && line == 0)
        seat->part.type->spi->select(&seat->part, level == IB_LOW);
    else if (seat->part.type->input)
        seat->part.type->input(&seat->part, line, level);
}

void ib_part_output(ib_part *part, int line, ib_level level) {
    ib_hub *hub = part->hub;
    ib_seat *seat = &hub->seats[part->index];
    if (seat->output[line] == level)
        return;
    seat->output[line] = (uint8_t)level;
    for (int i = 0; i < hub->n_wires; i++)
        if (hub->wires[i].from == part->index && hub->wires[i].output == line)
            ib_hub_set_input(hub, hub->wires[i].to, hub->wires[i].input, level);
}

ib_level ib_part_input_level(const ib_part *part, int line) {
    return (ib_level)part->hub->seats[part->index].input[line];
}

/* Several request lines may share an interrupt: it is up while one of them is. */
void ib_part_interrupt(ib_part *part, int k, bool level) {
    ib_hub *hub = part->hub;
    ib_seat *seat = &hub->seats[part->index];
    if (seat->irq[k] < 0 || seat->irq_level[k] == level)
        return;
    seat->irq_level[k] = level;
    uint8_t *count = &hub->irq_count[seat->irq[k]];
    *count = (uint8_t)(level ? *count + 1 : *count - 1);
    if (*count == (level ? 1 : 0))
        hub->host.interrupt(hub->host.context, seat->irq[k], level);
}

void ib_part_request(ib_part *part, ib_request what, bool level) {
    const uint32_t bit = UINT32_C(1) << what;
    part->requests = level ? part->requests | bit : part->requests & ~bit;
    if (level)
        part->hub->requests = true;
}

void ib_hub_reset_part(ib_part *part) {
    for (int k = 0; k < IB_TIMERS_MOST; k++)
        ib_part_timer(part, k, IB_NEVER);
    for (int k = 0; k < part->type->n_irqs; k++)
        ib_part_interrupt(part, k, false);
    part->requests = 0;
    if (part->type->reset)
        part->type->reset(part);
}

void ib_part_wake_dma(ib_part *part) { part->hub->requests = true; }

ib_part *ib_part_at(const ib_part *part, uint32_t address) {
    const int at = ib_hub_at(part->hub, address);
    return at >= 0 ? &part->hub->seats[at].part : NULL;
}

void ib_part_reset_at(ib_part *part, uint32_t base) {
    ib_part *who = ib_part_at(part, base);
    if (who && who->base == base)
        ib_hub_reset_part(who);
}

void ib_part_clock_at(ib_part *part, uint32_t base, bool on) {
    ib_part *who = ib_part_at(part, base);
    if (who && who->base == base)
        who->unclocked = !on;
}

ib_clocks ib_hub_clocks(const ib_hub *hub) { return hub->clocks; }

uint32_t ib_part_clock(const ib_part *part) {
    const ib_clocks *clocks = &part->hub->clocks;
    return part->base >= AHB1_BASE   ? clocks->hclk
           : part->base >= APB2_BASE ? clocks->pclk2
           : part->base >= APB1_BASE ? clocks->pclk1
                                     : clocks->hclk;
}

uint32_t ib_part_timer_clock(const ib_part *part) {
    return part->base >= APB2_BASE ? part->hub->clocks.timer2 : part->hub->clocks.timer1;
}

void ib_part_set_clocks(ib_part *part, const ib_clocks *clocks) {
    ib_hub *hub = part->hub;
    hub->clocks = *clocks;
    for (int i = 0; i < hub->n; i++)
        if (hub->seats[i].part.type->clocks)
            hub->seats[i].part.type->clocks(&hub->seats[i].part);
}

/* A broken device's chip is as good as not there. */
static bool is_dead(const ib_part *chip) {
    return chip->sample[0] && chip->sample[0]->flags & IB_SAMPLE_DEAD;
}

/* Selected chips pull MISO down; nobody holds it up but the resistor. A select that no wire reaches
 * is tied low; one whose pin floats has a pull-up on the board. */
uint8_t ib_part_spi_exchange(ib_part *bus, uint8_t out) {
    uint8_t in = 0xff;
    for (int i = 0; i < bus->n_chips; i++) {
        ib_part *chip = bus->chips[i];
        const ib_seat *seat = &bus->hub->seats[chip->index];
        if (chip->type->spi && (!seat->select_wired || seat->input[0] == IB_LOW) && !is_dead(chip))
            in &= chip->type->spi->exchange(chip, out);
    }
    return in;
}

ib_part *ib_part_i2c_start(ib_part *bus, uint8_t address, bool read) {
    for (int i = 0; i < bus->n_chips; i++) {
        ib_part *chip = bus->chips[i];
        if (chip->type->i2c && !is_dead(chip) && chip->type->i2c->start(chip, address, read))
            return chip;
    }
    return NULL;
}

void ib_part_uart_send(ib_part *from, uint8_t byte, int64_t bit_ns) {
    if (from->bus) {
        if (!is_dead(from))
            from->bus->type->uart->receive(from->bus, byte, bit_ns);
        return;
    }
    for (int i = 0; i < from->n_chips; i++)
        if (from->chips[i]->type->uart && !is_dead(from->chips[i]))
            from->chips[i]->type->uart->receive(from->chips[i], byte, bit_ns);
}
