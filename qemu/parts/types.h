/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one table of part types; types.c lists it for the outside. */
#ifndef IB_QEMU_TYPES_H
#define IB_QEMU_TYPES_H

#include "qemu/peripheral.h"

#define IB_PART_TYPES(X)                                                                           \
    X(stm32_rcc)                                                                                   \
    X(stm32_pwr)                                                                                   \
    X(stm32_flash)                                                                                 \
    X(stm32_gpio)                                                                                  \
    X(stm32_syscfg)                                                                                \
    X(stm32_exti)                                                                                  \
    X(stm32_spi)                                                                                   \
    X(stm32_usart)                                                                                 \
    X(stm32_i2c)                                                                                   \
    X(stm32_timer)                                                                                 \
    X(stm32_dma)                                                                                   \
    X(stm32_adc)                                                                                   \
    X(stm32_iwdg)                                                                                  \
    X(link)                                                                                        \
    X(lsm6dsl)                                                                                     \
    X(icm20948)                                                                                    \
    X(lis2mdl)                                                                                     \
    X(lps22hb)                                                                                     \
    X(ms5611)                                                                                      \
    X(ublox_ubx)                                                                                   \
    X(nmea)

#define IB_DECLARE_TYPE(name) extern const ib_part_type ib_type_##name;
IB_PART_TYPES(IB_DECLARE_TYPE)
#undef IB_DECLARE_TYPE

#endif
