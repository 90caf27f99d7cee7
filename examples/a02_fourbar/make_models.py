#!/usr/bin/env python3
"""Writes the N-four-bar linkage for N = 1, 2, 10, 40 as n1.yaml ... beside this script.

N + 1 vertical cranks of 1 m stand on the ground at x = 0, 1, ..., N; N couplers of 1 m join their tips.
"""
import pathlib
import sys

HEAD = """\
# IFToMM benchmark A02: the N-four-bar linkage, N = {n}. Written by make_models.py.
ironbird: 1
name: {n}-four-bar
gravity: [0, -9.81, 0]
parameters:
  v: 1 # speed of the tips at the start
  b: 0.01 # width of the square section, without effect on the motion
  along: b^2 / 6
  across: 1 / 12 # a uniform slender link of 1 m and 1 kg
bodies:
"""
TAIL = """\
measures:
  x_B0: {type: displacement, body1: crank0, point1: [0, 1, 0], component: x}
  y_B0: {type: displacement, body1: crank0, point1: [0, 1, 0], component: y}
  vx_B0: {type: velocity, body1: crank0, point1: [0, 1, 0], component: x}
  vy_B0: {type: velocity, body1: crank0, point1: [0, 1, 0], component: y}
outputs:
  B0x: x_B0
  B0y: y_B0
  B0vx: vx_B0
  B0vy: vy_B0
simulation: {end: 20, output_step: 0.05, solver: dopri5, rtol: 1e-9, record: ["*.value", "energy.*", "residual.*"]}
"""


def model(n):
    """The text of the model with n four-bars in a row."""
    text = HEAD.format(n=n)
    for i in range(n + 1):
        text += (f"  crank{i}: {{mass: 1, inertia: [across, along, across], position: [{i}, 0.5, 0],\n"
                 f"    velocity: [v/2, 0, 0], angular_velocity: [0, 0, -v]}}\n")
    for i in range(n):
        text += (f"  coupler{i}: {{mass: 1, inertia: [along, across, across], position: [{i}.5, 1, 0],\n"
                 f"    velocity: [v, 0, 0]}}\n")
    text += "joints:\n"
    for i in range(n + 1):
        text += f"  foot{i}: {{type: revolute, body1: crank{i}, point: [{i}, 0, 0], axis: [0, 0, 1]}}\n"
    for i in range(n):
        text += (f"  left{i}: {{type: revolute, body1: coupler{i}, body2: crank{i}, point: [{i}, 1, 0], "
                 f"axis: [0, 0, 1]}}\n")
        text += (f"  right{i}: {{type: revolute, body1: coupler{i}, body2: crank{i + 1}, "
                 f"point: [{i + 1}, 1, 0], axis: [0, 0, 1]}}\n")
    return text + TAIL


def main():
    folder = pathlib.Path(__file__).resolve().parent
    for n in [int(word) for word in sys.argv[1:]] or [1, 2, 10, 40]:
        (folder / f"n{n}.yaml").write_text(model(n))


if __name__ == "__main__":
    main()
