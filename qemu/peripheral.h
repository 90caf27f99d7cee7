/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of a board: a microcontroller's peripherals and the chips around it.
 *
 * A *part* is a peripheral, which has a window of registers in the address space, or a chip, which
 * is reached through one. A *hub* holds the parts of one board, the lines between them and their
 * timers, and is all that the outside sees: it hands accesses of the processor to the hub and gives
 * the hub its *host services* (time, alarm, interrupt lines, memory). The host is an emulator or a
 * test; nothing here knows which.
 *
 * Building (may allocate, may fail):
 *     ib_hub_create, ib_hub_add for each part, ib_hub_option / _sample / _mount / _irq,
 * ib_hub_attach of chips to buses, ib_hub_connect of lines, ib_hub_start. Running (allocates
 * nothing, cannot fail): ib_hub_read / _write for accesses, ib_hub_expire when the alarm is due.
 *
 * Time is virtual, in integer nanoseconds, and comes from the host alone. Whatever is due is done
 * at its own time before an access is answered, in the order (time, part, timer): what the guest
 * sees depends on when it looks and on nothing else.
 */
#ifndef IB_QEMU_PERIPHERAL_H
#define IB_QEMU_PERIPHERAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qemu/wire/sample.h"

typedef struct ib_hub ib_hub;
typedef struct ib_part ib_part;
typedef struct ib_part_type ib_part_type;

#define IB_NEVER INT64_MAX

/* ---- what the host gives ------------------------------------------------------------------- */

typedef enum ib_note {
    IB_NOTE_UNMODELLED, /* a register or bits nobody modelled: once each; an error when strict */
    IB_NOTE_MISUSE,     /* the firmware does what the manual forbids: once each */
    IB_NOTE_EVENT       /* worth a line: a watchdog bites, a clock is switched */
} ib_note;

/* One access to a register, for traces. */
typedef struct ib_access {
    int64_t time;
    const char *part; /* name on the board */
    const char *reg;  /* register's name, "?" where the manual has none */
    uint32_t address; /* of the access */
    uint32_t value;   /* read or written */
    unsigned size;    /* bytes */
    bool write;
} ib_access;

typedef struct ib_host {
    void *context; /* first argument of all of these */
    int64_t (*now)(void *context);
    /* Call ib_hub_expire at `when` (never before, as soon as possible after), once; replaces the
     * alarm set before; IB_NEVER: none. */
    void (*alarm)(void *context, int64_t when);
    /* Interrupt request line of the processor, called on changes only. */
    void (*interrupt)(void *context, int irq, bool level);
    /* Guest memory outside the parts' windows, for DMA. False: nothing is there. */
    bool (*memory_read)(void *context, uint32_t address, void *to, uint32_t size);
    bool (*memory_write)(void *context, uint32_t address, const void *from, uint32_t size);
    /* The part wants the processor reset. The host resets it and calls ib_hub_reset, then or later.
     */
    void (*system_reset)(void *context, const char *part);
    void (*note)(void *context, ib_note kind, const char *part, const char *text);
    void (*trace)(void *context, const ib_access *access);    /* may be NULL */
    void (*link_byte)(void *context, int link, uint8_t byte); /* guest -> link; may be NULL */
} ib_host;

/* ---- a board ------------------------------------------------------------------------------- */

/* At most `most` parts. The host's structure is copied. NULL when out of memory. */
ib_hub *ib_hub_create(const ib_host *host, int most);
void ib_hub_destroy(ib_hub *hub);

/* The one table of part types; NULL past its end. */
const ib_part_type *ib_part_type_at(int index);
const ib_part_type *ib_part_type_named(const char *name);

/* Adds a part; base: of its window, 0 for chips. Its number, or -1: no room or memory, no such
 * type, or its window overlaps another part's. */
int ib_hub_add(ib_hub *hub, const char *type, const char *name, uint32_t base);
/* The same with a type that is not in the table. It must outlive the hub. */
int ib_hub_add_type(ib_hub *hub, const ib_part_type *type, const char *name, uint32_t base);
/* False: the type has no such option, or it may not be that. */
bool ib_hub_option(ib_hub *hub, int part, const char *option, double value);
/* Interrupt number of the part's request line k (0 ...). */
bool ib_hub_irq(ib_hub *hub, int part, int k, int irq);
/* Where a chip takes its values: slot 0 ... of its type's samples. The sample must outlive the hub.
 */
bool ib_hub_sample(ib_hub *hub, int part, int slot, const ib_sample *sample);
/* How a chip sits in the body: its axes = rows * body axes (row-major; identity at first). */
void ib_hub_mount(ib_hub *hub, int part, const double chip_from_body[9]);
/* Puts a chip (or link) on a bus peripheral: SPI, I2C or UART. False: that cannot be. */
bool ib_hub_attach(ib_hub *hub, int chip, int bus);
/* Joins an output of a part to an input of another, by the names that their types give ("4" for pin
 * 4 of a GPIO port, "select", "int1", ...). False: no such name, or no room. */
