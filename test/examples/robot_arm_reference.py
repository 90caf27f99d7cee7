#!/usr/bin/env python3
"""Writes test/references/robot_arm.csv: the arm of models/robot_arm in the angles of its three axes.

Kane's equations: each body's partial velocities, and the accelerations that remain without q'', give
M q'' + h = Q. A rotor lies on the link before its axis and turns by the gear's ratio relative to it; a
motor's torque T acts as ratio T. With the drives' torques there are nine equations of first order,
solved by SciPy's DOP853 at 1e-11 (made with SciPy 1.17.1).
"""
import pathlib

import numpy as np
from scipy.integrate import solve_ivp

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
G = np.array([0, 0, -9.81])
RATIO = np.array([100.0, 120.0, -80.0])
SPIN_INERTIA = np.array([4e-4, 4e-4, 2e-4])
PAYLOAD = 8.0
M3 = 11 + PAYLOAD
C3 = (11 * 0.22 + PAYLOAD * 0.55) / M3
APART = 11 * (C3 - 0.22) ** 2 + PAYLOAD * (0.55 - C3) ** 2
Z, Y = np.array([0, 0, 1.0]), np.array([0, 1.0, 0])
ORIGIN = np.array([0, 0, 0.3]), np.array([0.05, 0, 0.5]), np.array([0.05, 0, 1.1])
HAND = np.array([0.6, 0, 1.1])
# (link, mass, centre, principal inertia)
LINKS = ((0, 40, (0.02, 0, 0.4), (0.8, 0.9, 0.6)), (1, 18, (0.05, 0, 0.78), (0.62, 0.66, 0.07)),
         (2, M3, (0.05 + C3, 0, 1.1), (0.03, 0.35 + APART, 0.36 + APART)))
# the link that carries it (-1: the ground), mass, centre, inertia
ROTORS = ((-1, 1.2, (0, 0, 0.15), (1e-3, 1e-3, 4e-4)), (0, 1.2, (0.05, 0.12, 0.5), (1e-3, 4e-4, 1e-3)),
          (1, 0.7, (0.05, -0.1, 1.05), (5e-4, 2e-4, 5e-4)))


def rotation(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + s * k + (1 - c) * k @ k


class Arm:
    """Positions and partial velocities of everything at q, q'."""

    def __init__(self, q, dq):
        self.dq = dq
        self.turn, self.axis, self.at = [], [], []
        self.w, self.alpha, self.a = [], [], []  # of the links, without q''
        turn, at, w, alpha, a, before = np.eye(3), ORIGIN[0], np.zeros(3), np.zeros(3), np.zeros(3), ORIGIN[0]
        for i in range(3):
            arm = turn @ (ORIGIN[i] - before)
            at, a, before = at + arm, a + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm)), ORIGIN[i]
            axis = turn @ (Z if i == 0 else Y)
            alpha = alpha + np.cross(w, axis * dq[i])
            w = w + axis * dq[i]
            turn = turn @ rotation(Z if i == 0 else Y, q[i])
            for kept, value in zip((self.turn, self.axis, self.at, self.w, self.alpha, self.a),
                                   (turn, axis, at, w, alpha, a)):
                kept.append(value)

    def point(self, link, place):
        """Position, partial velocities (3 x 3) and remaining acceleration of a point on a link."""
        if link < 0:
            return np.array(place), np.zeros((3, 3)), np.zeros(3)
        arm = self.turn[link] @ (np.array(place) - ORIGIN[link])
        r = self.at[link] + arm
        partial = np.zeros((3, 3))
        for i in range(link + 1):
            partial[:, i] = np.cross(self.axis[i], r - self.at[i])
        w = self.w[link]
        return r, partial, self.a[link] + np.cross(self.alpha[link], arm) + np.cross(w, np.cross(w, arm))

    def spinning(self, link, axis=None, ratio=0.0):
        """Partial angular velocities, angular velocity and remaining acceleration of a link, or of what
        turns on it by `ratio` times the rate of the next axis."""
        partial, w, alpha = np.zeros((3, 3)), np.zeros(3), np.zeros(3)
        if link >= 0:
            for i in range(link + 1):
                partial[:, i] = self.axis[i]
            w, alpha = self.w[link], self.alpha[link]
        if axis is not None:
            partial[:, link + 1] += ratio * axis
            alpha = alpha + np.cross(w, ratio * self.dq[link + 1] * axis)
            w = w + ratio * self.dq[link + 1] * axis
        return partial, w, alpha


def equations(q, dq):
    """M and h of M q'' + h = Q."""
    arm = Arm(q, dq)
    mass, rest = np.zeros((3, 3)), np.zeros(3)
    for which, (link, m, place, inertia) in enumerate(LINKS + ROTORS):
        rotor = which >= 3
        _, v, a = arm.point(link, place)
        turn = arm.turn[link] if link >= 0 else np.eye(3)
        ratio = RATIO[which - 3] if rotor else 0.0
        p, w, alpha = arm.spinning(link, arm.axis[which - 3] if rotor else None, ratio)
        tensor = turn @ np.diag(inertia) @ turn.T
        mass += m * v.T @ v + p.T @ tensor @ p
        rest += m * v.T @ (a - G) + p.T @ (tensor @ alpha + np.cross(w, tensor @ w))
    return mass, rest, arm


def step9(t, t0, t1, y1):
    """From 0 to y1 with four vanishing derivatives at each end."""
    s = min(max((t - t0) / (t1 - t0), 0.0), 1.0)
    return y1 * s**5 * (126 - 420 * s + 540 * s**2 - 315 * s**3 + 70 * s**4)


def commands(t, q, dq):
    first = 30 * (step9(t, 0.1, 1.3, 1.8) - q[0]) - 2.2 * dq[0]
    second = 40 * (step9(t, 0.1, 1.3, -0.7) - q[1]) - 3.6 * dq[1]
    third = -40 * (step9(t, 0.4, 1.5, 1.4) - q[2]) + 2.4 * dq[2]
    return np.clip([first, second, third], (-1.1, -1.1, -1.2), (1.1, 1.1, 1.2))


def rates(t, y):
    q, dq, torque = y[:3], y[3:6], y[6:]
    mass, rest, _ = equations(q, dq)
    return np.concatenate((dq, np.linalg.solve(mass, RATIO * torque - rest), (commands(t, q, dq) - torque) / 0.005))


def gear_torques(y, ddq):
    """What each gear exerts on its rotor: the rotor's own equation about its axis."""
    _, _, arm = equations(y[:3], y[3:6])
    found = []
    for i in range(3):
        partial, _, alpha = arm.spinning(i - 1, arm.axis[i], RATIO[i])
        found.append(SPIN_INERTIA[i] * arm.axis[i] @ (partial @ ddq + alpha) - y[6 + i])
    return found


def main():
    times = np.arange(0, 101) * 0.02
    solution = solve_ivp(rates, (0, 2), np.zeros(9), "DOP853", times, rtol=1e-11, atol=1e-12, max_step=1e-3)
    lines = ["# robot arm, Kane's equations, DOP853 at 1e-11",
             "t,q1,q2,q3,x,y,z,torque1,torque2,torque3,gear1,gear2,gear3"]
    for t, y in zip(times, solution.y.T):
        hand = Arm(y[:3], y[3:6]).point(2, HAND)[0]
        values = (t, *y[:3], *hand, *y[6:], *gear_torques(y, rates(t, y)[3:6]))
        lines.append(",".join(f"{value:.12g}" for value in values))
    (ROOT / "test/references/robot_arm.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
