#!/usr/bin/env python3
"""Writes test/references/double_wishbone.csv: half a car on bushings (models/double_wishbone/model.yaml).

Newton's and Euler's equations of all bodies with the joints' conditions differentiated twice, as one dense
system at every instant, solved for accelerations and integrated by SciPy's DOP853 at 1e-10; positions and
attitudes drift off the joints by less than that. Made with SciPy 1.17.1.
"""
import math
import pathlib

import numpy as np
from scipy.integrate import solve_ivp

from closed_forms import CORNER

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
G = np.array([0, 0, -9.81])
# name: mass, inertia, centre
BODIES = {"chassis": (420, (140, 450, 500), (0, 0, 0.55)), "rack": (2.5, (0.1, 0.002, 0.1), (-0.13, 0, 0.25)),
          "pinion": (1, (0.001, 0.001, 0.001), (-0.13, 0.1, 0.26))}
PINION_AXIS = np.array([-1, 0, -1]) / math.sqrt(2)
END, STEPS = 1.5, 75


def place(name, side):
    x, y, z = CORNER[name]
    return np.array([x, side * y, z])


for SIDE, LABEL in ((1, "left"), (-1, "right")):
    BODIES[LABEL + " lower"] = (4.2, (0.035, 0.03, 0.06), (-0.02, SIDE * 0.53, 0.195))
    BODIES[LABEL + " upper"] = (2.1, (0.01, 0.009, 0.018), (-0.025, SIDE * 0.55, 0.48))
    BODIES[LABEL + " knuckle"] = (9.5, (0.12, 0.11, 0.08), (-0.01, SIDE * 0.69, 0.31))
    BODIES[LABEL + " wheel"] = (18, (0.55, 0.95, 0.55), (0, SIDE * 0.75, 0.31))
    BODIES[LABEL + " bar"] = (1.5, (0.02, 0.01, 0.02), (0.2, SIDE * 0.3, 0.32))
NAMES = list(BODIES)
N = len(NAMES)
MASS = np.array([BODIES[name][0] for name in NAMES])
INERTIA = np.array([BODIES[name][1] for name in NAMES])
CENTRE = np.array([BODIES[name][2] for name in NAMES], dtype=float)


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


class Vector:
    """A vector with its rate; its second derivative is bias + rows . accelerations."""

    def __init__(self, value, rate, bias, rows):
        self.value, self.rate, self.bias, self.rows = value, rate, bias, rows

    def __sub__(self, o):
        return Vector(self.value - o.value, self.rate - o.rate, self.bias - o.bias, self.rows - o.rows)

    def dot(self, o):
        """(row, bias) of the second derivative of the product."""
        bias = self.bias @ o.value + 2 * self.rate @ o.rate + self.value @ o.bias
        return o.value @ self.rows + self.value @ o.rows, bias


class State:
    """Positions, attitudes and velocities; w is global."""

    def __init__(self, y):
        y = y.reshape(N, 13)
        self.r, self.q, self.v, self.w = y[:, :3], y[:, 3:7], y[:, 7:10], y[:, 10:]
        w, x, yy, z = (self.q / np.linalg.norm(self.q, axis=1)[:, None]).T
        self.turn = np.array([[1 - 2 * (yy * yy + z * z), 2 * (x * yy - w * z), 2 * (x * z + w * yy)],
                              [2 * (x * yy + w * z), 1 - 2 * (x * x + z * z), 2 * (yy * z - w * x)],
                              [2 * (x * z - w * yy), 2 * (yy * z + w * x), 1 - 2 * (x * x + yy * yy)]]
                             ).transpose(2, 0, 1)

    def axis(self, name, axis):
        """A vector fixed in a body, given at t = 0."""
        b = NAMES.index(name)
        value, w = self.turn[b] @ np.asarray(axis, float), self.w[b]
        rate, rows = np.cross(w, value), np.zeros((3, 6 * N))
        rows[:, 6 * b + 3:6 * b + 6] = -skew(value)
        return Vector(value, rate, np.cross(w, rate), rows)

    def point(self, name, at):
        """A point fixed in a body, given at t = 0; of the ground without a name."""
        if name is None:
            return Vector(np.asarray(at, float), np.zeros(3), np.zeros(3), np.zeros((3, 6 * N)))
        b = NAMES.index(name)
        found = self.axis(name, at - CENTRE[b])
        found.rows[:, 6 * b:6 * b + 3] = np.eye(3)
        found.value, found.rate = found.value + self.r[b], found.rate + self.v[b]
        return found


