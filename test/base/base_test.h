/* What the tests of base share: cmocka with the headers it wants before it. */
#ifndef IB_TEST_BASE_H
#define IB_TEST_BASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* The same 64 bits, so that -0 and 0 differ. */
static inline bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

#endif
