/* The floating-point environment that results are computed in: round to nearest, subnormals kept.
 *
 * A host built with fast-math turns on flush-to-zero for its whole thread, and a caller may have
 * changed the rounding; either would change bits (numerics.md, "Bits"). Entry points enter and
 * leave.
 */
#include "base/base.h"

#if defined(__SSE2__)
#include <xmmintrin.h>

ib_floating ib_floating_enter(void) {
    const ib_floating before = _mm_getcsr();
    _mm_setcsr(0x1f80); /* all exceptions masked, nearest, no flush-to-zero */
    return before;
}

void ib_floating_leave(ib_floating before) { _mm_setcsr(before); }

#else
#include <fenv.h>

ib_floating ib_floating_enter(void) {
    const ib_floating before = (ib_floating)fegetround();
    fesetround(FE_TONEAREST);
    return before;
}

void ib_floating_leave(ib_floating before) { fesetround((int)before); }
#endif
