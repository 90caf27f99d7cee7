/* Elementary functions whose bits never change.
 *
 * The C library's sin, exp, pow and so on differ by a last bit between library versions and
 * between processors with and without fused multiply-add. A simulation that must repeat exactly
 * cannot use them. These return the same 64 bits for the same argument on every machine with
 * IEEE 754 binary64 arithmetic, with any compiler and optimisation level that keeps to the C
 * standard: they are made of +, -, *, / and square root, each rounded once, and of integer
 * operations.
 *
 * Common contract:
 *   accuracy   the error is below 0.6 units in the last place (measured: test/accuracy), over the
 *              whole domain, subnormal arguments and results included; ib_fmod, ib_floor,
 *              ib_ceil, ib_trunc, ib_round are exact, ib_sqrt is correctly rounded.
 *   specials   as C17 Annex F says for signed zeros, infinities, poles and overflow. Every NaN
 *              result is the same positive quiet NaN, whatever the payload of the argument.
 *   state      none: errno is left alone, nothing is cached, any thread may call. Which
 *              floating-point exception flags are raised is not specified.
 *   requires   rounding to nearest and subnormals enabled (no flush to zero); the including
 *              program need not be compiled in any special way, fmath*.c must be compiled without
 *              -ffast-math (they refuse it) and, by compilers other than gcc and clang, without
 *              contraction to fused multiply-add.
 *
 * Angles are in radians.
 */
#ifndef IB_BASE_FMATH_H
#define IB_BASE_FMATH_H

#ifdef __cplusplus
extern "C" {
#endif

/* Sine. ib_sin(+-0) is +-0; of an infinity it is NaN. */
double ib_sin(double x);

/* Cosine. Of an infinity it is NaN. */
double ib_cos(double x);

/* Both: *sine gets exactly ib_sin(x), *cosine exactly ib_cos(x), for about the price of one. */
void ib_sincos(double x, double *sine, double *cosine);

/* Tangent. ib_tan(+-0) is +-0; of an infinity it is NaN. No double is a pole. */
double ib_tan(double x);

/* Arc sine in [-pi/2, pi/2]. NaN outside [-1, 1]; ib_asin(+-0) is +-0. */
double ib_asin(double x);

/* Arc cosine in [0, pi]. NaN outside [-1, 1]; ib_acos(1) is +0. */
double ib_acos(double x);

/* Arc tangent in [-pi/2, pi/2]. ib_atan(+-0) is +-0. */
double ib_atan(double x);

/* Angle of the point (x, y) in [-pi, pi], with the sign of y. Both zero or both infinite give the
 * multiples of pi/4 that Annex F lists; nothing but a NaN argument gives NaN. */
double ib_atan2(double y, double x);

/* Hyperbolic sine. ib_sinh(+-0) is +-0; overflows to +-inf beyond +-710.475. */
double ib_sinh(double x);

/* Hyperbolic cosine. Overflows to +inf beyond +-710.475. */
double ib_cosh(double x);

/* Hyperbolic tangent in [-1, 1]. ib_tanh(+-0) is +-0. */
double ib_tanh(double x);

/* e to the x. Overflows to +inf above 709.782, is +0 below -745.134 and subnormal just above. */
double ib_exp(double x);

/* Natural logarithm. ib_log(+-0) is -inf, of a negative number NaN, of 1 it is +0. */
double ib_log(double x);

/* x to the y. NaN for negative finite x and finite y that is not an integer; ib_pow(x, +-0) and
 * ib_pow(1, y) are 1 even for a NaN; zeros and infinities as in Annex F.9.4.4. */
double ib_pow(double x, double y);

/* sqrt(x*x + y*y) without undue overflow or underflow; +inf if either argument is infinite, even
 * if the other is NaN. */
double ib_hypot(double x, double y);

/* Square root, correctly rounded. NaN below zero; ib_sqrt(-0) is -0. */
double ib_sqrt(double x);

/* x - n*y for the integer n = x/y rounded towards zero: exact, with the sign of x (also when it is
 * zero). NaN for infinite x or zero y; x itself for infinite y. */
double ib_fmod(double x, double y);

/* Nearest integer not above, not below, and towards zero; ib_round to nearest, halves away from
 * zero. A zero result has the sign of x; infinities are returned as they are. */
double ib_floor(double x);
double ib_ceil(double x);
double ib_trunc(double x);
double ib_round(double x);

#ifdef __cplusplus
}
#endif

#endif
