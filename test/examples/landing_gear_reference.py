#!/usr/bin/env python3
"""Writes test/references/landing_gear.csv: the gear of models/landing_gear in four coordinates.

Lagrange's equations of the airframe's place (x, z), the strut's stroke and the wheel's spin, solved by
SciPy's DOP853 at 1e-11 with SciPy's PCHIP for the strut's curves. Made with SciPy 1.17.1.
"""
import math
import pathlib

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
G, R, J = 9.81, 0.32, 1.6
M_AIR, M_LEG, M_WHEEL = 1500.0, 28.0, 30.0
LOW = M_LEG + M_WHEEL
LIFT = 0.9 * (M_AIR + LOW) * G
TOP, AXLE = np.array([0, 1.5]), np.array([-0.08, 0.34])
LENGTH = float(np.linalg.norm(AXLE - TOP))
DOWN = (AXLE - TOP) / LENGTH
GAS = PchipInterpolator([0.75, 0.85, 0.95, 1.05, 1.2], [2.4e5, 1.1e5, 6.5e4, 4.5e4, 3.5e4])
ORIFICE = PchipInterpolator([-4, -2, -1, -0.2, 0, 0.2, 1, 2], [2.6e4, 1.3e4, 7e3, 2.5e3, 2e3, 4e3, 1.6e4, 3e4])


def step(s):
    s = min(max(s, 0.0), 1.0)
    return s**5 * (126 - 420 * s + 540 * s**2 - 315 * s**3 + 70 * s**4)


def forces(y):
    """(strut's tension, normal force, friction along x, slip) at x, z, stroke, turn and their rates."""
    _, z, stroke, _, vx, vz, rate, spin = y
    length = LENGTH - stroke
    strut = float(GAS(length)) * (length - LENGTH) - float(ORIFICE(-rate)) * rate
    height = TOP[1] + z + DOWN[1] * length
    hub_x, hub_z = vx - DOWN[0] * rate, vz - DOWN[1] * rate
    depth = R - height
    normal = max(0.0, 9e5 * depth**1.3 * (1 - 0.05 * hub_z)) if depth > 0 else 0.0
    slip = hub_x - R * spin
    x = min(1.0, abs(slip) / 0.5)
    return strut, normal, -math.copysign(0.6 * normal * x * (15 - 10 * x**2 + 3 * x**4) / 8, slip), slip


def rates(t, y):
    strut, normal, drag, _ = forces(y)
    whole = M_AIR + LOW
    mass = np.array([[whole, 0, -LOW * DOWN[0]], [0, whole, -LOW * DOWN[1]],
                     [-LOW * DOWN[0], -LOW * DOWN[1], LOW]])
    lift = LIFT * (1 - 0.8 * step((t - 0.1) / 0.5))
    load = np.array([drag, normal + lift - whole * G,
                     strut - (drag * DOWN[0] + (normal - LOW * G) * DOWN[1])])
    ax, az, stroke2 = np.linalg.solve(mass, load)
    return (*y[4:], ax, az, stroke2, -R * drag / J)


def main():
    times = np.arange(0, 301) * 0.005
    start = (0, 0, 0, 0, 45, -2.4, 0, 0)
    found = solve_ivp(rates, (0, 1.5), start, "DOP853", times, rtol=1e-11, atol=1e-12, max_step=1e-4)
    lines = ["# landing gear, Lagrange's equations, DOP853 at 1e-11", "t,rise,stroke,spin,slip,oleo,normal,drag"]
    for t, y in zip(times, found.y.T):
        strut, normal, drag, slip = forces(y)
        lines.append(",".join(f"{value:.12g}" for value in (t, y[1], y[2], y[7], slip, strut, normal, drag)))
    (ROOT / "test/references/landing_gear.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
