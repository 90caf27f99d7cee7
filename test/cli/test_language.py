"""The model language from the file to the results: splines, tables, included files,
sensors."""
import itertools
import json
import math
import time
import unittest

from cli_test import CliTest

# A body that moves through x = t at t.
MOVING = """\
ironbird: 1
bodies: {b: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0]}}
measures: {x: {type: displacement, body1: b, component: x}}
"""


class Splines(CliTest):
    def test_values(self):
        """Values over x of two of SciPy's splines, from lists and from a file."""
        self.write("data/curve.csv", "x, y\n0, 0\n0.1, 0.5\n1, 0.75\n1.5, 3\n4, 3\n4.5, 10\n")
        self.write("m.yaml", MOVING + """\
splines:
  up: {type: pchip, file: data/curve.csv, header_lines: 1}
  bent: {type: cubic, x: [0, 1, 1.25, 3], y: [1, 3, -1, 0.5]}
outputs: {up: up(x), bent: bent(x)}
simulation: {end: 5, output_step: 0.5, record: ['*.value']}
""")
        self.ironbird("run", "m.yaml")
        header, rows = self.rows("out/m")
        up = [row[header.index("up.value")] for row in rows]
        bent = [row[header.index("bent.value")] for row in rows]
        for have, want in zip(up[2:10], [0.75] + [3] * 6 + [10]):  # flat between equal values
            self.assertAlmostEqual(have, want, delta=1e-12)
        self.assertAlmostEqual(up[1], 0.6331623362339963, delta=1e-8)
        self.assertAlmostEqual(bent[1], 7.026785714285715, delta=1e-8)
        self.assertAlmostEqual(bent[4], -12.38571428571429, delta=1e-8)
        # Beyond the ends straight on.
        self.assertAlmostEqual(bent[10] - bent[9], bent[9] - bent[8], delta=1e-8)
        self.assertAlmostEqual(up[10] - up[9], 0.5 * 16.333333333333336, delta=1e-8)


class Tables(CliTest):
    MODEL = MOVING + """\
tables:
  f: {file: data/f.txt, header_lines: 1}
  g: {axes: [[0, 1, 2, 4], [0, 1, 3, 4]], type: cubic, values: [%s]}
outputs: {f: 'f(x, 2 * x, 1 - x)', g: 'g(x, x / 2)'}
simulation: {end: 4, output_step: 0.5, record: ['*.value']}
""" % ", ".join(str([a ** 3 - a * b * b for b in (0, 1, 3, 4)]) for a in (0, 1, 2, 4))

    def rows_of_f(self):
        return [f"{a} {b} {c} {a * b - 2 * c}" for a, b, c in itertools.product((0, 1, 5), (0, 9), (-4, 0, 1))]

    def test_values(self):
        """Products of lines, and of cubics, are what they are; beyond the grid straight on."""
        self.write("data/f.txt", "\n".join(["x y z f"] + self.rows_of_f()))
        self.write("m.yaml", self.MODEL)
        self.ironbird("run", "m.yaml")
        header, rows = self.rows("out/m")
        for row in rows:
            x = row[0]
            self.assertAlmostEqual(row[header.index("f.value")], 2 * x * x - 2 * (1 - x), delta=1e-9)
            self.assertAlmostEqual(row[header.index("g.value")], x ** 3 - x * x * x / 4, delta=1e-9)

    def test_force(self):
        """A force from a table is the force written out, and implicit steps differentiate it."""
        model = """\
ironbird: 1
bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}}
joints: {j: {type: prismatic, body1: b, axis: [1, 0, 0]}}
measures:
  x: {type: displacement, body1: b, component: x}
  v: {type: velocity, body1: b, component: x}
tables: {law: {type: cubic, axes: [[-1, 0, 1, 2], [-3, -1, 1, 3]], values: [%s]}}
forces: {f: {type: expression_force, body1: b, axis: [1, 0, 0], force: FORCE}}
simulation: {end: 2, output_step: 0.1, SOLVER, record: ['b.position.x']}
""" % ", ".join(str([-9 * x ** 3 - x - 0.25 * v for v in (-3, -1, 1, 3)]) for x in (-1, 0, 1, 2))
        for solver in ("solver: dopri5, rtol: 1e-10", "solver: generalized_alpha, step: 1 ms"):
            for name, law in (("a", "'law(x, v)'"), ("b", "-9 * x^3 - x - 0.25 * v")):
                self.write(f"{name}.yaml", model.replace("FORCE", law).replace("SOLVER", solver))
                self.ironbird("run", f"{name}.yaml")
            self.ironbird("compare", "out/a", "out/b", "--atol", "1e-9", "--rtol", "0")

    def test_bad_rows(self):
        """The row of the file, and nothing left behind."""
        rows = self.rows_of_f()
        for change, place, words in [
                (rows[:7] + rows[8:], "9:1", r"the grid wants the point \(1, 0, 0\) here"),
                (rows[:-1], "18:1", r"goes on with the point \(5, 9, 1\)"),
                (rows + ["5 9 2 3"], "20:1", "the grid is full"),
                (rows[:2] + ["0 0 1"] + rows[3:], "4:1", "3 columns, the first one has 4"),
                (rows[:2] + ["0 0 1 nan"] + rows[3:], "4:7", "finite number"),
                ([rows[0], rows[2], rows[1]] + rows[3:], "4:5", "argument 3 must strictly increase")]:
            self.write("data/f.txt", "\n".join(["x y z f"] + change))
            self.write("m.yaml", self.MODEL)
            for command, code in (("check", 1), ("run", 2)):
                done = self.ironbird(command, "m.yaml", code=code)
                self.assertRegex(done.stderr, f"data/f.txt:{place}: error: .*{words}")
        self.assertFalse((self.folder / "out").exists())


