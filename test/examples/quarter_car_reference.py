#!/usr/bin/env python3
"""Writes test/references/quarter_car.csv: the quarter car's two scalar equations (examples/quarter_car)
integrated by the classical Runge-Kutta method, with Akima's interpolation (J. ACM 17, 1970) of its own.

The step divides the time between two knots of the road exactly, so that no step crosses one.
"""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
M_BODY, M_WHEEL, K, K_TYRE, SPEED, G = 320.0, 35.0, 2.2e4, 2.0e5, 12.0, 9.81
DAMPER = ([-1, -0.2, 0, 0.2, 1], [-3000, -900, 0, 600, 1500])
OUTPUT, STEPS = 0.05, 1200  # steps between two outputs; 0.05 s are six knots of the road


class Akima:
    """y(x) through the points; a straight line beyond them."""

    def __init__(self, x, y):
        n = len(x)
        m = [(y[i + 1] - y[i]) / (x[i + 1] - x[i]) for i in range(n - 1)]
        m = [3 * m[0] - 2 * m[1], 2 * m[0] - m[1]] + m + [2 * m[-1] - m[-2], 3 * m[-1] - 2 * m[-2]]
        slope = []
        for i in range(n):
            a, b = abs(m[i + 3] - m[i + 2]), abs(m[i + 1] - m[i])
            straight = a + b <= 1e-9 * sum(map(abs, m[i:i + 4]))  # but for rounding
            slope.append((m[i + 1] + m[i + 2]) / 2 if straight else (a * m[i + 1] + b * m[i + 2]) / (a + b))
        self.x, self.y, self.slope, self.last = x, y, slope, 0

    def __call__(self, x):
        if x <= self.x[0]:
            return self.y[0] + self.slope[0] * (x - self.x[0])
        if x >= self.x[-1]:
            return self.y[-1] + self.slope[-1] * (x - self.x[-1])
        i = self.last
        while x < self.x[i]:
            i -= 1
        while x >= self.x[i + 1]:
            i += 1
        self.last = i
        h = self.x[i + 1] - self.x[i]
        s = (x - self.x[i]) / h
        return ((1 + 2 * s) * (1 - s) ** 2 * self.y[i] + s * (1 - s) ** 2 * h * self.slope[i]
                + s * s * (3 - 2 * s) * self.y[i + 1] + s * s * (s - 1) * h * self.slope[i + 1])


def main():
    table = (ROOT / "examples/quarter_car/data/road.txt").read_text().splitlines()[1:]
    rows = [list(map(float, line.split())) for line in table]
    road = Akima([row[0] for row in rows], [row[1] for row in rows])
    damper = Akima(*DAMPER)

    def rates(t, z_body, z_wheel, v_body, v_wheel):
        inner = K * (z_body - z_wheel) + damper(v_body - v_wheel)
        tyre = max(0.0, (M_BODY + M_WHEEL) * G + K_TYRE * (road(SPEED * t) - z_wheel))
        return v_body, v_wheel, -inner / M_BODY, (inner + tyre - (M_BODY + M_WHEEL) * G) / M_WHEEL

    y, lines = [0.0] * 4, ["# quarter car, classical Runge-Kutta with 24,000 steps a second",
                           "t,z_body,z_wheel,v_body,v_wheel", "0,0,0,0,0"]
    h = OUTPUT / STEPS
    for row in range(160):
        for i in range(STEPS):
            t = OUTPUT * row + h * i
            k1 = rates(t, *y)
            k2 = rates(t + h / 2, *[a + h / 2 * b for a, b in zip(y, k1)])
            k3 = rates(t + h / 2, *[a + h / 2 * b for a, b in zip(y, k2)])
            k4 = rates(t + h, *[a + h * b for a, b in zip(y, k3)])
            y = [a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(y, k1, k2, k3, k4)]
        lines.append(",".join(f"{value:.12g}" for value in [OUTPUT * (row + 1), *y]))
    (ROOT / "test/references/quarter_car.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
