#!/usr/bin/env python3
"""Writes scipy_table_reference.h: SciPy's values on grids of 2 to 4 arguments, and their derivatives.

    python3 test/expr/scipy_table_reference.py > test/expr/scipy_table_reference.h  (SciPy 1.17.1)

Values are the tensor product of not-a-knot cubics, differentiated by SciPy along each argument.
"""
import numpy as np
from scipy.interpolate import NdBSpline, RegularGridInterpolator, make_interp_spline
from scipy.sparse.linalg import spsolve

AXES = [[-2.0, -1.0, 0.5, 1.0, 3.0], [-1.5, -1.0, 0.0, 2.0, 2.5], [-1.0, 0.25, 0.5, 1.5],
        [-2.0, 0.0, 0.125, 1.0]]
PER_TABLE = 4


def numbers(values):
    return "{" + ", ".join(repr(float(v)) for v in np.ravel(values)) + "}"


def tensor_spline(axes, values):
    """One spline along each axis in turn, over the coefficients of the one before."""
    knots, coefficients = [], values
    for k, axis in enumerate(axes):
        spline = make_interp_spline(axis, np.moveaxis(coefficients, k, 0), k=3)
        knots.append(spline.t)
        coefficients = np.moveaxis(spline.c, 0, k)
    return NdBSpline(tuple(knots), coefficients, 3)


def main():
    random = np.random.default_rng(5)
    print("/* Written by scipy_table_reference.py with SciPy: what tables must be. */")
    print("static const struct {\n    ib_table_kind kind;\n    unsigned n_arguments;")
    print("    size_t sizes[4];\n    double axes[4][5], values[5 * 5 * 4 * 4];")
    print("    double at[%d][4], value[%d];" % (PER_TABLE, PER_TABLE))
    print("    double slopes[%d][4], bend[%d]; /* cubic: first ones, and that along the first and\n"
          "                                      the last argument */" % (PER_TABLE, PER_TABLE))
    print("} scipy_tables[] = {")
    for n in (2, 3, 4):
        axes = AXES[:n]
        sizes = [len(a) for a in axes]
        values = np.round(random.uniform(-2, 2, sizes), 3)
        low, high = np.array([a[0] for a in axes]), np.array([a[-1] for a in axes])
        at = low + (high - low) * random.uniform(0, 1, (PER_TABLE, n))
        spline = tensor_spline(axes, values)
        cubic = spline(at)
        other = RegularGridInterpolator(axes, values, method="cubic", solver=spsolve)(at)
        assert np.allclose(cubic, other, atol=1e-12)
        slopes = [spline(at, nu=[int(i == k) for i in range(n)]) for k in range(n)]
        bend = spline(at, nu=[int(i in (0, n - 1)) for i in range(n)])
        linear = RegularGridInterpolator(axes, values, method="linear")(at)
        for kind, value in (("MULTILINEAR", linear), ("CUBIC", cubic)):
            print("    {IB_TABLE_%s, %d, {%s}," % (kind, n, ", ".join(map(str, sizes))))
            print("     {%s}," % ", ".join(numbers(a) for a in axes))
            print("     %s," % numbers(values))
            print("     {%s}, %s," % (", ".join(numbers(p) for p in at), numbers(value)))
            print("     {%s}, %s}," % (", ".join(numbers(s) for s in np.array(slopes).T), numbers(bend)))
    print("};")


main()