# One of everything whose meaning depends on where the file's axes are. The vertical is z.
ASSEMBLY = """\
ironbird: 1
GRAVITY
parameters: {k: 200, two: 2 * k}
points: {hub: [0.3, 0.1, 0.2]}
frames: {slanted: {z: [1, 0.5, 2]}}
bodies:
  arm: {mass: 1, inertia: [0.1, 0.2, 0.15], position: hub, velocity: [0.05, 0, 0], angular_velocity: [0, 0.1, 0]}
  bob: {mass: 2, inertia: [0.2, 0.1, 0.1], position: [0.3, 0.1, -0.4], orientation: slanted,
        velocity: [0.1, 0.2, 0]}
  cart: {mass: 3, inertia: [1, 1, 1]}
joints:
  pin: {type: spherical, body1: arm, point: [0, 0.1, 0.2]}
  rail: {type: generic, body1: cart, lock: [y, z, rx, ry, rz], point: [0, 0, 0]}
measures:
  x: {type: displacement, body1: cart, component: x}
  y: {type: displacement, body1: bob, body2: arm, component: y}
  v: {type: velocity, body1: bob, component: z}
  lean: {type: direction, body1: bob, vector: [0, 1, 2], component: x}
  turn: {type: angle, body1: arm, orientation: slanted}
  swing: {type: angle, body1: arm, vector: [1, 0, 0], plane: [[1, 0, 0], [0, 0, 1]]}
  w: {type: angular_velocity, body1: bob, component: y}
  a: {type: specific_force, body1: bob, frame: global, component: x}
forces:
  tie: {type: spring_damper, body1: bob, stiffness: two, damping: 3, free_length: 0.4}
  rod: {type: spring_damper, body1: bob, body2: arm, stiffness: k, damping: 1}
  wind: {type: force, body1: bob, value: [0.5 * cos(t), v, x]}
  motor: {type: torque, body1: arm, body2: bob, value: [0.1, 0, 0.2 * t]}
  pull: {type: expression_force, body1: cart, axis: [1, 0.2, 0], force: -30 * x + 2}
  twist: {type: expression_torque, body1: bob, body2: arm, axis: [0, 1, 1], torque: -0.1 * w}
outputs: {o_x: x, o_y: y, o_v: v, o_lean: lean, o_turn: turn, o_swing: swing, o_w: w, o_a: a}
simulation: {end: 1, output_step: 0.1, rtol: 1e-10}
"""


def rotated(q, v):
    w, r = q[0], q[1:]
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    once = cross(r, v)
    twice = cross(r, once)
    return [v[i] + 2 * (w * once[i] + twice[i]) for i in range(3)]


