/* SPDX-License-Identifier: GPL-2.0-or-later */
/* STM32F4 flash interface (ST RM0090, chapter 3: registers 3.9).
 *
 * Wait states and caches, which start-up code sets and reads back, and the locks. The memory itself
 * is the emulator's and is read-only: an erase or a program operation ends at once with the
 * write-protection error, as on a protected sector, so that a driver reports it instead of waiting.
 */
#include "qemu/peripheral.h"

enum { ACR = 0x00, KEYR = 0x04, OPTKEYR = 0x08, SR = 0x0c, CR = 0x10, OPTCR = 0x14, OPTCR1 = 0x18 };
enum { WRPERR = 1u << 4, OPERR = 1u << 1, SR_CLEAR = 0xf3u };
enum { PG = 1u << 0, STRT = 1u << 16, ERRIE = 1u << 25, CR_BITS = 0x030183ffu, ACR_BITS = 0x1f0fu };

#define LOCK (UINT32_C(1) << 31)
#define OPTLOCK UINT32_C(1)
#define OPTSTRT UINT32_C(2)

typedef struct flash {
    uint32_t acr, sr, cr, optcr, optcr1;
    uint8_t keys, option_keys; /* right keys so far; KEYS_SPOILT after a wrong one, until reset */
} flash;

enum { KEYS_SPOILT = 3 };

static const ib_register registers[] = {{ACR, "ACR"},       {KEYR, "KEYR"}, {OPTKEYR, "OPTKEYR"},
                                        {SR, "SR"},         {CR, "CR"},     {OPTCR, "OPTCR"},
                                        {OPTCR1, "OPTCR1"}, {0, NULL}};

static const uint32_t keys[] = {0x45670123, 0xcdef89ab}, option_keys[] = {0x08192a3b, 0x4c5d6e7f};

/* Two keys in a row unlock; a wrong one locks until the next reset (3.6.1). */
static bool turn(uint8_t *have, const uint32_t *right, uint32_t key) {
    *have = *have < 2 && key == right[*have] ? (uint8_t)(*have + 1) : KEYS_SPOILT;
    return *have == 2;
}

static uint32_t read(ib_part *part, uint32_t offset) {
    const flash *s = part->state;
    switch (offset) {
    case ACR:
        return s->acr;
    case KEYR:
    case OPTKEYR:
        return 0;
    case SR:
        return s->sr;
    case CR:
        return s->cr;
    case OPTCR:
        return s->optcr;
    case OPTCR1:
        return s->optcr1;
    default:
        return ib_part_unmodelled(part, offset);
    }
}

static void write_cr(ib_part *part, uint32_t value) {
    flash *s = part->state;
    if (s->cr & LOCK) {
        ib_part_misuse(part, CR, "written while the flash is locked: ignored");
        return;
    }
    s->cr = value & (CR_BITS & ~(uint32_t)STRT);
    if (value & LOCK) {
        s->cr |= LOCK;
        s->keys = 0;
    }
    if (value & STRT) {
        ib_part_unmodelled_bits(part, CR, STRT);
        s->sr |= WRPERR | (value & ERRIE ? OPERR : 0);
        ib_part_interrupt(part, 0, (s->sr & OPERR) != 0);
    }
}

static void write_optcr(ib_part *part, uint32_t value) {
    flash *s = part->state;
    if (s->optcr & OPTLOCK)
        return;
    if (value & OPTSTRT)
        ib_part_unmodelled_bits(part, OPTCR, OPTSTRT);
    s->optcr = value & ~OPTSTRT;
    if (value & OPTLOCK)
        s->option_keys = 0;
}

static void write(ib_part *part, uint32_t offset, uint32_t value, uint32_t mask) {
    flash *s = part->state;
    switch (offset) {
    case ACR:
        s->acr = ((s->acr & ~mask) | (value & mask)) & ACR_BITS;
        break;
    case KEYR:
        if (turn(&s->keys, keys, value))
            s->cr &= ~LOCK;
        break;
    case OPTKEYR:
        if (turn(&s->option_keys, option_keys, value))
            s->optcr &= ~OPTLOCK;
        break;
    case SR:
        s->sr &= ~(value & mask & SR_CLEAR);
        ib_part_interrupt(part, 0, (s->sr & OPERR) != 0);
        break;
    case CR:
        write_cr(part, (s->cr & ~mask) | (value & mask));
        break;
    case OPTCR:
        write_optcr(part, (s->optcr & ~mask) | (value & mask));
        break;
    default:
        ib_part_unmodelled(part, offset);
    }
}

static void reset(ib_part *part) {
    flash *s = part->state;
    *s = (flash){.cr = LOCK, .optcr = 0x0fffaaed, .optcr1 = 0x0fff0000};
}

const ib_part_type ib_type_stm32_flash = {
    .name = "stm32_flash",
    .text = "flash interface",
    .window = 0x400,
    .lanes = true,
    .state_size = sizeof(flash),
    .n_irqs = 1,
    .registers = registers,
    .reset = reset,
    .read = read,
    .write = write,
};
