/* Firmware that goes wrong after three milliseconds, in the way that CASE says. */
#include "start.h"

static volatile uint32_t ticks;

void systick(void) { ticks++; }

/* Reads where no memory is: a precise bus fault, which becomes a HardFault. */
void reach_for_nothing(void);
__attribute__((noinline)) void reach_for_nothing(void) { (void)REGISTER(0xa0000000u); }

#if CASE == 5
/* A priority above HardFault's: a fault there locks the processor up. */
static void mask_all(void) { __asm volatile("cpsid f"); }
#endif

#if CASE == 2
/* A fault inside HardFault: the processor locks up. */
void hard_fault(void) {
    (void)REGISTER(0xa0000000u);
    for (;;)
        continue;
}
#endif

int main(void) {
    RCC_AHB1ENR |= 3;
    SYSTICK_LOAD = 168000 - 1;
    SYSTICK_VAL = 0;
    SYSTICK_CTRL = 7;
    while (ticks < 3)
        GPIO_BSRR(GPIOB) = 1;
#if CASE == 5
    mask_all();
#endif
#if CASE == 1 || CASE == 2 || CASE == 5
    reach_for_nothing();
#elif CASE == 3
    SCB_AIRCR = 0x05fa0004; /* resets itself, again and again */
#endif
    __asm volatile("cpsid i"); /* CASE 4: says nothing any more */
    for (;;)
        continue;
}