class Include(CliTest):
    def columns(self, folder):
        header, rows = self.rows(folder)
        return {name: [row[i] for row in rows] for i, name in enumerate(header)}

    def test_moved_and_turned(self):
        """An included file, moved and turned together with gravity, moves as by itself: positions are
        moved and turned, its measures, outputs and scalar forces the same numbers."""
        q, at = [0.5, 0.1, -0.7, math.sqrt(1 - 0.25 - 0.01 - 0.49)], [3, -2, 1]
        gravity = [0, 0, -9.81]
        self.write("alone.yaml", ASSEMBLY.replace("GRAVITY", f"gravity: {gravity}"))
        self.write("parts/part.yaml", ASSEMBLY.replace("GRAVITY", ""))
        self.write("parts/middle.yaml", "ironbird: 1\ninclude: [{file: part.yaml, as: p, at: [0, 0, 1], "
                   "orientation: {sequence: zyx, angles: [0.4, 0, 0]}}]\n")
        # The middle file stands so that the part is at `at`, turned by q.
        half = [math.cos(-0.2), 0, 0, math.sin(-0.2)]
        outer = [q[0] * half[0] - q[3] * half[3], q[1] * half[0] + q[2] * half[3],
                 q[2] * half[0] - q[1] * half[3], q[0] * half[3] + q[3] * half[0]]
        place = [a - b for a, b in zip(at, rotated(outer, [0, 0, 1]))]
        self.write("whole.yaml", f"ironbird: 1\ngravity: {rotated(q, gravity)}\ninclude:\n"
                   f"  - {{file: parts/middle.yaml, as: m, at: {place}, orientation: {outer}}}\n"
                   "simulation: {end: 1, output_step: 0.1, rtol: 1e-10}\n")
        self.ironbird("run", "alone.yaml")
        self.ironbird("run", "whole.yaml")
        alone, whole = self.columns("out/alone"), self.columns("out/whole")
        self.assertEqual(len(alone), len(whole))
        for name, values in alone.items():
            if name.endswith(".value"):
                for have, want in zip(whole["m.p." + name], values):
                    self.assertAlmostEqual(have, want, delta=2e-8, msg=name)
            elif name.endswith((".position.x", ".velocity.x", ".force.x", ".torque.x")) and \
                    "angular" not in name:
                for k in range(len(values)):
                    vector = [alone[name[:-1] + c][k] for c in "xyz"]
                    want = rotated(q, vector)
                    if "position" in name:
                        want = [a + b for a, b in zip(want, at)]
                    for c, component in zip("xyz", want):
                        self.assertAlmostEqual(whole["m.p." + name[:-1] + c][k], component, delta=2e-7,
                                               msg=name)
        moves = alone["bob.position.y"]
        self.assertGreater(max(moves) - min(moves), 0.01)

    def test_parameters_and_set(self):
        self.write("wheel.yaml", "ironbird: 1\nparameters: {k: 100}\n"
                   "bodies: {hub: {mass: 1, inertia: [1, 1, 1], position: [0.1, 0, 0]}}\n"
                   "joints: {j: {type: prismatic, body1: hub, axis: [1, 0, 0]}}\n"
                   "measures: {x: {type: displacement, body1: hub, component: x}}\n"
                   "forces: {f: {type: expression_force, body1: hub, axis: [1, 0, 0], force: -k * x}}\n")
        self.write("car.yaml", "ironbird: 1\nparameters: {stiff: 50}\ninclude:\n"
                   "  - {file: wheel.yaml, as: front, parameters: {k: 8 * stiff}}\n"
                   "  - {file: wheel.yaml, as: rear, at: [-1, 0, 0]}\n"
                   "outputs: {sum: front.x + rear.x}\nsimulation: {end: 1, output_step: 0.1}\n")
        for sets, front, rear in [((), 20, 10), (("stiff=18",), 12, 10),
                                  (("front.k=4", "rear.k=2 * stiff + 44"), 2, 12)]:
            self.ironbird("run", "car.yaml", "--out", "o", *[f"--set={s}" for s in sets])
            columns = self.columns("o")
            for k, t in enumerate(columns["time"]):
                self.assertAlmostEqual(columns["front.hub.position.x"][k], 0.1 * math.cos(front * t), delta=1e-5)
                self.assertAlmostEqual(columns["rear.hub.position.x"][k], -1 + 0.1 * math.cos(rear * t),
                                       delta=1e-5)
        done = self.ironbird("run", "car.yaml", "--set", "frontt.k=3", code=2)
        self.assertIn("did you mean 'front.k'?", done.stderr)
        done = self.ironbird("run", "car.yaml", "--record", "rear.*", "--out", "r")
        self.assertEqual({name.split(".")[0] for name in self.rows("r")[0][1:]}, {"rear"})

    def test_set_everywhere(self):
        """--set reaches check and info, and settings have options on run."""
        self.write("m.yaml", MOVING + "parameters: {k: 2}\nforces: {f: {type: force, body1: b, "
                   "value: [sqrt(k), 0, 0]}}\nsimulation: {end: 1, output_step: 0.25}\n")
        self.assertIn("k = 3,", self.ironbird("info", "m.yaml", "--set", "k=3").stdout.replace("\n", ","))
        self.assertEqual(json.loads(self.ironbird("info", "m.yaml", "--set", "k=10 mm", "--json").stdout)
                         ["parameters"], {"k": 0.01})
        self.ironbird("check", "m.yaml", "--set", "k=3")
        for command, code in (("check", 1), ("info", 2), ("run", 2)):
            done = self.ironbird(command, "m.yaml", "--set", "q=3", code=code)
            self.assertIn("--set q:1:1: error: there is no parameter 'q'", done.stderr)
            done = self.ironbird(command, "m.yaml", "--set", "q", code=2)
            self.assertIn("is not of the form NAME=VALUE", done.stderr)
        for options, settings in [
                (["--solver", "rk4", "--step", "50 ms"], {"solver": "rk4", "step": 0.05}),
                (["--rtol", "1e-9", "--solver=dopri5"], {"solver": "dopri5", "rtol": 1e-9, "atol": 1e-9}),
                (["--set", "simulation.end=0.5", "--set", "simulation.output_step=0.125"],
                 {"end": 0.5, "output_step": 0.125})]:
            self.ironbird("run", "m.yaml", *options)
            have = self.run_json("out/m")["settings"]
            self.assertEqual({name: have[name] for name in settings}, settings)

    def test_errors(self):
        """The file, line and column of the mistake, wherever it is."""
        part = "ironbird: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
        whole = "ironbird: 1\ninclude: [{file: sub/part.yaml, as: a}, {file: sub/part.yaml, as: c}]\n"
        for text, place, words in [
                (part + "joints: {j: {type: fixed, body1: bb}}\n", "sub/part.yaml:3:34", "no body 'bb'"),
                (part + "include: [{file: ../m.yaml, as: m}]\n", "sub/part.yaml:3:18",
                 "m.yaml -> sub/part.yaml -> m.yaml"),
                (part + "include: [{file: none.yaml, as: m}]\n", "sub/part.yaml:3:18", "none.yaml"),
                (part + "splines: {s: {file: s.txt}}\n", "sub/s.txt:2:3", "finite number"),
                ("ironbird: 1\nbodies: [\n", "sub/part.yaml:3:1", "")]:
            self.write("sub/part.yaml", text)
            self.write("sub/s.txt", "0 0\n1 nan\n")
            self.write("m.yaml", whole)
            for command, code in (("check", 1), ("run", 2)):
                done = self.ironbird(command, "m.yaml", code=code)
                self.assertRegex(done.stderr.splitlines()[0], f"^(sub/../)?{place}: error: .*{words}")
                self.assertEqual(done.stderr.count("error:"), 1)
        self.write("sub/part.yaml", part)
        self.write("m.yaml", whole.replace("as: c", "as: a"))
        self.assertIn("m.yaml:2:67: error: the name 'a' is used twice",
                      self.ironbird("check", "m.yaml", code=1).stderr)
        self.write("m.yaml", whole.replace("as: c", "as: c, parameters: {k: 1}"))
        self.assertIn("m.yaml:2:83: error: parameters: 'sub/part.yaml' has no parameter 'k'",
                      self.ironbird("check", "m.yaml", code=1).stderr)

    def test_failure_while_running(self):
        """An expression that fails in an included file is shown there."""
        self.write("part.yaml", "ironbird: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                   "measures: {x: {type: displacement, body1: b, component: x}}\n"
                   "outputs: {o: log(0.5 - t) + x}\n")
        self.write("m.yaml", "ironbird: 1\ninclude: [{file: part.yaml, as: p}]\nsimulation: {end: 1}\n")
        done = self.ironbird("run", "m.yaml", code=3)
        self.assertRegex(done.stderr, "part.yaml:4:14: error: p.o: ")
        self.assertIn("outputs: {o: log(0.5 - t) + x}", done.stderr)


