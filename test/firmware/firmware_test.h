/* What the tests of firmware share: a board like the one that the images are made for. */
#ifndef IB_TEST_FIRMWARE_H
#define IB_TEST_FIRMWARE_H

#include "firmware/firmware.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define IMAGE(name) IB_TEST_SOURCE "/test/qemu/firmware/images/" name ".elf"
#define PLUGIN IB_TEST_BUILD "/ironbird-qemu.so"
#define MILLISECOND (IB_SECOND / 1000)
#define SKIPPED 77 /* CTest's code for a test that cannot be here */

enum { IMU = 0, BARO = 1, TELEMETRY = 0 };

static const char board_text[] = "part rcc stm32_rcc 0x40023800\n"
                                 "part gpioa stm32_gpio 0x40020000\n"
                                 "part gpiob stm32_gpio 0x40020400\n"
                                 "part spi1 stm32_spi 0x40013000\n"
                                 "irq spi1 0 35\n"
                                 "part i2c1 stm32_i2c 0x40005400\n"
                                 "irq i2c1 0 31\n"
                                 "irq i2c1 1 32\n"
                                 "part tim4 stm32_timer 0x40000800\n"
                                 "irq tim4 0 30\n"
                                 "part usart2 stm32_usart 0x40004400\n"
                                 "irq usart2 0 38\n"
                                 "part dma2 stm32_dma 0x40026400\n"
                                 "part imu lsm6dsl 0\n"
                                 "attach imu spi1\n"
                                 "connect gpioa 4 imu select\n"
                                 "sample imu 0 0\n"
                                 "part baro lps22hb 0\n"
                                 "option baro address 0x5d\n"
                                 "attach baro i2c1\n"
                                 "sample baro 0 1\n"
                                 "part telemetry link 0\n"
                                 "attach telemetry usart2\n"
                                 "link telemetry\n"
                                 "pulse tim4 1\n"
                                 "pulse tim4 2\n"
                                 "tick 54\n"
                                 "rest\n";

static inline ib_board test_board(void) {
    return (ib_board){"test", ib_machine_named("netduinoplus2"), 5, board_text};
}

/* The text of the first error. */
static inline const char *first_error(const ib_diags *diags) {
    for (size_t i = 0; i < ib_diags_count(diags); i++)
        if (ib_diags_at(diags, i)->severity == IB_ERROR)
            return ib_diags_at(diags, i)->message;
    return "(nothing)";
}

static inline const char *first_id(const ib_diags *diags) {
    return ib_diags_count(diags) ? ib_diags_at(diags, 0)->id : "(nothing)";
}

/* Long patience: the machine may be busy with other things. */
static inline ib_firmware_options test_options(void) {
    return (ib_firmware_options){.vehicle = "quad", .plugin = PLUGIN, .patience = 120};
}

/* Opens the image on the test's board; fails the test when it cannot be. */
static inline ib_firmware *open_image(const char *image, const ib_firmware_options *options) {
    const ib_board board = test_board();
    ib_diags *diags = ib_diags_create();
    ib_firmware *firmware = NULL;
    if (ib_firmware_open(&board, image, options, diags, &firmware) != IB_OK)
        fail_msg("%s", first_error(diags));
    ib_diags_destroy(diags);
    return firmware;
}

static inline void must_contain(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("'%s' lacks '%s'", text, part);
}

#endif