bool ib_hub_connect(ib_hub *hub, int from, const char *output, int to, const char *input);
/* Joins GPIO ports to SYSCFG and that to EXTI, and resets every part: power is on. */
void ib_hub_start(ib_hub *hub);

int ib_hub_find(const ib_hub *hub, const char *name); /* -1: none */
ib_part *ib_hub_part(ib_hub *hub, int part);

/* ---- running ------------------------------------------------------------------------------- */

/* Whether an access at that address belongs to a part, and to which; -1: no. */
int ib_hub_at(const ib_hub *hub, uint32_t address);
/* Size 1, 2 or 4, at an address inside a window; naturally aligned or the low bits are dropped. */
uint32_t ib_hub_read(ib_hub *hub, uint32_t address, unsigned size);
void ib_hub_write(ib_hub *hub, uint32_t address, unsigned size, uint32_t value);
/* The alarm is due: does what is to be done up to now. Early or double calls do no harm. */
void ib_hub_expire(ib_hub *hub);
/* The processor was reset: so are the peripherals; chips keep their state, as on a board. */
void ib_hub_reset(ib_hub *hub);
/* Drives an input line of a part from outside (a switch, a receiver). */
typedef enum ib_level { IB_LOW, IB_HIGH, IB_OPEN } ib_level;
bool ib_hub_drive(ib_hub *hub, int part, const char *input, ib_level level);
/* Volts at an analogue input (channel 0 ... 15 of an ADC). */
bool ib_hub_analog(ib_hub *hub, int part, int channel, double volts);
/* Bytes from outside for a link: how many were taken (the rest: later, its buffer is full). */
size_t ib_hub_link_input(ib_hub *hub, int part, const uint8_t *bytes, size_t n);

/* What a timer's channel puts out. */
typedef struct ib_pulse {
    bool running;  /* enabled as PWM output and counting */
    double width;  /* of the active level, us */
    double period; /* us */
} ib_pulse;
/* Channel 1 ... 4 of a timer. False: the part has no such channel. */
bool ib_hub_pulse(ib_hub *hub, int part, int channel, ib_pulse *pulse);

/* The clock tree as RCC has set it, Hz. Without an RCC part: 16 MHz everywhere. */
typedef struct ib_clocks {
    uint32_t sysclk, hclk, pclk1, pclk2, timer1, timer2; /* timerN: of timers on APBn */
} ib_clocks;
ib_clocks ib_hub_clocks(const ib_hub *hub);

/* ---- for those who write parts -------------------------------------------------------------- */

typedef struct ib_register {
    uint16_t offset;
    const char *name;
} ib_register;

typedef struct ib_option {
    const char *name, *text; /* text: meaning with unit */
    double normal, lowest, highest;
} ib_option;

enum { IB_OPTIONS_MOST = 4, IB_TIMERS_MOST = 10, IB_IRQS_MOST = 8, IB_SAMPLES_MOST = 2 };

/* What peripherals ask of DMA; one level each. */
typedef enum ib_request {
    IB_REQUEST_RX,
    IB_REQUEST_TX,
    IB_REQUEST_UPDATE,
    IB_REQUEST_CH1,
    IB_REQUEST_CH2,
    IB_REQUEST_CH3,
    IB_REQUEST_CH4,
    IB_REQUEST_TRIGGER,
    IB_REQUEST_ADC1,
    IB_REQUEST_ADC2,
    IB_REQUEST_ADC3,
    IB_REQUEST_COUNT
} ib_request;

/* A chip on SPI. select: chip select falls (true) or rises; exchange: a byte while it is low. */
typedef struct ib_spi_chip {
    void (*select)(ib_part *chip, bool selected);
    uint8_t (*exchange)(ib_part *chip, uint8_t out);
} ib_spi_chip;

/* A chip on I2C: start answers for its own address alone (true: acknowledged); write answers
 * whether the byte is acknowledged; stop also comes before a repeated start for another chip. */
typedef struct ib_i2c_chip {
    bool (*start)(ib_part *chip, uint8_t address, bool read);
    bool (*write)(ib_part *chip, uint8_t byte);
    uint8_t (*read)(ib_part *chip);
    void (*stop)(ib_part *chip);
} ib_i2c_chip;

/* Either end of an asynchronous line. receive: a character whose bits last bit_ns (0: as long as
 * they should); a UART is called when it begins and takes its time itself, a chip or link when it
 * is complete. frame: how long a character of this end takes, ns; 0: it is off. */
typedef struct ib_uart_end {
    void (*receive)(ib_part *part, uint8_t byte, int64_t bit_ns);
    int64_t (*frame)(const ib_part *part);
} ib_uart_end;

struct ib_part_type {
    const char *name, *text;
    uint32_t window; /* bytes of address space; 0: a chip */
    bool lanes; /* narrow writes touch their own bytes alone (AHB); false: the value is repeated
                   over the word (APB) */
    size_t state_size; /* zeroed when the part is added */
    int n_timers, n_irqs;
    const char *const *inputs, *const *outputs; /* names, ended by NULL; NULL: none */
    const ib_register *registers;               /* by offset, ended by a NULL name; for notes */
    const ib_option *options;                   /* ended by a NULL name; NULL: none */
    ib_sample_kind samples[IB_SAMPLES_MOST];