def conditions(s, t):
    """Rows and right-hand side of G a = rhs."""
    rows, rhs = [], []

    def keep(row, bias, wanted=0.0):
        rows.append(row)
        rhs.append(wanted - bias)

    def together(one, two, at):
        gap = s.point(one, at) - s.point(two, at)
        for k in range(3):
            keep(gap.rows[k], gap.bias[k])

    def across(one, axis1, two, axis2):
        keep(*s.axis(one, axis1).dot(s.axis(two, axis2)))

    def hinge(one, two, at, axis):
        axis = np.asarray(axis, float)
        other = np.linalg.svd(axis[None])[2][1:]
        together(one, two, at)
        for a in other:
            across(one, axis, two, a)

    def rod(one, two, at1, at2):
        gap = s.point(one, at1) - s.point(two, at2)
        keep(*gap.dot(gap))

    up = NAMES.index("chassis")
    for k in (0, 1, 4, 5):  # no x, y, pitch, yaw; it rolls about x, so these are fixed directions
        row = np.zeros(6 * N)
        row[6 * up + k] = 1
        keep(row, 0.0)
    x, y, z = np.eye(3)
    slide = s.point("rack", CENTRE[1]) - s.point("chassis", CENTRE[1])
    for a in (x, z):
        keep(*slide.dot(s.axis("chassis", a)))
    for a, b in ((x, y), (y, z), (z, x)):
        across("rack", a, "chassis", b)
    hinge("pinion", "chassis", CENTRE[2], PINION_AXIS)
    spin = np.zeros(6 * N)  # of the pinion in the chassis about its axis
    pin = NAMES.index("pinion")
    axis = s.axis("chassis", PINION_AXIS).value
    spin[6 * pin + 3:6 * pin + 6], spin[6 * up + 3:6 * up + 6] = axis, -axis
    gyro = np.cross(s.w[up], axis) @ (s.w[pin] - s.w[up])
    row, bias = slide.dot(s.axis("chassis", y))
    keep(row - 0.008 * spin, bias - 0.008 * gyro)
    keep(spin, gyro, 1.2 * step2((t - 1) / 0.4) / 0.4**2)
    for side, label in ((1, "left"), (-1, "right")):
        together(label + " knuckle", label + " lower", place("lower_ball", side))
        together(label + " knuckle", label + " upper", place("upper_ball", side))
        hinge(label + " wheel", label + " knuckle", place("centre", side), y)
        rod(label + " knuckle", "rack", place("tie_outer", side), place("tie_inner", side))
        hinge(label + " bar", "chassis", np.array([0.25, side * 0.3, 0.32]), y)
        rod(label + " bar", label + " lower", place("link_upper", side), place("link_lower", side))
    return np.array(rows), np.array(rhs)


def step0(s):
    """0 to 1 with four vanishing derivatives at each end, and its second derivative."""
    s = min(max(s, 0.0), 1.0)
    return s**5 * (126 - 420 * s + 540 * s**2 - 315 * s**3 + 70 * s**4)


def step2(s):
    s = min(max(s, 0.0), 1.0)
    return 2520 * s**3 - 12600 * s**4 + 22680 * s**5 - 17640 * s**6 + 5040 * s**7


