/* Integer time: conversion between nanoseconds and seconds, each rounded once.
 *
 * Both ways go through 128-bit integers: a product or quotient in floating point would round
 * twice and could name the neighbouring nanosecond.
 */
#include "base/base.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

#define LARGEST_SECONDS 9.2e9

bool ib_time_from_seconds(double seconds, ib_time *time) {
    if (!(seconds >= -LARGEST_SECONDS && seconds <= LARGEST_SECONDS))
        return false;
    /* |seconds| = mantissa * 2^exponent. */
    uint64_t bits;
    memcpy(&bits, &seconds, sizeof bits);
    const bool negative = bits >> 63;
    const int field = (int)(bits >> 52 & 0x7ff);
    const uint64_t fraction = bits & (UINT64_MAX >> 12);
    const uint64_t mantissa = field ? fraction | UINT64_C(1) << 52 : fraction;
    const int exponent = (field ? field : 1) - 1075;

    /* The limit keeps the exponent below -18, so there is always something to shift out. */
    const wide product = (wide)mantissa * (uint64_t)IB_SECOND;
    const int shift = -exponent;
    const uint64_t count =
        shift > 100 ? 0 : (uint64_t)((product + ((wide)1 << (shift - 1))) >> shift);
    *time = negative ? -(ib_time)count : (ib_time)count;
    return true;
}

/* t / 10^9 for t >= 2^53, rounded once: a quotient of at least 55 bits whose last bit also stands
 * for everything below it. */
static double large_seconds(uint64_t t) {
    const int shift = t < UINT64_C(1) << 60 ? 32 : 28;
    const wide scaled = (wide)t << shift;
    const uint64_t quotient = (uint64_t)(scaled / (uint64_t)IB_SECOND);
    const uint64_t sticky = scaled % (uint64_t)IB_SECOND != 0;
    return (double)(int64_t)(quotient | sticky) / (double)(INT64_C(1) << shift);
}

double ib_time_seconds(ib_time time) {
    const uint64_t size = time < 0 ? 0 - (uint64_t)time : (uint64_t)time;
    if (size <= UINT64_C(1) << 53)
        return (double)time / 1e9;
    return time < 0 ? -large_seconds(size) : large_seconds(size);
}