    void (*reset)(ib_part *part);
    /* Word-aligned offsets. mask: the bits that the access reaches. */
    uint32_t (*read)(ib_part *part, uint32_t offset);
    void (*write)(ib_part *part, uint32_t offset, uint32_t value, uint32_t mask);
    void (*expire)(ib_part *part, int timer);
    void (*input)(ib_part *part, int line, ib_level level);
    void (*clocks)(ib_part *part); /* the clock tree has changed */
    bool (*serve)(ib_part *part);  /* a DMA controller: moves one item; false: none */
    /* DMA has moved an item for this request; `left` are still to come in its block. */
    void (*served)(ib_part *part, ib_request what, uint32_t left);
    bool (*pulse)(ib_part *part, int channel, ib_pulse *pulse);
    bool (*analog)(ib_part *part, int channel, double volts);
    size_t (*link)(ib_part *part, const uint8_t *bytes, size_t n);
    bool is_spi_bus, is_i2c_bus;
    const ib_spi_chip *spi; /* of chips */
    const ib_i2c_chip *i2c;
    const ib_uart_end *uart; /* of chips, links and UARTs */
};

enum { IB_BUS_CHIPS_MOST = 8 };

struct ib_part {
    const ib_part_type *type;
    ib_hub *hub;
    void *state;
    char name[32];
    int index;
    uint32_t base;
    double option[IB_OPTIONS_MOST];
    const ib_sample *sample[IB_SAMPLES_MOST]; /* NULL: none given */
    double chip_from_body[9];
    uint32_t requests; /* of DMA, a bit each */
    bool unclocked;    /* RCC keeps its clock off: registers read zero, take nothing */
    ib_part *bus;      /* of a chip */
    ib_part *chips[IB_BUS_CHIPS_MOST]; /* of a bus */
    int n_chips;
};

/* Virtual time of what is being done: the access, or the moment a timer was set for. */
int64_t ib_part_now(const ib_part *part);
void ib_part_timer(ib_part *part, int timer, int64_t when); /* IB_NEVER: cancel */
int64_t ib_part_timer_due(const ib_part *part, int timer);
void ib_part_interrupt(ib_part *part, int k, bool level);
void ib_part_output(ib_part *part, int line, ib_level level);
ib_level ib_part_input_level(const ib_part *part, int line);
void ib_part_request(ib_part *part, ib_request what, bool level);
void ib_part_wake_dma(ib_part *part); /* a controller: it may serve now what it did not before */
/* Of the bus that the part's window lies on, and of timers there, Hz. */
uint32_t ib_part_clock(const ib_part *part);
uint32_t ib_part_timer_clock(const ib_part *part);
/* Every part is told. */
void ib_part_set_clocks(ib_part *part, const ib_clocks *clocks);
/* Resets the peripheral that begins at that address, or switches its clock, if the board has it. */
void ib_part_reset_at(ib_part *part, uint32_t base);
void ib_part_clock_at(ib_part *part, uint32_t base, bool on);
/* The peripheral whose window an address is in; NULL: none. */
ib_part *ib_part_at(const ib_part *part, uint32_t address);
/* Bus master: registers of parts or guest memory. False: nothing is there. */
bool ib_part_bus_read(ib_part *part, uint32_t address, unsigned size, uint32_t *value);
bool ib_part_bus_write(ib_part *part, uint32_t address, unsigned size, uint32_t value);

/* A bus peripheral speaks to its chips. exchange: all ones where nobody is selected. */
uint8_t ib_part_spi_exchange(ib_part *bus, uint8_t out);
/* The chip that acknowledges, NULL: none. */
ib_part *ib_part_i2c_start(ib_part *bus, uint8_t address, bool read);
/* A character: of a USART to its chips, when it has left; of a chip to its USART, when it begins.
 */
void ib_part_uart_send(ib_part *from, uint8_t byte, int64_t bit_ns);

/* Notes, once for each register (and set of bits) of the part. */
uint32_t ib_part_unmodelled(ib_part *part,
                            uint32_t offset); /* returns 0, what such a register reads */
void ib_part_unmodelled_bits(ib_part *part, uint32_t offset, uint32_t bits);
void ib_part_lacks(ib_part *part, uint32_t offset,
                   const char *what); /* "CR1: <what> is not modelled" */
void ib_part_misuse(ib_part *part, uint32_t offset, const char *text);
void ib_part_event(ib_part *part, const char *text);
void ib_part_system_reset(ib_part *part);
const char *ib_part_register_name(const ib_part *part, uint32_t offset); /* "?": none */

/* Values of a chip's sample in its own axes; zero while there is none. */
void ib_part_axes(const ib_part *part, const double body[3], double chip[3]);
/* value / unit, rounded half away from zero, kept within lowest ... highest. */
int32_t ib_part_counts(double value, double unit, int32_t lowest, int32_t highest);
/* Nanoseconds that n cycles of a clock last, rounded; 0 Hz: IB_NEVER. */
int64_t ib_cycles_ns(uint64_t n, uint32_t hz);

#endif
