#!/usr/bin/env python3
"""More check-cases of NASA/TM-2015-218675 as missions, from their definitions in feet and slugs: 3 (a brick whose
turning the air damps), 5 (round, turning Earth), 7 (steady wind), 8 (wind that grows with height), 10 (shot
northward). For these the project has no tables, so the solutions are worked out here, in another
formulation: in the turning Earth's axes with Coriolis' and the centrifugal acceleration, heights by Newton's method,
the atmosphere from its equations with the C library's functions. The same solver first has to agree with
the tables of the cases 4, 6 and 9 within the missions' own tolerance.

The project's tolerances: 1e-6 m, 1e-8 m/s, 1e-8 deg/s over 30 s, with ticks of 1 ms.
"""
import csv
import math
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get("IRONBIRD_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("IRONBIRD", str(SOURCE / "build" / "ironbird"))
WORK = pathlib.Path.cwd()

FOOT, SLUG = 0.3048, 14.593902937206364
MU, J2, RADIUS, FLATTENING, RATE = 3.986004418e14, 1.08262982e-3, 6378137.0, 1 / 298.257223563, 7.292115e-5
ROUND = 20902255.199 * FOOT
DRAG_AREA = 0.1 * 0.01824146545248  # C_D A of the sphere, m^2
BRICK = (0.0025682174740883051, 0.0084210110376273457, 0.0097546559392317343)  # its inertia, kg m^2
AREA, SPAN, CHORD = 2 / 9 * FOOT ** 2, 1 / 3 * FOOT, 2 / 3 * FOOT
TUMBLE = (10, 20, 30)  # deg/s, inertial, of the brick; Clp, Cmq and Cnr are -1
LAYERS = [(0, 288.15, -0.0065), (11000, 216.65, 0), (20000, 216.65, 0.001)]

# Number: Earth, altitude (ft), velocity north, east, down (ft/s), wind from the west (ft/s at 0 ft, per foot).
CASES = {
    3: ("WGS-84", 30000, (0, 0, 0), (0, 0)),
    4: ("round at rest", 30000, (0, 0, 0), (0, 0)),
    5: ("round", 30000, (0, 0, 0), (0, 0)),
    6: ("WGS-84", 30000, (0, 0, 0), (0, 0)),
    7: ("WGS-84", 30000, (0, 0, 0), (20, 0)),
    8: ("WGS-84", 30000, (0, 0, 0), (-20, 0.003)),
    9: ("WGS-84", 0, (0, 1000, -1000), (0, 0)),
    10: ("WGS-84", 0, (1000, 0, -1000), (0, 0)),
}


# ---- the other formulation ----------------------------------------------------------------------


class Earth:
    def __init__(self, kind):
        self.radius = RADIUS if kind == "WGS-84" else ROUND
        self.flattening = FLATTENING if kind == "WGS-84" else 0
        self.j2 = J2 if kind == "WGS-84" else 0
        self.rate = 0 if kind == "round at rest" else RATE

    def normal(self, r):
        """Latitude and height: Newton's method for tan(latitude) = (z + e^2 N sin(latitude)) / p."""
        p, e2 = math.hypot(r[0], r[1]), self.flattening * (2 - self.flattening)
        latitude = math.atan2(r[2], p * (1 - e2))
        for _ in range(4):
            s, c = math.sin(latitude), math.cos(latitude)
            w = 1 - e2 * s * s
            n = self.radius / math.sqrt(w)
            off = p * s - (r[2] + e2 * n * s) * c
            latitude -= off / (p * c + (r[2] + e2 * n * s) * s - e2 * n * c * c / w)
        s, c = math.sin(latitude), math.cos(latitude)
        return s, c, p * c + r[2] * s - self.radius * math.sqrt(1 - e2 * s * s)

    def gravity(self, r):
        """From the potential mu/d (1 - J2 (R/d)^2 (3 sin^2 - 1)/2), term by term."""
        d2 = sum(x * x for x in r)
        d = math.sqrt(d2)
        k, s2 = self.j2 * (RADIUS * RADIUS / d2), r[2] * r[2] / d2
        across = -MU / d2 / d * (1 + 1.5 * k * (1 - 5 * s2))
        along = -MU / d2 / d * (1 + 1.5 * k * (3 - 5 * s2))
        return [across * r[0], across * r[1], along * r[2]]


def density(height):
    H = 6356766 * height / (6356766 + height)
    k = 9.80665 * 28.9644 / 8314.32
    pressure = 101325.0
    for i, (base, temperature, lapse) in enumerate(LAYERS):
        top = LAYERS[i + 1][0] if i + 1 < len(LAYERS) else math.inf
        T = temperature + lapse * (min(H, top) - base)
        pressure *= ((temperature / T) ** (k / lapse) if lapse
                     else math.exp(-k * (min(H, top) - base) / temperature))
        if H < top:
            return pressure * 28.9644 / (8314.32 * T)
    raise ValueError(height)


def spin_change(damping, w):
    """Euler's equations with torques against each rate: rho V S b^2 / 4 times it."""
    x, y, z = BRICK
    return [((y - z) * w[1] * w[2] - damping * SPAN ** 2 * w[0]) / x,
            ((z - x) * w[2] * w[0] - damping * CHORD ** 2 * w[1]) / y,
            ((x - y) * w[0] * w[1] - damping * SPAN ** 2 * w[2]) / z]


def solve(case, seconds=30, step=0.05):
    """Earth-fixed position and velocity over the ground at whole seconds, of the brick angular velocity, too.
    A departure from the start is integrated, so that rounding is that of the departure."""
    drag_area = 0 if case == 3 else DRAG_AREA
    kind, altitude, (north, east, down), (breeze, shear) = CASES[case]
    earth = Earth(kind)
    start = [earth.radius + altitude * FOOT, 0.0, 0.0]
    w = earth.rate

    def slope(y):
        r = [start[0] + y[0], y[1], y[2]]
        s, c, height = earth.normal(r)
        ahead, across = r[0] / math.hypot(r[0], r[1]), r[1] / math.hypot(r[0], r[1])
        wind = breeze * FOOT + shear * height
        relative = [y[3] + across * wind, y[4] - ahead * wind, y[5]]
        push = density(height) / 2 * math.sqrt(sum(x * x for x in relative))
        drag = push * drag_area / SLUG
        g = earth.gravity(r)
        return [*y[3:6],
                g[0] - drag * relative[0] + 2 * w * y[4] + w * w * r[0],
                g[1] - drag * relative[1] - 2 * w * y[3] + w * w * r[1],
                g[2] - drag * relative[2],
                *(spin_change(push * AREA / 2, y[6:]) if case == 3 else ())]

    y = [0.0, 0.0, 0.0, -down * FOOT, east * FOOT, north * FOOT]
    y += [math.radians(rate) for rate in TUMBLE] if case == 3 else []
    rows = []
    for n in range(round(seconds / step) + 1):
        if n % round(1 / step) == 0:
            rows.append([start[0] + y[0], y[1], y[2], *y[3:]])
        k1 = slope(y)
        k2 = slope([a + step / 2 * b for a, b in zip(y, k1)])
        k3 = slope([a + step / 2 * b for a, b in zip(y, k2)])
        k4 = slope([a + step * b for a, b in zip(y, k3)])
        y = [a + step / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4)]
    return rows