def loads(s, t):
    """Forces and torques about the centres, N x 6."""
    q = np.zeros((N, 6))
    q[:, :3] = MASS[:, None] * G
    for b in range(N):
        tensor = s.turn[b] @ np.diag(INERTIA[b]) @ s.turn[b].T
        q[b, 3:] = -np.cross(s.w[b], tensor @ s.w[b])

    def push(name, at, force):
        b = NAMES.index(name)
        q[b, :3] += force
        q[b, 3:] += np.cross(at - s.r[b], force)

    def bushing(name, at, axis, stiffness, damping):
        """Axes at t = 0 turned from the global ones by the smallest rotation that takes z to the axis."""
        axis = axis / np.linalg.norm(axis)
        v, c = np.cross((0, 0, 1), axis), axis[2]
        frame = np.eye(3) + skew(v) + skew(v) @ skew(v) / (1 + c)
        one, two = NAMES.index(name), 0
        f1, f2 = s.turn[one] @ frame, s.turn[two] @ frame
        p1, p2 = s.point(name, at), s.point("chassis", at)
        gap = p1.value - p2.value
        rate = p1.rate - p2.rate - np.cross(s.w[two], gap)
        relative = f2.T @ f1
        angle = math.acos(min(1.0, max(-1.0, (np.trace(relative) - 1) / 2)))
        skewed = np.array([relative[2, 1] - relative[1, 2], relative[0, 2] - relative[2, 0],
                           relative[1, 0] - relative[0, 1]]) / 2
        theta = skewed * (angle / math.sin(angle) if angle > 1e-4 else 1 + angle**2 / 6)
        k = skew(theta)  # rate of theta = inverse right Jacobian . relative rate in axes of body 1
        factor = (1 / angle**2 - (1 + math.cos(angle)) / (2 * angle * math.sin(angle)) if angle > 1e-2
                  else 1 / 12 + angle**2 / 720)
        jacobian = np.eye(3) + k / 2 + factor * k @ k
        x = np.concatenate((f2.T @ gap, theta))
        dx = np.concatenate((f2.T @ rate, jacobian @ f1.T @ (s.w[one] - s.w[two])))
        f = np.asarray(stiffness) * x + np.asarray(damping) * dx
        push(name, p1.value, -f2 @ f[:3])
        push("chassis", p1.value, f2 @ f[:3])
        couple = f1 @ jacobian.T @ f[3:]
        q[one, 3:] -= couple
        q[two, 3:] += couple

    twist = {}
    for side, label in ((1, "left"), (-1, "right")):
        lower, wheel = label + " lower", label + " wheel"
        for arm, axis, stiffness in (("lower", (0.32, side * 0.02, -0.01), (5e6, 5e6, 8e5, 400, 400, 40)),
                                     ("upper", (0.22, side * 0.01, 0.01), (3e6, 3e6, 6e5, 250, 250, 25))):
            for eye in ("front", "rear"):
                bushing(f"{label} {arm}", place(f"{arm}_{eye}", side), np.array(axis), stiffness,
                        (3000, 3000, 1500, 2, 2, 0.2))
        a, b = s.point(lower, place("spring_lower", side)), s.point("chassis", place("spring_upper", side))
        gap = a.value - b.value
        length = np.linalg.norm(gap)
        free = np.linalg.norm(place("spring_lower", side) - place("spring_upper", side))
        force = 45e3 * (length - free) + 3500 * gap @ (a.rate - b.rate) / length - 3540
        push(lower, a.value, -force * gap / length)
        push("chassis", b.value, force * gap / length)
        i = NAMES.index(wheel)
        rise, sideways = s.r[i][2] - CENTRE[i][2], s.r[i][1] - CENTRE[i][1]
        road = 0.04 * (step0((t - 0.3) / 0.06) - step0((t - 0.36) / 0.06)) if side == 1 else 0.0
        normal = max(0.0, 2440 + 210e3 * (road - rise) - 150 * s.v[i][2])
        q[i, :3] += (0, -120e3 * sideways - 900 * s.v[i][1], normal)
        twist[side] = s.turn[NAMES.index(label + " bar")][:, 0]
    left, right = (NAMES.index(label + " bar") for label in ("left", "right"))
    axis = s.turn[right][:, 1]
    angle = math.atan2(-twist[1] @ s.turn[right][:, 2], twist[1] @ twist[-1])
    q[left, 3:] -= 900 * angle * axis
    q[right, 3:] += 900 * angle * axis
    return q


def rates(t, y):
    s = State(y)
    rows, rhs = conditions(s, t)
    n, m = 6 * N, len(rhs)
    whole = np.zeros((n + m, n + m))
    for b in range(N):
        whole[6 * b:6 * b + 3, 6 * b:6 * b + 3] = MASS[b] * np.eye(3)
        whole[6 * b + 3:6 * b + 6, 6 * b + 3:6 * b + 6] = s.turn[b] @ np.diag(INERTIA[b]) @ s.turn[b].T
    whole[n:, :n], whole[:n, n:] = rows, rows.T
    found = np.linalg.solve(whole, np.concatenate((loads(s, t).ravel(), rhs)))[:n].reshape(N, 6)
    dy = np.empty((N, 13))
    dy[:, :3], dy[:, 7:10], dy[:, 10:] = s.v, found[:, :3], found[:, 3:]
    for b in range(N):
        w, x, yy, z = s.q[b]
        dy[b, 3:7] = 0.5 * np.array([[-x, -yy, -z], [w, z, -yy], [-z, w, x], [yy, -x, w]]) @ s.w[b]
    return dy.ravel()


def main():
    start = np.zeros((N, 13))
    start[:, :3], start[:, 3] = CENTRE, 1
    times = np.linspace(0, END, STEPS + 1)
    solution = solve_ivp(rates, (0, END), start.ravel(), "DOP853", times, rtol=1e-9, atol=1e-11, max_step=1e-3)
    columns = ["t", "heave", "roll"] + [f"{side}_{name}" for side in ("left", "right")
                                        for name in ("rise", "sideways", "toe", "camber")]
    lines = ["# half a car on a double-wishbone axle in bushings, DOP853 at 1e-9", ",".join(columns)]
    for t, y in zip(times, solution.y.T):
        s = State(y)
        values = [t, s.r[0][2] - CENTRE[0][2], math.degrees(math.asin(s.turn[0][2, 1]))]
        for side, label in ((1, "left"), (-1, "right")):
            i, axis = NAMES.index(label + " wheel"), s.turn[NAMES.index(label + " knuckle")][:, 1]
            values += [s.r[i][2] - CENTRE[i][2], side * (s.r[i][1] - CENTRE[i][1]),
                       side * math.degrees(math.atan2(axis[0], axis[1])), -side * math.degrees(math.asin(axis[2]))]
        lines.append(",".join(f"{value:.12g}" for value in values))
    (ROOT / "test/references/double_wishbone.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
