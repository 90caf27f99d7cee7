"""Solutions that the tests work out themselves, by means that have nothing in common with Ironbird."""
import cmath
import math


def turn(w, x, y, z, v):
    """The vector v turned by the unit quaternion (w, x, y, z)."""
    t = (2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0]))
    return (v[0] + w * t[0] + y * t[2] - z * t[1],
            v[1] + w * t[1] + z * t[0] - x * t[2],
            v[2] + w * t[2] + x * t[1] - y * t[0])


def product(p, q):
    """The product of two quaternions (w, x, y, z)."""
    return (p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0])


def scalar(acceleration, position, speed, times, step=1e-4):
    """position'' = acceleration(position, speed) at the given times, by classical Runge-Kutta."""
    found, now = [], 0.0
    for t in times:
        n = math.ceil((t - now) / step - 1e-9)
        h = (t - now) / n if n else 0.0
        for _ in range(n):
            a1 = acceleration(position, speed)
            v2 = speed + h / 2 * a1
            a2 = acceleration(position + h / 2 * speed, v2)
            v3 = speed + h / 2 * a2
            a3 = acceleration(position + h / 2 * v2, v3)
            v4 = speed + h * a3
            a4 = acceleration(position + h * v3, v4)
            position += h / 6 * (speed + 2 * v2 + 2 * v3 + v4)
            speed += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        now = t
        found.append((position, speed))
    return found


def fourbar(times, n):
    """The N-four-bar: couplers translate, so that all cranks are one pendulum."""
    rate = (9.81 * ((n + 1) / 2 + n)) / ((n + 1) / 3 + n)
    states = scalar(lambda angle, _: rate * math.sin(angle), 0.0, 1.0, times)
    return {"B0x": [math.sin(a) for a, _ in states], "B0y": [math.cos(a) for a, _ in states]}


def leaning(times):
    """The frame of lean_rpm: a damped pendulum on an elastic support."""
    inertia = 12 + 160 * 0.6 ** 2 + 0.06 + 8 * 0.4 ** 2
    moment = 9.81 * (160 * 0.6 + 8 * 0.4) - 1800
    states = scalar(lambda angle, rate: (moment * math.sin(angle) - 60 * rate) / inertia, 0.0, 0.8, times,
                    1e-3)
    return {"lean_deg": [math.degrees(a) for a, _ in states]}


def slider_crank(times):
    """Position of the slider and torque on the crank at 10 rad/s: with T = M(phi) w^2 / 2 the power
    balance gives tau = M'(phi) w^2 / 2 + V'(phi); derivatives by complex step."""
    r, l, w, g = 0.15, 0.3, 10.0, 9.81
    m1, j1, m2, j2, m3 = 0.36, 0.002727, 0.151104, 0.0045339259, 0.075552
    h = 1e-30

    def slider(phi):
        return r * cmath.cos(phi) + cmath.sqrt(l * l - (r * cmath.sin(phi)) ** 2)

    def inertia(phi):
        root = cmath.sqrt(l * l - (r * cmath.sin(phi)) ** 2)
        rod_rate = -r * cmath.cos(phi) / root
        x_rate = -r * cmath.sin(phi) * (1 + r * cmath.cos(phi) / root)
        middle = (x_rate - r * cmath.sin(phi)) / 2, r * cmath.cos(phi) / 2
        return (j1 + m1 * r * r / 4 + m2 * (middle[0] ** 2 + middle[1] ** 2) + j2 * rod_rate ** 2
                + m3 * x_rate ** 2)

    def torque(phi):
        lift = (m1 + m2) * g * r / 2 * math.cos(phi)
        return inertia(complex(phi, h)).imag / h * w * w / 2 + lift

    return {"x_slider": [slider(w * t).real for t in times], "tau": [torque(w * t) for t in times]}


def ramped(t, duration, order):
    """The lift's motion 0.1 sin(2 pi t) joined from rest within `duration`; order 0 to 2.

    The polynomial c4 t^4 + ... + c7 t^7 has the motion's value, velocity and acceleration at the end of
    the ramp, and no jerk there.
    """
    w = 2 * math.pi
    if t >= duration:
        return (0.1 * math.sin(w * t), 0.1 * w * math.cos(w * t), -0.1 * w * w * math.sin(w * t))[order]
    end = duration
    f = (0.1 * math.sin(w * end), 0.1 * w * math.cos(w * end), -0.1 * w * w * math.sin(w * end), 0.0)
    rows = [[falling(p, k) * end ** (p - k) for p in range(4, 8)] + [f[k]] for k in range(4)]
    c = solve(rows)
    return sum(c[p - 4] * falling(p, order) * t ** (p - order) for p in range(4, 8))


