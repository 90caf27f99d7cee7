/* Registers of the STM32F405 that the test firmware touches (RM0090), and what start.c gives. */
#ifndef TEST_START_H
#define TEST_START_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

#define RCC_AHB1ENR REGISTER(0x40023830u)
#define RCC_APB1ENR REGISTER(0x40023840u)
#define RCC_APB2ENR REGISTER(0x40023844u)

#define GPIO_MODER(port) REGISTER((port) + 0x00)
#define GPIO_BSRR(port) REGISTER((port) + 0x18)
#define GPIO_AFRL(port) REGISTER((port) + 0x20)

#define SPI1_CR1 REGISTER(0x40013000u)
#define SPI1_CR2 REGISTER(0x40013004u)
#define SPI1_SR REGISTER(0x40013008u)
#define SPI1_DR REGISTER(0x4001300cu)

#define I2C1_CR1 REGISTER(0x40005400u)
#define I2C1_CR2 REGISTER(0x40005404u)
#define I2C1_DR REGISTER(0x40005410u)
#define I2C1_SR1 REGISTER(0x40005414u)
#define I2C1_SR2 REGISTER(0x40005418u)
#define I2C1_CCR REGISTER(0x4000541cu)
#define I2C1_TRISE REGISTER(0x40005420u)

#define TIM4_CR1 REGISTER(0x40000800u)
#define TIM4_EGR REGISTER(0x40000814u)
#define TIM4_CCMR1 REGISTER(0x40000818u)
#define TIM4_CCER REGISTER(0x40000820u)
#define TIM4_PSC REGISTER(0x40000828u)
#define TIM4_ARR REGISTER(0x4000082cu)
#define TIM4_CCR1 REGISTER(0x40000834u)
#define TIM4_CCR2 REGISTER(0x40000838u)

#define USART2_SR REGISTER(0x40004400u)
#define USART2_DR REGISTER(0x40004404u)
#define USART2_BRR REGISTER(0x40004408u)
#define USART2_CR1 REGISTER(0x4000440cu)

/* DMA2: stream 2 receives of SPI1, stream 3 sends (channel 3). */
#define DMA2_LISR REGISTER(0x40026400u)
#define DMA2_LIFCR REGISTER(0x40026408u)
#define DMA2_STREAM(n, offset) REGISTER(0x40026410u + 0x18u * (n) + (offset))

#define GPIOA 0x40020000u
#define GPIOB 0x40020400u

#define SYSTICK_CTRL REGISTER(0xe000e010u)
#define SYSTICK_LOAD REGISTER(0xe000e014u)
#define SYSTICK_VAL REGISTER(0xe000e018u)
#define NVIC_ISER0 REGISTER(0xe000e100u)
#define NVIC_ISER1 REGISTER(0xe000e104u)
#define SCB_AIRCR REGISTER(0xe000ed0cu)

/* The program, and its handlers; those that it has not do nothing but stay there. */
int main(void);
void systick(void);
void usart2(void);
void line54(void);
void hard_fault(void);

#endif
