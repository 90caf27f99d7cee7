#!/usr/bin/env python3
"""Writes mission.yaml: 64 satellites on 8 planes of 8, at 550 km and 53 degrees, each with a spin of its own."""
import math
import pathlib

MU, RADIUS, INCLINATION = 3.986004418e14, 6378137 + 550e3, math.radians(53)


def turn(x, y, z, node):
    """About the x axis by the inclination, then about the z axis by the node."""
    y, z = y * math.cos(INCLINATION) - z * math.sin(INCLINATION), y * math.sin(INCLINATION) + z * math.cos(INCLINATION)
    return x * math.cos(node) - y * math.sin(node), x * math.sin(node) + y * math.cos(node), z


def numbers(values, digits):
    return "[" + ", ".join(f"{value:.{digits}f}" for value in values) + "]"


lines = ["# Written by make_mission.py.", "ironbird: 1", "mission: constellation", "time: {end: 10, output_step: 1}",
         "parallel: {vehicles: true}", "environment: {magnetic_field: false}",
         "plants: {satellite: {model: satellite.yaml}}", "vehicles:"]
speed = math.sqrt(MU / RADIUS)
for plane in range(8):
    for seat in range(8):
        node, along = 2 * math.pi * plane / 8, 2 * math.pi * (seat + plane / 8) / 8
        r = turn(RADIUS * math.cos(along), RADIUS * math.sin(along), 0, node)
        v = turn(-speed * math.sin(along), speed * math.cos(along), 0, node)
        w = (0.01 * (1 + plane), 0.02 * (1 + seat), 0.005 * (plane - seat))
        lines.append(f"  s{plane + 1}{seat + 1}: {{plant: satellite, drag_area: 4, initial: {{frame: eci, position: "
                     f"{numbers(r, 3)}, velocity: {numbers(v, 6)}, rates: {numbers(w, 3)}}}}}")
lines.append('record: ["*.eci.*", "*.altitude", "*.body.rate.*"]')
pathlib.Path(__file__).with_name("mission.yaml").write_text("\n".join(lines) + "\n")
