#!/usr/bin/env python3
"""Writes scipy_reference.h: values and derivatives of SciPy's pchip and not-a-knot cubic splines.

    python3 test/expr/scipy_reference.py > test/expr/scipy_reference.h      (made with SciPy 1.17.1)
"""
import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator

SETS = {
    "wiggly": ([-2.0, -1.5, -0.25, 0.0, 0.5, 1.5, 3.0, 3.125], [1.0, -2.0, 0.5, 0.75, 2.0, 2.0, -1.0, 0.0]),
    "rising": ([0.0, 0.1, 1.0, 1.5, 4.0, 4.5], [0.0, 0.5, 0.75, 3.0, 3.0, 10.0]),
    "four": ([0.0, 1.0, 1.25, 3.0], [1.0, 3.0, -1.0, 0.5]),
    "three": ([0.0, 1.0, 3.0], [1.0, 3.0, -1.0]),
    "two": ([0.5, 2.5], [1.0, -2.0]),
}
KINDS = {"PCHIP": PchipInterpolator, "CUBIC": CubicSpline}
PER_SET = 7


def numbers(values):
    return "{" + ", ".join(repr(float(v)) for v in values) + "}"


def main():
    print("/* Written by scipy_reference.py with SciPy: what pchip and cubic must be. */")
    print("static const struct {\n    ib_curve_kind kind;\n    size_t n;\n    double x[8], y[8];")
    print("    double at[%d], value[%d], slope[%d], bend[%d];" % ((PER_SET,) * 4))
    print("} scipy_curves[] = {")
    for name, (x, y) in SETS.items():
        at = x[0] + (x[-1] - x[0]) * (np.arange(PER_SET) + 0.37) / PER_SET
        for kind, make in KINDS.items():
            curve = make(np.array(x), np.array(y))
            print("    /* %s */" % name)
            print("    {IB_CURVE_%s, %d, %s, %s," % (kind, len(x), numbers(x), numbers(y)))
            print("     " + ", ".join([numbers(at)] + [numbers(curve(at, nu=n)) for n in range(3)]) + "},")
    print("};")


main()