class Sensors(CliTest):
    PENDULUM = """\
ironbird: 1
gravity: [0, 0, -9.81]
bodies: {b: {mass: 2, inertia: [0, 0.1, 0.1], position: [0.5, 0, 0]}}
joints: {pin: {type: revolute, body1: b, point: [0, 0, 0], axis: [0, 1, 0]}}
forces: {brake: {type: expression_torque, body1: b, axis: [0, 1, 0], torque: "-0.1"}}
sensors:
  hinge: {type: joint, joint: pin, frame: b}
  way: {type: orientation, body: b, sequence: yxz}
  stop: {type: force, force: brake, frame: b}
simulation: {end: 1, output_step: 0.1, rtol: 1e-9}
"""

    def test_pendulum(self):
        """The angle about the axle is the Euler angle about it; the force along the rod is that of
        Newton's law, m (r w^2 + g sin a); the brake keeps its axis."""
        self.write("m.yaml", self.PENDULUM)
        self.ironbird("run", "m.yaml")
        header, rows = self.rows("out/m")
        at = {name: i for i, name in enumerate(header)}
        for row in rows:
            angle, rate = row[at["hinge.angle"]], row[at["hinge.angular_velocity"]]
            self.assertAlmostEqual(math.remainder(angle - row[at["way.angle.1"]], 2 * math.pi), 0, delta=1e-12)
            self.assertAlmostEqual(row[at["hinge.force.x"]],
                                   -2 * (0.5 * rate ** 2 + 9.81 * math.sin(angle)), delta=1e-6)
            self.assertEqual(row[at["stop.value"]], -0.1)
            for part, want in zip("xyz", (0, 1, 0)):
                self.assertAlmostEqual(row[at[f"stop.direction.{part}"]], want, delta=1e-14)
        self.assertGreater(rows[-1][at["hinge.angle"]], 2)
        channels = json.loads((self.folder / "out/m/channels.json").read_text())["channels"]
        units = {channel["name"]: channel["unit"] for channel in channels}
        self.assertEqual([units[f"hinge.{name}"] for name in ("angle", "force.x", "torque.y")],
                         ["rad", "N", "N m"])

    def test_errors(self):
        for sensors, place, words in [
                ("s: {type: joint, joint: pinn}", "7:27", "did you mean 'pin'"),
                ("s: {type: joint}", "7:3", "needs 'joint'"),
                ("s: {type: force, force: break}", "7:27", "no force 'break'"),
                ("s: {type: orientation, body: b, sequence: yaw}", "7:45", "no letter twice"),
                ("s: {type: orientation, body: ground}", "7:32", "not on the ground"),
                ("s: {type: joints, joint: pin}", "7:13", "did you mean 'joint'"),
                ("pin: {type: joint, joint: pin}", "7:3", "used twice")]:
            text = self.PENDULUM.splitlines()
            self.write("m.yaml", "\n".join(text[:6] + ["  " + sensors]))
            done = self.ironbird("check", "m.yaml", code=1)
            self.assertRegex(done.stderr, f"m.yaml:{place}: error: .*{words}")


