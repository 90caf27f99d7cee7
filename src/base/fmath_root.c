/* Square root and hypotenuse.
 *
 * The square root is the processor's, which IEEE 754 requires to be correctly rounded. hypot
 * scales the larger side to [1, 2), squares both sides as pairs (Dekker 1971) and corrects the
 * root of the leading part by one Newton step.
 */
#include "base/fmath.h"
#include "base/fmath_core.h"

double ib_sqrt(double x) {
    if (x != x || x < 0.0)
        return fm_nan();
    return fm_sqrt(x);
}

double ib_hypot(double x, double y) {
    uint64_t a = fm_abs_bits(x), b = fm_abs_bits(y);
    if (a == FM_INF_BITS || b == FM_INF_BITS)
        return fm_inf();
    if (a > FM_INF_BITS || b > FM_INF_BITS)
        return fm_nan();
    double large = fm_from_bits(a > b ? a : b), small = fm_from_bits(a > b ? b : a);
    if (small == 0.0 || large * 0x1p-60 > small) /* the smaller side no longer shows */
        return large;
    /* A subnormal larger side is taken to [2^-52, 1): no less exact, its bits are few. */
    int k = 1023 - (int)(fm_bits(large) >> 52);
    large = fm_scale(large, k);
    small = fm_scale(small, k);
    struct fm_pair square = fm_two_product(large, large), other = fm_two_product(small, small);
    struct fm_pair sum = fm_fast_two_sum(square.hi, other.hi);
    sum.lo += square.lo + other.lo;
    return fm_round_scaled(fm_pair_sqrt(sum), -k);
}
