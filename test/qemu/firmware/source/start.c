/* Vectors and start-up of the test firmware, for the STM32F405. */
#include "start.h"

extern uint32_t ld_stack, ld_data, ld_data_end, ld_data_image, ld_bss, ld_bss_end;

void reset(void);
void stay(void);

void stay(void) {
    for (;;)
        continue;
}

void systick(void) __attribute__((weak, alias("stay")));
void usart2(void) __attribute__((weak, alias("stay")));
void line54(void) __attribute__((weak, alias("stay")));
void hard_fault(void) __attribute__((weak, alias("stay")));

void reset(void) {
    const uint32_t *from = &ld_data_image;
    for (uint32_t *to = &ld_data; to < &ld_data_end; to++)
        *to = *from++;
    for (uint32_t *to = &ld_bss; to < &ld_bss_end; to++)
        *to = 0;
    main();
    stay();
}

typedef union vector {
    uint32_t *stack;
    void (*handler)(void);
} vector;

__attribute__((section(".vectors"), used)) static const vector vectors[16 + 82] = {
    [0].stack = &ld_stack,
    [1].handler = reset,
    [2].handler = stay,
    [3].handler = hard_fault,
    [4 ... 14].handler = stay,
    [15].handler = systick,
    [16 ... 16 + 37].handler = stay,
    [16 + 38].handler = usart2,
    [16 + 39 ... 16 + 53].handler = stay,
    [16 + 54].handler = line54,
    [16 + 55 ... 97].handler = stay,
};
