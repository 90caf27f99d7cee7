/* Counter-based random numbers: Philox4x32-10.
 *
 * J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2,
 * 3", SC '11 (2011). A number is a function of a key and a counter, so it does not depend on who
 * asked first. The key is the seed; the counter is (sample, device, vehicle).
 *
 * The normal number is the cosine half of Box and Muller's transform (Ann. Math. Stat. 29, 1958) of
 * the block's two 64-bit words. It reaches 8.57 standard deviations. A uniform and a normal number
 * of the same sample come from the same block: use one of them.
 */
#include "base/base.h"

#define ROUNDS 10

void ib_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]) {
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t p0 = (uint64_t)c0 * UINT32_C(0xd2511f53);
        const uint64_t p1 = (uint64_t)c2 * UINT32_C(0xcd9e8d57);
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += UINT32_C(0x9e3779b9); /* the golden ratio */
        k1 += UINT32_C(0xbb67ae85); /* sqrt(3) - 1 */
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

static void sample_block(uint64_t seed, uint32_t vehicle, uint32_t device, uint64_t sample,
                         uint32_t out[4]) {
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)sample, (uint32_t)(sample >> 32), device, vehicle};
    ib_philox(key, counter, out);
}

/* The middle of one of 2^52 equal parts of (0, 1): exact, and never an end. */
static double unit_interval(uint32_t low, uint32_t high) {
    const uint64_t word = (uint64_t)high << 32 | low;
    return ((double)(word >> 12) + 0.5) * 0x1p-52;
}

double ib_random_uniform(uint64_t seed, uint32_t vehicle, uint32_t device, uint64_t sample) {
    uint32_t words[4];
    sample_block(seed, vehicle, device, sample, words);
    return unit_interval(words[0], words[1]);
}

double ib_random_normal(uint64_t seed, uint32_t vehicle, uint32_t device, uint64_t sample) {
    uint32_t words[4];
    sample_block(seed, vehicle, device, sample, words);
    const double radius = ib_sqrt(-2 * ib_log(unit_interval(words[0], words[1])));
    const double angle = 0x1.921fb54442d18p+2 * unit_interval(words[2], words[3]);
    return radius * ib_cos(angle);
}
