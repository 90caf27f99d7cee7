/* Reduction of large angles, and of angles very near a multiple of pi/2, modulo pi/2.
 *
 * M. Payne & R. Hanek, "Radian reduction for trigonometric functions", SIGNUM Newsletter 18
 * (1983). x = m 2^e with an integer m. Of the binary places of 2/pi those above weight 2^(2-e)
 * contribute multiples of 4 to x 2/pi and are left out; the next 192 are multiplied by m modulo
 * 2^192 in integer arithmetic. The top two bits of the product are the quadrant, the other 190 the
 * fraction, wrong by less than 2^-137. No double comes nearer to a multiple of pi/2 than 2^-62 of
 * a quadrant (Kahan's search; J.-M. Muller, "Elementary Functions", 11.3), so that 75 bits of the
 * fraction are always right.
 */
#include "base/fmath_reduce.h"

/* 192 bits, most significant word first. */
struct wide {
    uint64_t w[3];
};

/* Word number i of the binary places of 2/pi from number `place` (>= 0) of the table on. */
static uint64_t two_over_pi_word(int place, int i) {
    int word = place / 64 + i, shift = place % 64;
    uint64_t head = ib_fm_two_over_pi[word] << shift;
    return shift == 0 ? head : head | ib_fm_two_over_pi[word + 1] >> (64 - shift);
}

/* The upper and lower half of a * b, from 32-bit digits. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *low) {
    uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
    uint64_t middle = a1 * b0 + ((a0 * b0) >> 32);
    uint64_t carry = a0 * b1 + (middle & 0xffffffff);
    *low = a * b;
    return a1 * b1 + (middle >> 32) + (carry >> 32);
}

/* m times the window of 2/pi at `place`, modulo 2^192. */
static struct wide multiply_window(uint64_t m, int place) {
    struct wide p;
    uint64_t low, high2 = multiply(m, two_over_pi_word(place, 2), &p.w[2]);
    uint64_t high1 = multiply(m, two_over_pi_word(place, 1), &low);
    p.w[1] = low + high2;
    high1 += p.w[1] < low;
    p.w[0] = m * two_over_pi_word(place, 0) + high1;
    return p;
}

static struct wide negate(struct wide a) {
    struct wide n;
    n.w[2] = ~a.w[2] + 1;
    n.w[1] = ~a.w[1] + (n.w[2] == 0);
    n.w[0] = ~a.w[0] + (n.w[2] == 0 && n.w[1] == 0);
    return n;
}

/* a * 2^bits, bits in 0..191. */
static struct wide shift_left(struct wide a, int bits) {
    for (; bits >= 64; bits -= 64)
        a = (struct wide){{a.w[1], a.w[2], 0}};
    if (bits == 0)
        return a;
    return (struct wide){{a.w[0] << bits | a.w[1] >> (64 - bits),
                          a.w[1] << bits | a.w[2] >> (64 - bits), a.w[2] << bits}};
}

static int leading_zeros(struct wide a) {
    int n = 0;
    for (int i = 0; i < 3; i++) {
        for (uint64_t bit = UINT64_C(1) << 63; bit != 0; bit >>= 1, n++)
            if (a.w[i] & bit)
                return n;
    }
    return n;
}

/* a * 2^-192 as a pair: the 53 leading bits and the 53 after them. */
static struct fm_pair to_pair(struct wide a) {
    int zeros = leading_zeros(a);
    if (zeros >= 192)
        return (struct fm_pair){0.0, 0.0};
    struct wide n = shift_left(a, zeros);
    uint64_t first = n.w[0] >> 11;
    uint64_t second = (n.w[0] & 0x7ff) << 42 | n.w[1] >> 22;
    double scale = fm_power_of_two(-53 - zeros);
    return (struct fm_pair){(double)first * scale, (double)second * scale * 0x1p-53};
}

struct fm_angle ib_fm_reduce_exactly(double x) {
    uint64_t bits = fm_bits(x);
    uint64_t m = (bits & FM_MANTISSA_BITS) | (UINT64_C(1) << 52);
    int e = (int)(bits >> 52) - 1075;
    /* Place j weighs 2^(-1-j): the first that does not give multiples of 4 is e - 2. The table
     * starts 64 places earlier. */
    struct wide p = multiply_window(m, e - 2 + 64);
    unsigned quadrant = (unsigned)(p.w[0] >> 62);
    struct wide fraction = shift_left(p, 2);
    uint64_t sign = fraction.w[0] & FM_SIGN_BIT; /* above one half: count back from the next */
    if (sign) {
        fraction = negate(fraction);
        quadrant++;
    }
    struct fm_pair half_pi = {FM_PI_2_HI, FM_PI_2_LO};
    struct fm_pair y = fm_pair_product(to_pair(fraction), half_pi);
    return (struct fm_angle){{fm_flip(y.hi, sign), fm_flip(y.lo, sign)}, quadrant};
}
