#!/usr/bin/env python3
"""Writes gas.txt: gauge pressure in the cylinder over crank angle and load, as an indicator records it.

A four-stroke cycle of one zone of ideal gas: dp = ((k - 1) dQ - k p dV) / V, the heat Q released after
Wiebe (I. I. Vibe, 1970) between 20 deg before and 40 deg after the firing dead centre, in proportion to
the charge that the throttle lets in. Valves open and close gently. Crank angle 0 is the firing dead centre.
"""
import math
import pathlib

CRANK, ROD, BORE, RATIO = 0.043, 0.145, 0.086, 10.0
ATMOSPHERE, KAPPA, HEAT = 1.0e5, 1.33, 1.1e3  # Pa, -, J at full load
LOADS = (0.1, 0.3, 0.5, 0.75, 1.0)
STEP, FINE = 5, 200  # degrees between two rows, and steps of the integration in each


def volume(degrees):
    angle = math.radians(degrees)
    sweep = CRANK + ROD - CRANK * math.cos(angle) - math.sqrt(ROD**2 - (CRANK * math.sin(angle)) ** 2)
    area = math.pi * BORE**2 / 4
    return area * (sweep + 2 * CRANK / (RATIO - 1))


def burnt(degrees):
    """Share of the heat released until then (Wiebe, a = 5, m = 2)."""
    s = min(max((degrees + 20) / 60, 0.0), 1.0)
    return (1 - math.exp(-5 * s**3)) / (1 - math.exp(-5))


def blend(s):
    """From 0 to 1 with zero slope at both ends."""
    s = min(max(s, 0.0), 1.0)
    return s * s * (3 - 2 * s)


def closed_cycle(load):
    """Absolute pressure at -180, -175, ... 180 deg, valves closed."""
    pressure, found = intake(load), {}
    for start in range(-180, 181, STEP):
        found[start] = pressure
        for i in range(FINE):
            a, b = start + STEP * i / FINE, start + STEP * (i + 1) / FINE
            heat = (burnt(b) - burnt(a)) * HEAT * load
            middle = (volume(a) + volume(b)) / 2
            change = ((KAPPA - 1) * heat - KAPPA * pressure * (volume(b) - volume(a))) / middle
            pressure += change / (1 + KAPPA * (volume(b) - volume(a)) / (2 * middle))
    return found


def intake(load):
    return ATMOSPHERE * (0.25 + 0.73 * load)


def pressure(degrees, load, closed):
    """Gauge pressure at 0 to 720 deg."""
    if degrees <= 180:  # expansion; the exhaust valve opens at 130
        return (closed[degrees] - ATMOSPHERE) * (1 - blend((degrees - 130) / 60))
    if degrees < 520:  # exhaust, then intake from 345
        return (intake(load) - ATMOSPHERE) * blend((degrees - 345) / 40)
    return closed[degrees - 720] - ATMOSPHERE if degrees >= 540 else intake(load) - ATMOSPHERE


def main():
    cycles = {load: closed_cycle(load) for load in LOADS}
    lines = ["# crank angle [deg]  load [-]  gauge pressure [Pa]"]
    for degrees in range(0, 721, STEP):
        for load in LOADS:
            lines.append(f"{degrees:5d} {load:6.2f} {pressure(degrees, load, cycles[load]) + 0.0:12.0f}")
    (pathlib.Path(__file__).resolve().parent / "gas.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
