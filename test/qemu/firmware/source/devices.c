/* Drives what a small autopilot does: every millisecond of SysTick it reads the IMU over SPI, by
 * polling and by DMA in turn, and the barometer over I2C; it writes pulses and reports over the
 * UART, and echoes what it hears there. Sums of what it reads go into the pulses, so that they show
 * whether the bytes arrived.
 *
 * A report is 'R', a sequence number, and six bytes of the accelerometer as read; 'B' and three
 * bytes of pressure; 'I' at first, with the identities of both chips.
 */
#include "start.h"

enum { IMU_WHO = 0x0f, IMU_CTRL1 = 0x10, IMU_CTRL2 = 0x11, IMU_CTRL3 = 0x12, IMU_OUT = 0x28 };
enum { BARO_ADDRESS = 0x5d, BARO_WHO = 0x0f, BARO_CTRL1 = 0x10, BARO_OUT = 0x28 };

static volatile uint32_t ticks;

void systick(void) { ticks++; }

/* ---- the serial line ---- */

static volatile uint8_t heard[256];
static volatile uint8_t heard_head;
static uint8_t heard_tail;

void usart2(void) {
    if (USART2_SR & 1u << 5)
        heard[heard_head++] = (uint8_t)USART2_DR;
}

static void say(uint8_t byte) {
    while (!(USART2_SR & 1u << 7))
        continue;
    USART2_DR = byte;
}

static void say_all(const uint8_t *bytes, int n) {
    for (int i = 0; i < n; i++)
        say(bytes[i]);
}

/* ---- the IMU: chip select on PA4 ---- */

static void select(int on) { GPIO_BSRR(GPIOA) = on ? 1u << (4 + 16) : 1u << 4; }

static uint8_t exchange(uint8_t out) {
    while (!(SPI1_SR & 2))
        continue;
    SPI1_DR = out;
    while (!(SPI1_SR & 1))
        continue;
    return (uint8_t)SPI1_DR;
}

static void imu_write(uint8_t reg, uint8_t value) {
    select(1);
    exchange(reg);
    exchange(value);
    select(0);
}

static void imu_read(uint8_t reg, uint8_t *bytes, int n) {
    select(1);
    exchange(reg | 0x80);
    for (int i = 0; i < n; i++)
        bytes[i] = exchange(0);
    select(0);
}

/* The same by DMA2, streams 2 and 3, channel 3. */
static void imu_read_dma(uint8_t reg, uint8_t *bytes, uint32_t n) {
    static uint8_t in[16], out[16];
    out[0] = reg | 0x80;
    DMA2_LIFCR = 0x3fu << 16 | 0x3fu << 22;
    DMA2_STREAM(2u, 4) = DMA2_STREAM(3u, 4) = n + 1;
    DMA2_STREAM(2u, 8) = DMA2_STREAM(3u, 8) = (uint32_t)&SPI1_DR;
    DMA2_STREAM(2u, 12) = (uint32_t)in;
    DMA2_STREAM(3u, 12) = (uint32_t)out;
    select(1);
    SPI1_CR2 = 3;
    DMA2_STREAM(2u, 0) = 3u << 25 | 1u << 10 | 1;
    DMA2_STREAM(3u, 0) = 3u << 25 | 1u << 10 | 1u << 6 | 1;
    while (!(DMA2_LISR & 1u << 21))
        continue;
    while (SPI1_SR & 1u << 7)
        continue;
    select(0);
    SPI1_CR2 = 0;
    DMA2_STREAM(2u, 0) = DMA2_STREAM(3u, 0) = 0;
    for (uint32_t i = 0; i < n; i++)
        bytes[i] = in[i + 1];
}

/* ---- the barometer ---- */

static void i2c_address(uint8_t byte) {
    while (!(I2C1_SR1 & 1))
        continue;
    I2C1_DR = byte;
    while (!(I2C1_SR1 & 2))
        continue;
}

static void i2c_begin(uint8_t reg) {
    I2C1_CR1 = 1 | 1u << 10 | 1u << 8;
    i2c_address(BARO_ADDRESS << 1);
    (void)I2C1_SR2;
    I2C1_DR = reg;
    while (!(I2C1_SR1 & 4))
        continue;
}

