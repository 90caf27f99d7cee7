#!/usr/bin/env python3
"""Writes test/references/engine.csv and engine_part_load.csv: the engine of models/engine as one equation.

With the crank angle f, z the height of the piston and T = I(f) f'^2 / 2 the energy of all parts,

    I f'' + I' f'^2 / 2 + V' = -A p(f) z' - k f' |f'| - c f'

solved by SciPy's DOP853 at 1e-12; the gas table through SciPy's not-a-knot splines, along the load and then
along the angle. The side force on the piston follows from Newton's and Euler's equations of rod and piston.
Made with SciPy 1.17.1.
"""
import math
import pathlib

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
R, L, A, D, G = 0.043, 0.145, math.pi * 0.086**2 / 4, 0.045, 9.81
J_CRANK, M_ROD, J_ROD, M_PISTON = 0.16, 0.55, 2.2e-3, 0.42
K_BRAKE, C_RUB, W0 = 5.5e-4, 0.012, 120.0


class Jet:
    """A value with two derivatives by the crank angle."""

    def __init__(self, v, d=0.0, dd=0.0):
        self.v, self.d, self.dd = v, d, dd

    def __add__(self, o):
        o = o if isinstance(o, Jet) else Jet(o)
        return Jet(self.v + o.v, self.d + o.d, self.dd + o.dd)

    def __mul__(self, o):
        o = o if isinstance(o, Jet) else Jet(o)
        return Jet(self.v * o.v, self.d * o.v + self.v * o.d,
                   self.dd * o.v + 2 * self.d * o.d + self.v * o.dd)

    __radd__, __rmul__ = __add__, __mul__

    def then(self, f, df, ddf):
        return Jet(f, df * self.d, ddf * self.d**2 + df * self.dd)


def places(angle):
    """Piston height, rod's centre (x, z) and rod's angle as jets."""
    s, c = math.sin(angle), math.cos(angle)
    sine, cosine = Jet(s, c, -s), Jet(c, -s, -c)
    tilt = sine * (-R / L)  # sine of the rod's angle, by the right hand about y
    flat = 1 - tilt.v**2
    rod = tilt.then(math.asin(tilt.v), flat**-0.5, tilt.v * flat**-1.5)
    upright = rod.then(math.cos(rod.v), -math.sin(rod.v), -math.cos(rod.v))
    return cosine * R + upright * L, sine * R + tilt * D, cosine * R + upright * D, rod


def pressure_at(load):
    rows = np.loadtxt(ROOT / "models/engine/data/gas.txt", skiprows=1)
    angles, loads = np.unique(rows[:, 0]), np.unique(rows[:, 1])
    grid = rows[:, 2].reshape(len(angles), len(loads))
    return CubicSpline(angles, CubicSpline(loads, grid, axis=1)(load))


def acceleration(angle, speed, gas):
    z, x_rod, z_rod, rod = places(angle)
    inertia = J_CRANK + J_ROD * rod.d**2 + M_ROD * (x_rod.d**2 + z_rod.d**2) + M_PISTON * z.d**2
    slope = 2 * (J_ROD * rod.d * rod.dd + M_ROD * (x_rod.d * x_rod.dd + z_rod.d * z_rod.dd)
                 + M_PISTON * z.d * z.dd)
    push = -A * gas(math.degrees(angle) % 720) * z.d
    drag = K_BRAKE * speed * abs(speed) + C_RUB * speed
    weight = G * (M_ROD * z_rod.d + M_PISTON * z.d)
    return (push - drag - weight - slope / 2 * speed**2) / inertia


def side_force(angle, speed, gas):
    """Of the cylinder on the piston, along x."""
    z, x_rod, z_rod, rod = places(angle)
    rate = acceleration(angle, speed, gas)
    x2, z2, turn2, z_piston2 = (j.dd * speed**2 + j.d * rate for j in (x_rod, z_rod, rod, z))
    sine, cosine = math.sin(rod.v), math.cos(rod.v)
    pin_z = M_PISTON * (z_piston2 + G) + A * gas(math.degrees(angle) % 720)  # rod on piston
    # Rod: the piston's force (-pin_x, -pin_z) at its top, the crank's at its bottom; moments about its centre
    # along y: z_arm * x_force - x_arm * z_force.
    crank_z = M_ROD * (z2 + G) + pin_z
    up, down = L - D, -D
    # J turn2 = up (c (-pin_x) - s (-pin_z)) + down (c crank_x - s crank_z), crank_x = M_ROD x2 + pin_x
    known = up * sine * pin_z + down * (cosine * M_ROD * x2 - sine * crank_z)
    pin_x = (J_ROD * turn2 - known) / (cosine * (down - up))
    return -pin_x


def main():
    times = np.arange(0, 1001, 5) / 1000
    for load, name in ((1.0, "engine"), (0.6, "engine_part_load")):
        gas = pressure_at(load)
        found = solve_ivp(lambda t, y: (y[1], acceleration(y[0], y[1], gas)), (0, 1), (0, W0), "DOP853", times,
                          rtol=1e-12, atol=1e-12, max_step=2e-4)
        lines = [f"# engine at load {load:g}, one equation, DOP853 at 1e-12", "t,angle,speed,height,side"]
        for t, angle, speed in zip(times, *found.y):
            values = (t, angle, speed, places(angle)[0].v, side_force(angle, speed, gas))
            lines.append(",".join(f"{value:.12g}" for value in values))
        (ROOT / f"test/references/{name}.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