def falling(p, k):
    """p (p-1) ... (p-k+1), the factor of the k-th derivative of t^p."""
    return math.prod(range(p - k + 1, p + 1))


def solve(rows):
    """Gaussian elimination with pivoting; rows hold the right-hand side last."""
    n = len(rows)
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(n):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


# ---- the double-wishbone axle on its bench: circles and spheres -------------------------------------


def add(a, b, s=1.0):
    return [x + s * y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    return [x / math.sqrt(dot(a, a)) for x in a]


def distance(a, b):
    return math.sqrt(dot(add(a, b, -1), add(a, b, -1)))


def about(point, front, rear, angle):
    """A point turned about the line from rear to front."""
    half, axis = angle / 2, unit(add(front, rear, -1))
    s = math.sin(half)
    return add(front, turn(math.cos(half), s * axis[0], s * axis[1], s * axis[2], add(point, front, -1)))


def on_circle(front, rear, start, centre, radius):
    """Where the point `start`, turned about a line, is at a distance from `centre`: the nearer of two."""
    axis = unit(add(front, rear, -1))
    foot = add(front, axis, dot(add(start, front, -1), axis))
    u = add(start, foot, -1)
    v, w = cross(axis, u), add(foot, centre, -1)
    # |w + u cos + v sin| = radius
    a, b, c = 2 * dot(w, u), 2 * dot(w, v), radius**2 - dot(w, w) - dot(u, u)
    middle, off = math.atan2(b, a), math.acos(c / math.hypot(a, b))
    angle = min((middle - off, middle + off), key=lambda x: abs(math.remainder(x, 2 * math.pi)))
    return add(add(foot, u, math.cos(angle)), v, math.sin(angle))


def on_spheres(a, b, c, ra, rb, rc, near):
    """The point at distances ra, rb, rc from a, b, c: of the two the one nearer to `near`."""
    ab, ac = add(b, a, -1), add(c, a, -1)
    ex = unit(ab)
    i = dot(ex, ac)
    ey = unit(add(ac, ex, -i))
    ez, d, j = cross(ex, ey), math.sqrt(dot(ab, ab)), dot(ey, ac)
    x = (ra**2 - rb**2 + d**2) / (2 * d)
    y = (ra**2 - rc**2 + i**2 + j**2 - 2 * i * x) / (2 * j)
    z = math.sqrt(ra**2 - x**2 - y**2)
    both = [add(add(add(a, ex, x), ey, y), ez, s * z) for s in (1, -1)]
    return min(both, key=lambda p: distance(p, near))


CORNER = {"lower_front": (0.12, 0.38, 0.20), "lower_rear": (-0.20, 0.36, 0.21), "lower_ball": (0.005, 0.70, 0.18),
          "upper_front": (0.08, 0.45, 0.47), "upper_rear": (-0.14, 0.44, 0.46), "upper_ball": (-0.02, 0.66, 0.50),
          "tie_inner": (-0.13, 0.35, 0.25), "tie_outer": (-0.12, 0.69, 0.24), "spring_lower": (0.01, 0.58, 0.20),
          "spring_upper": (-0.02, 0.50, 0.62), "link_lower": (0.03, 0.52, 0.20), "link_upper": (0.03, 0.50, 0.32),
          "centre": (0, 0.75, 0.31)}


def corner(side, angle, rack):
    """(wheel centre, wheel's axis, spring's length, turn of the bar) at an angle of the lower arm."""
    p = {name: [x, side * y, z] for name, (x, y, z) in CORNER.items()}
    hinge = p["lower_front"], p["lower_rear"]
    lower = about(p["lower_ball"], *hinge, angle)
    upper = on_circle(p["upper_front"], p["upper_rear"], p["upper_ball"], lower,
                      distance(p["upper_ball"], p["lower_ball"]))
    inner = add(p["tie_inner"], [0, rack, 0])
    tie = on_spheres(lower, upper, inner, distance(p["tie_outer"], p["lower_ball"]),
                     distance(p["tie_outer"], p["upper_ball"]), distance(p["tie_outer"], p["tie_inner"]),
                     p["tie_outer"])

    def frame(a, b, c):
        x = unit(add(b, a, -1))
        z = unit(cross(x, add(c, a, -1)))
        return x, cross(z, x), z
    old, new = frame(p["lower_ball"], p["upper_ball"], p["tie_outer"]), frame(lower, upper, tie)

    def carried(vector):
        moved = [0, 0, 0]
        for o, n in zip(old, new):
            moved = add(moved, n, dot(o, vector))
        return moved
    spring = distance(about(p["spring_lower"], *hinge, angle), p["spring_upper"])
    pivot = [0.25, side * 0.3, 0.32]
    link = on_circle(pivot, add(pivot, [0, -1, 0]), p["link_upper"], about(p["link_lower"], *hinge, angle),
                     distance(p["link_upper"], p["link_lower"]))
    arm, start = add(link, pivot, -1), add(p["link_upper"], pivot, -1)
    bar = math.atan2(arm[0] * start[2] - arm[2] * start[0], arm[0] * start[0] + arm[2] * start[2])
    return add(lower, carried(add(p["centre"], p["lower_ball"], -1))), carried([0, 1, 0]), spring, bar


def double_wishbone(times):
    """The axle's bench: the lower arm's angle is the one at which the wheel is as high as it should be."""
    found = {f"{side}_{name}": [] for side in ("left", "right")
             for name in ("toe", "camber", "sideways", "forward", "spring", "bar")}
    for t in times:
        lift = 0.06 * math.sin(math.pi * t) ** 3 * (t < 4)
        rack = 0.008 * 5 * math.sin(math.pi * t) ** 3 * (t > 4)
        for name, side, rise in (("left", 1, lift), ("right", -1, lift if t < 2 else -lift)):
            a, b = 0.0, -side * 0.01  # secant
            fa = corner(side, a, rack)[0][2] - 0.31 - rise
            for _ in range(30):
                fb = corner(side, b, rack)[0][2] - 0.31 - rise
                if abs(fb) < 1e-15 or fa == fb:
                    break
                a, b, fa = b, b - fb * (b - a) / (fb - fa), fb
            centre, axis, spring, bar = corner(side, b, rack)
            start = corner(side, 0.0, 0.0)[2]
            values = (side * math.degrees(math.atan2(axis[0], axis[1])), -side * math.degrees(math.asin(axis[2])),
                      side * centre[1] - 0.75, centre[0], -4200 + 45e3 * (spring - start), bar)
            for key, value in zip(("toe", "camber", "sideways", "forward", "spring", "bar"), values):
                found[f"{name}_{key}"].append(value)
    return found


# ---- the benchmark bicycle: linear equations of lean and steering ------------------------------------


def whipple(times, v, push, step=1e-3):
    """M q'' + v C q' + (g K0 + v^2 K2) q = 0 with the numbers of Meijaard and others (2007); q are lean to
    the right and steering to the right, pushed with a roll rate."""
    m, c = ((80.81722, 2.31941332208709), (2.31941332208709, 0.29784188199686)), \
        ((0.0, 33.86641391492494), (-0.85035641456978, 1.68540397397560))
    k0, k2 = ((-80.95, -2.59951685249872), (-2.59951685249872, -0.80329488458618)), \
        ((0.0, 76.59734589573222), (0.0, 2.65431523794604))
    det = m[0][0] * m[1][1] - m[0][1] * m[1][0]

    def rates(y):
        f = [-sum(v * c[i][j] * y[2 + j] + (9.81 * k0[i][j] + v * v * k2[i][j]) * y[j] for j in (0, 1))
             for i in (0, 1)]
        return (y[2], y[3], (m[1][1] * f[0] - m[0][1] * f[1]) / det, (m[0][0] * f[1] - m[1][0] * f[0]) / det)

    y, now, found = [0.0, 0.0, push, 0.0], 0.0, []
    for t in times:
        n = math.ceil((t - now) / step - 1e-9)
        h = (t - now) / n if n else 0.0
        for _ in range(n):
            a = rates(y)
            b = rates(add(y, a, h / 2))
            c3 = rates(add(y, b, h / 2))
            d = rates(add(y, c3, h))
            y = [x + h / 6 * (p + 2 * q + 2 * r + s) for x, p, q, r, s in zip(y, a, b, c3, d)]
        now = t
        found.append(y)
    return {"lean": [y[0] for y in found], "steer": [y[1] for y in found]}