class Kindness(CliTest):
    UNITS = {"-x": "m", "hypot(x - 1, y)": "m", "sqrt(x * y)": "m", "abs(v)": "m/s", "x / (t + 1)": "m/s",
             "x * y": "m^2", "v * v * w": "m^2 rad/s^3", "w / (x + 1)": "rad/m/s", "y / (x + 1)": "1",
             "atan2(y, x + 1)": "rad", "asin(lean)": "rad", "if_else(x > 1, v, 2)": "m/s", "1 / (w + 1)": "",
             "sin(a)": "1", "w * 30 / pi": "", "2 * x": "", "k * x": "", "s(x)": "", "x + v": "", "x + u": "",
             "motor * 1 + 0 * x": "", "min(x, y) - 0.5": "m", "x^3": "m^3"}

    def test_units_of_channels(self):
        """Outputs, drivers and motors have units where they follow from those of the measures."""
        outputs = "".join(f"  o{i}: '{text}'\n" for i, text in enumerate(self.UNITS))
        self.write("m.yaml", """\
ironbird: 1
bodies: {b: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0]}}
inputs: {u: 0}
parameters: {k: 2}
splines: {s: {x: [0, 1], y: [0, 1]}}
measures:
  x: {type: displacement, body1: b, component: x}
  y: {type: displacement, body1: b, component: y}
  v: {type: velocity, body1: b, component: x}
  a: {type: angle, body1: b, orientation: [1, 0, 0, 0]}
  w: {type: angular_rate, body1: b, orientation: [1, 0, 0, 0]}
  lean: {type: direction, body1: b, vector: [0, 0, 1], component: z}
forces: {motor: {type: motor, command: w - 2, tau_up: 0.1}}
drivers: {go: {measure: y, motion: 0}, turn: {measure: a, motion: 0.5 * t}}
simulation: {end: 0.1}
outputs:
""" + outputs)
        self.ironbird("run", "m.yaml")
        channels = json.loads((self.folder / "out/m/channels.json").read_text())["channels"]
        units = {channel["name"]: channel["unit"] for channel in channels}
        for i, (text, unit) in enumerate(self.UNITS.items()):
            self.assertEqual(units[f"o{i}.value"], unit, text)
        self.assertEqual([units[f"go.{name}"] for name in ("lambda", "motion")], ["N", "m"])
        self.assertEqual([units[f"turn.{name}"] for name in ("lambda", "motion")], ["N m", "rad"])
        self.assertEqual(units["motor.value"], "rad/s")

    def test_words(self):
        """What newcomers write, and what they are told."""
        body = "ironbird: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
        for text, place, words in [
                (body.replace("mass: 1", "mass: 80kg"), "2:22", "a space is missing .*write 80 kg"),
                (body + "points: {p: [80cm, 0, 0]}\n", "3:16", "a space is missing .*write 80 cm"),
                (body + "joints: {j: {type: fixed, body1: groud, body2: b}}\n", "3:34", "did you mean 'ground'"),
                (body + "joints: {j: {type: fixed, body: b}}\n", "3:27", "did you mean 'body1'"),
                (body + "measures: {a: {type: angle, body1: b, axis: [0, 1, 0]}}\n", "3:39",
                 r"write orientation: \{z: \[0, 1, 0\]\}"),
                (body[len("ironbird: 1\n"):], "1:1", "begin the file with the line 'ironbird: 1'")]:
            self.write("m.yaml", text)
            for command, code in (("check", 1), ("run", 2)):
                done = self.ironbird(command, "m.yaml", code=code)
                self.assertRegex(done.stderr.splitlines()[0], f"^m.yaml:{place}: error: .*{words}")
                self.assertEqual(done.stderr.count("error:"), 1)

    def test_keys_without_effect(self):
        self.write("m.yaml", MOVING + "simulation: {end: 0.1, solver: dopri5, alpha: -0.1, rho_infinity: 0.5}\n")
        done = self.ironbird("run", "m.yaml")
        self.assertIn("m.yaml:4:47: note: alpha: without effect unless solver is hht", done.stderr)
        self.assertIn("rho_infinity: without effect unless solver is generalized_alpha", done.stderr)
        self.assertEqual(self.ironbird("run", "m.yaml", "--quiet").stderr, "")
        self.assertNotIn("note: alpha", self.ironbird("run", "m.yaml", "--solver", "hht").stderr)

    def test_other_encodings(self):
        for encoding in ("utf-16-le", "utf-16-be", "utf-16"):
            (self.folder / "m.yaml").write_bytes(MOVING.encode(encoding))
            done = self.ironbird("check", "m.yaml", code=1)
            self.assertRegex(done.stderr, "^m.yaml:1:1: error: the file is UTF-16 text; save it as UTF-8")

    def test_endless_line(self):
        """Two hundred mistakes in a line of 8 MB: the first hundred are told, at once."""
        bodies = "".join(f"b{i}: {{mass: 1, inertia: [1, 1, 1]{', colour: red' if i % 500 == 0 else ''}}}, "
                         for i in range(100000))
        (self.folder / "m.yaml").write_text("{ironbird: 1, filler: '" + "x" * 4000000 + "', bodies: {" + bodies + "}}")
        begin = time.monotonic()
        done = self.ironbird("check", "m.yaml", code=1)
        self.assertLess(time.monotonic() - begin, 60)
        self.assertIn("more than 100 errors", done.stderr)
        self.assertLess(len(done.stderr), 100000)


if __name__ == "__main__":
    unittest.main()