# ---- missions ------------------------------------------------------------------------------------


def fly(name, text):
    path = WORK / f"{name}.yaml"
    path.write_text(text)
    done = subprocess.run([PROGRAM, "run", str(path), "--quiet", "--out", str(WORK / name)], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{name}: exit code {done.returncode}: {done.stdout}")
    with open(WORK / name / "results.csv", newline="") as stream:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(stream)]


def mission(case):
    kind, altitude, velocity, (breeze, shear) = CASES[case]
    earth = "wgs84" if kind == "WGS-84" else f"sphere, radius: {ROUND!r}"
    turning = ", rotation: false" if kind == "round at rest" else ""
    levels = ", ".join(f"{{height: {h}, wind: [0, {breeze * FOOT + shear * h!r}, 0]}}" for h in (-1000, 15000))
    return (f"ironbird: 1\nmission: case {case}\ntime: {{end: 30, output_step: 1}}\n"
            f"environment: {{earth: {{shape: {earth}{turning}}}, "
            f"gravity: {'j2' if kind == 'WGS-84' else 'inverse_square'}"
            + (f", wind: {{profile: [{levels}]}}" if shear else
               f", wind: {{speed: {breeze * FOOT!r}, from: 270 deg}}" if breeze else "") +
            "}\nplants: {sphere: {model: sphere.yaml}}\n"
            f"vehicles:\n  sphere: {{plant: sphere, drag_area: {DRAG_AREA!r}, initial: {{frame: ned, latitude: 0, "
            f"longitude: 0, altitude: {altitude * FOOT!r}, "
            f"velocity: [{', '.join(repr(v * FOOT) for v in velocity)}]}}}}\n"
            'record: ["sphere.ecef.*"]\n')