static void baro_write(uint8_t reg, uint8_t value) {
    i2c_begin(reg);
    I2C1_DR = value;
    while (!(I2C1_SR1 & 4))
        continue;
    I2C1_CR1 = 1 | 1u << 9;
    while (I2C1_SR2 & 2)
        continue;
}

/* One byte, the way the manual has it: NACK before ADDR is cleared, STOP after. */
static uint8_t baro_read(uint8_t reg) {
    i2c_begin(reg);
    I2C1_CR1 = 1 | 1u << 8;
    i2c_address(BARO_ADDRESS << 1 | 1);
    (void)I2C1_SR2;
    I2C1_CR1 = 1 | 1u << 9;
    while (!(I2C1_SR1 & 1u << 6))
        continue;
    return (uint8_t)I2C1_DR;
}

/* ---- start ---- */

static void begin(void) {
    RCC_AHB1ENR |= 3 | 1u << 22;
    RCC_APB1ENR |= 1u << 2 | 1u << 17 | 1u << 21;
    RCC_APB2ENR |= 1u << 12;
    GPIO_BSRR(GPIOA) = 1u << 4;
    GPIO_MODER(GPIOA) = 0xa8000000u | 1u << 8 | 2u << 10 | 2u << 12 | 2u << 14 | 2u << 4 | 2u << 6;
    SPI1_CR1 = 1u << 2 | 1u << 9 | 1u << 8 | 1u << 6 | 1 | 2; /* 8 MHz, mode 3 */
    I2C1_CR2 = 16;
    I2C1_CCR = 1u << 15 | 14; /* 400 kHz */
    I2C1_TRISE = 6;
    I2C1_CR1 = 1;
    TIM4_PSC = 15; /* 1 MHz */
    TIM4_ARR = 2499;
    TIM4_CCMR1 = 6u << 4 | 1u << 3 | 6u << 12 | 1u << 11;
    TIM4_CCER = 1 | 1u << 4;
    TIM4_CCR1 = TIM4_CCR2 = 1000;
    TIM4_EGR = 1;
    TIM4_CR1 = 1u << 7 | 1;
    USART2_BRR = 16000000 / 921600;
    USART2_CR1 = 1u << 13 | 1u << 5 | 1u << 3 | 1u << 2;
    NVIC_ISER1 = 1u << (38 - 32);
    SYSTICK_LOAD = 168000 - 1;
    SYSTICK_VAL = 0;
    SYSTICK_CTRL = 7;
}

static void report(uint32_t now) {
    uint8_t acceleration[6], pressure[3];
    if (now & 1)
        imu_read(IMU_OUT, acceleration, 6);
    else
        imu_read_dma(IMU_OUT, acceleration, 6);
    for (uint8_t i = 0; i < 3; i++)
        pressure[i] = baro_read(BARO_OUT + i);
    const int16_t z = (int16_t)(acceleration[4] | acceleration[5] << 8);
    TIM4_CCR1 = (uint32_t)(1500 + z / 64);
    TIM4_CCR2 = 1000u + pressure[1];
    say('R');
    say((uint8_t)now);
    say_all(acceleration, 6);
    say('B');
    say_all(pressure, 3);
}

int main(void) {
    begin();
    uint8_t who[2];
    imu_read(IMU_WHO, &who[0], 1);
    who[1] = baro_read(BARO_WHO);
    imu_write(IMU_CTRL3, 0x44);
    imu_write(IMU_CTRL1, 0x80); /* 1.66 kHz, 2 g */
    imu_write(IMU_CTRL2, 0x80);
    baro_write(BARO_CTRL1, 0x52); /* 75 Hz, block update */
    say('I');
    say_all(who, 2);
    for (uint32_t last = 0;;) {
        __asm volatile("wfi");
        while (heard_tail != heard_head)
            say(heard[heard_tail++]);
        if (ticks != last && ticks % 5 == 0)
            report(last = ticks);
        GPIO_BSRR(GPIOB) = ticks & 64 ? 1 : 1u << 16;
    }
}
