/* Roots of several functions at once by the Illinois method (M. Dowell, P. Jarratt, BIT 11, 1971),
 * with bisection where that is slow. Of several functions that change, the one whose straight line
 * crosses first leads; what changes before the point tried is kept.
 */
#include "num/root.h"

#include <math.h>
#include <string.h>

static bool differs(double a, double b) { return (a > 0) != (b > 0); }

size_t ib_roots_which(const ib_roots *roots) {
    size_t i = 0;
    while (i < roots->n && !differs(roots->low[i], roots->high[i]))
        i++;
    return i;
}

bool ib_roots_changed(const ib_roots *roots) { return ib_roots_which(roots) < roots->n; }

static bool middle_changed(const ib_roots *roots) {
    for (size_t i = 0; i < roots->n; i++)
        if (differs(roots->low[i], roots->middle[i]))
            return true;
    return false;
}

/* The part of the interval at which the first straight line crosses zero; the low ends count
 * `weight` times. */
static double first_crossing(const ib_roots *roots, double weight) {
    double first = 1;
    for (size_t i = 0; i < roots->n; i++) {
        const double low = weight * roots->low[i], high = roots->high[i];
        if (!differs(low, high) || !isfinite(low) || !isfinite(high))
            continue;
        const double part = low == high ? 0.5 : low / (low - high);
        first = part < first ? part : first;
    }
    return first;
}

ib_ode_verdict ib_roots_locate(ib_roots *roots, double *a, double *b, double tolerance) {
    double weight = 1, width = *b - *a;
    int side = 0, slow = 0;
    while (*b - *a > tolerance) {
        const double span = *b - *a, least = 0.25 * tolerance / span;
        double part = slow > 2 ? 0.5 : first_crossing(roots, weight);
        part = part < least ? least : part > 1 - least ? 1 - least : part;
        const double t = *a + part * span;
        if (!(t > *a && t < *b))
            break;
        const ib_ode_verdict verdict = roots->values(roots->context, t, roots->middle);
        if (verdict != IB_ODE_GOOD)
            return verdict;
        const bool before = middle_changed(roots);
        memcpy(before ? roots->high : roots->low, roots->middle, roots->n * sizeof(double));
        *(before ? b : a) = t;
        /* An end that stays twice counts half (Illinois). */
        const int now = before ? 1 : -1;
        weight = now != side ? 1 : before ? weight / 2 : weight * 2;
        side = now;
        slow = *b - *a > 0.5 * width ? slow + 1 : 0;
        width = slow ? width : *b - *a;
    }
    return IB_ODE_GOOD;
}
