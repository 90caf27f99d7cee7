/* Counts the host's tick interrupts (line 54) and shows the count as a pulse. */
#include "start.h"

void line54(void) { TIM4_CCR1 = TIM4_CCR1 + 1; }

int main(void) {
    RCC_APB1ENR |= 1u << 2;
    TIM4_PSC = 15;
    TIM4_ARR = 19999;
    TIM4_CCMR1 = 6u << 4;
    TIM4_CCER = 1;
    TIM4_CCR1 = 1000;
    TIM4_EGR = 1;
    TIM4_CR1 = 1;
    NVIC_ISER1 = 1u << (54 - 32);
    for (;;)
        __asm volatile("wfi");
}