COLUMNS = [f"{kind}.{axis}" for kind in ("position", "velocity") for axis in "xyz"]


def near(what, value, wanted, tolerance):
    if not abs(value - wanted) <= tolerance:
        sys.exit(f"{what} is {value!r}, not {wanted!r}: off by {value - wanted:.3g}, more than {tolerance}")


def test_solver():
    """The other formulation against the tables: Earth-fixed places, and velocities as a check of the turning."""
    for case in (4, 6, 9):
        with open(SOURCE / f"test/references/flight/ref_nesc_atmos_{case:02}.csv", newline="") as stream:
            known = list(csv.DictReader(stream))
        for row, found in zip(known, solve(case), strict=True):
            for i, axis in enumerate("xyz"):
                near(f"case {case}, t = {row['t_s']}: solver's {axis}", found[i], float(row[f"ecef_{axis}_m"]), 1e-6)
            down = math.hypot(*found[3:]) ** 2
            near(f"case {case}, t = {row['t_s']}: solver's speed", math.sqrt(down),
                 math.hypot(*(float(row[f"v{axis}_mps"]) for axis in "ned")), 1e-8)


def test_spheres():
    """Cases 5, 7, 8 and 10, and 6 again, which shows that the wind of 7 and 8 moves the sphere by metres."""
    (WORK / "sphere.yaml").write_text(
        "ironbird: 1\nbodies:\n  sphere: {mass: 1 slug, inertia: ["
        + ", ".join(3 * [repr(3.6 * SLUG * FOOT * FOOT)]) + "]}\n")
    ends = {}
    for case in (5, 6, 7, 8, 10):
        rows = fly(f"case{case}", mission(case))
        for second, (row, wanted) in enumerate(zip(rows, solve(case), strict=True)):
            for column, value in zip(COLUMNS, wanted):
                near(f"case {case}, t = {second}: {column}", row[f"sphere.ecef.{column}"], value,
                     1e-6 if column.startswith("position") else 1e-8)
        ends[case] = rows[-1]["sphere.ecef.position.y"]
    if not (0.1 < ends[7] - ends[6] < 20 and ends[8] - ends[6] > ends[7] - ends[6]):
        sys.exit(f"the wind moves the spheres to {ends}")


def test_brick():
    """Case 3, whose torques are an aerodynamic force of the model: from 37 deg/s the air brakes the brick to
    20 millionths. Rates are inertial, in the coefficients too."""
    inertia, rates = ", ".join(map(repr, BRICK)), ", ".join(f"{rate} deg/s" for rate in TUMBLE)
    (WORK / "brick.yaml").write_text(
        f"ironbird: 1\nbodies:\n  brick: {{mass: 2.268, inertia: [{inertia}]}}\n"
        f"forces:\n  air: {{type: aerodynamic, body1: brick, reference_area: {AREA!r}, reference_length: {CHORD!r}, "
        f"reference_span: {SPAN!r}, axes: body, coefficients: {{Cl: -p_hat, Cm: -q_hat, Cn: -r_hat}}}}\n"
        "simulation: {solver: rk4, step: 0.001}\n")
    rows = fly("case3",
               "ironbird: 1\nmission: case 3\ntime: {end: 30, output_step: 1}\nplants: {brick: {model: brick.yaml}}\n"
               "vehicles:\n  brick: {plant: brick, initial: {frame: ned, latitude: 0, longitude: 0, altitude: 9144, "
               f"rates: [{rates}], rates_relative_to: inertial}}}}\n"
               'record: ["brick.ecef.*", "brick.body.rate.*"]\n')
    for second, (row, wanted) in enumerate(zip(rows, solve(3, step=0.01), strict=True)):
        for column, value in zip(COLUMNS, wanted):
            near(f"case 3, t = {second}: {column}", row[f"brick.ecef.{column}"], value,
                 1e-6 if column.startswith("position") else 1e-8)
        for axis, value in zip("xyz", wanted[6:]):
            near(f"case 3, t = {second}: rate {axis}", math.degrees(row[f"brick.body.rate.{axis}"]),
                 math.degrees(value), 1e-8)
    if math.hypot(*(rows[-1][f"brick.body.rate.{axis}"] for axis in "xyz")) > math.radians(1e-4):
        sys.exit("the brick is not damped")


if __name__ == "__main__":
    for test in (test_solver, test_spheres, test_brick):
        test()
