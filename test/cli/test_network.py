"""Networks: models and FMUs coupled to each other, against closed forms and recursions of their own."""
import csv
import json
import math
import os
import pathlib
import re
import shutil
import zipfile

from cli_test import CliTest, SOURCE

EXAMPLE = SOURCE / "examples" / "coupled_oscillator"
KEEPER = pathlib.Path(os.environ["IRONBIRD_BUILD"]) / "test" / "fmus" / "keeper3.fmu"

# y = gain u + bias at once: a body is there for the sake of the language alone.
AFFINE = """ironbird: 1
name: affine
parameters: {gain: 1, bias: 0}
inputs: {u: 0}
bodies: {mass: {mass: 1, inertia: [1, 1, 1]}}
measures: {x: {type: displacement, body1: mass, component: x}}
outputs: {y: gain * u + bias + 0 * x, square: gain * u * u + bias + 0 * x}
"""


class Network(CliTest):
    def setUp(self):
        super().setUp()
        for name in ("half.yaml", "network.yaml"):
            shutil.copy(EXAMPLE / name, self.folder / name)
        self.write("affine.yaml", AFFINE)
        self.write("root.yaml", AFFINE.replace("gain * u +", "log(u) +"))

    def rows(self, name="out/results.csv"):
        with (self.folder / name).open(newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def network(self, components, connections, coupling="{}", end="0.01", more=""):
        lines = "".join(f"  {name}: {{{what}}}\n" for name, what in components.items())
        links = "".join(f"  - {link}\n" for link in connections)
        self.write("net.yaml", f"ironbird: 1\nnetwork: test\ntime: {{end: {end}}}\ncomponents:\n{lines}"
                   f"connections:\n{links}coupling: {coupling}\n{more}")

    def run_network(self, *arguments, **options):
        return self.ironbird("run", "net.yaml", "--out", "out", *arguments, **options)

    def keeper(self, name, **units):
        """keeper3.fmu with units of its variables u and y."""
        with zipfile.ZipFile(KEEPER) as old, zipfile.ZipFile(self.folder / name, "w") as new:
            for entry in old.infolist():
                content = old.read(entry)
                if entry.filename == "modelDescription.xml":
                    text = content.decode()
                    for variable, unit in units.items():
                        text = text.replace(f'name="{variable}"', f'name="{variable}" unit="{unit}"')
                    text = text.replace(
                        "<DefaultExperiment", '<UnitDefinitions><Unit name="grad"><BaseUnit rad="1" '
                        'factor="0.015707963267948967"/></Unit><Unit name="rad"><BaseUnit rad="1"/></Unit>'
                        '<Unit name="degC"><BaseUnit K="1" offset="273.15"/></Unit>'
                        '<Unit name="K"><BaseUnit K="1"/></Unit></UnitDefinitions><DefaultExperiment', 1)
                    content = text.encode()
                new.writestr(entry, content)

    # ---- methods ----

    def test_jacobi_is_the_closed_form(self):
        """z -> (1 - iH) z a step; 1e-14: 100 steps of rounding."""
        self.ironbird("run", "network.yaml", "--out", "out")
        rows = self.rows()
        self.assertEqual(len(rows), 101)
        self.assertEqual(rows[-1]["time"], 1)
        for n, row in enumerate(rows):
            z = (1 - 0.01j) ** n
            self.assertAlmostEqual(row["left.v"], z.real, delta=1e-14)
            self.assertAlmostEqual(row["right.v"], z.imag, delta=1e-14)
            self.assertEqual(row["right.u"], row["left.v"])
        run = json.loads((self.folder / "out/run.json").read_text())
        self.assertEqual(run["statistics"]["solver"], "jacobi")
        self.assertEqual(run["statistics"]["steps"], 100)

    def test_gauss_seidel_in_either_order(self):
        text = (self.folder / "network.yaml").read_text()
        for first, second in (("left", "right"), ("right", "left")):
            self.write("network.yaml", text.replace("method: jacobi",
                                                    f"method: gauss_seidel, order: [{first}, {second}]"))
            self.ironbird("run", "network.yaml", "--out", "out")
            x, y = 1.0, 0.0
            for row in self.rows():
                self.assertAlmostEqual(row["left.v"], x, delta=1e-14)
                self.assertAlmostEqual(row["right.v"], y, delta=1e-14)
                if first == "left":
                    x += 0.01 * y
                    y -= 0.01 * x
                else:
                    y -= 0.01 * x
                    x += 0.01 * y

    def test_derived_order_puts_sources_first(self):
        self.network({"last": "model: half.yaml", "middle": "model: half.yaml", "first": "model: half.yaml"},
                     ["first.v -> middle.u", "middle.v -> last.u"], "{method: gauss_seidel}")
        info = json.loads(self.ironbird("info", "net.yaml", "--json").stdout)
        self.assertEqual(info["components"], ["first", "middle", "last"])
        self.assertEqual(info["method"], "gauss_seidel")
        self.assertIn("first, middle, last", self.ironbird("info", "net.yaml").stdout)

    def test_last_step_is_shortened(self):
        text = (self.folder / "network.yaml").read_text()
        self.write("network.yaml", text.replace("end: 1}", "end: 25 ms}"))
        self.ironbird("run", "network.yaml", "--out", "out")
        rows = self.rows()
        self.assertEqual([row["time"] for row in rows], [0, 0.01, 0.02, 0.025])
        z = (1 - 0.01j) ** 2 * (1 - 0.005j)
        self.assertAlmostEqual(rows[-1]["right.v"], z.imag, delta=1e-15)

    def controlled(self, tolerance):
        text = (self.folder / "network.yaml").read_text()
        self.write("net.yaml", text.replace("step: 10 ms", f"step: 100 ms, tolerance: {tolerance}"))
        self.run_network()
        statistics = json.loads((self.folder / "out/run.json").read_text())["statistics"]
        rows = self.rows()
        self.assertEqual([row["time"] for row in rows], [k / 10 for k in range(11)])
        error = max(abs(complex(row["left.v"], row["right.v"]) - complex(math.cos(row["time"]), -math.sin(row["time"])))
                    for row in rows)
        return error, statistics

    def test_steps_by_error(self):
        """Each step's error is below the tolerance, so the sum over the steps bounds that of the run; the error goes
        down with the steps, whose number grows with one over the root of the tolerance."""
        loose, fine = self.controlled(1e-4), self.controlled(1e-6)
        for (error, statistics), tolerance in ((loose, 1e-4), (fine, 1e-6)):
            self.assertLess(error, 2 * tolerance * statistics["steps"])
            self.assertGreater(statistics["rejections"], 0)
        self.assertGreater(fine[1]["steps"], 5 * loose[1]["steps"])
        self.assertLess(fine[0], loose[0] / 5)

    def test_rollback_of_an_fmu(self):
        """Steps with a tolerance that never binds are two halves each, whatever was tried before them."""
        shutil.copy(KEEPER, self.folder / "keeper.fmu")
        self.network({"model": "model: half.yaml, parameters: {gain: -1, start: 1}", "fmu": "fmu: keeper.fmu"},
                     ["fmu.x -> model.u", "model.v -> fmu.u"], "{step: 20 ms, tolerance: 1}", end="1")
        self.run_network()
        v, x = 1.0, 0.0
        for row in self.rows():
            self.assertAlmostEqual(row["model.v"], v, delta=1e-14)
            self.assertAlmostEqual(row["fmu.x"], x, delta=1e-14)
            for _ in range(2):
                v, x = v - 0.01 * x, x + 0.01 * (v - x)

    def test_component_that_cannot_go_back(self):
        with zipfile.ZipFile(KEEPER) as old, zipfile.ZipFile(self.folder / "stuck.fmu", "w") as new:
            for entry in old.infolist():
                content = old.read(entry).replace(b' canSerializeFMUState="true"', b"")
                new.writestr(entry, content)
        self.network({"fmu": "fmu: stuck.fmu"}, ["fmu.x -> fmu.u"], "{tolerance: 1e-3}")
        said = self.ironbird("check", "net.yaml", code=1).stderr
        self.assertIn("component 'fmu' cannot go back to an earlier state", said)
        self.assertIn("[IB0736]", said)

    # ---- extrapolation ----

    def end_error(self, coupling):
        """Of the coupled oscillator at t = 1, whose exact solution is exp(-it)."""
        text = (self.folder / "network.yaml").read_text()
        self.write("net.yaml", text.replace("method: jacobi, step: 10 ms", coupling))
        self.run_network("--quiet")
        row = self.rows()[-1]
        return abs(complex(row["left.v"], row["right.v"]) - complex(math.cos(1), -math.sin(1)))

    def test_order_of_extrapolation(self):
        """An extrapolation of order k makes methods of order k + 1. 0.02: what the next power of H adds at these
        steps; the oscillator's halves integrate a polynomial exactly, so that nothing else is in the error."""
        for method in ("jacobi", "gauss_seidel"):
            for order in (0, 1, 2):
                coarse, fine = (self.end_error(f"method: {method}, step: {step} ms, extrapolation: {order}")
                                for step in (20, 10))
                self.assertAlmostEqual(math.log2(coarse / fine), order + 1, delta=0.02)

    def test_linear_extrapolation_is_its_recursion(self):
        """Over a step the other half's value goes on by 3/2 of now less 1/2 of before, in the first by what it is;
        1e-14: 100 steps of rounding."""
        self.end_error("method: jacobi, step: 10 ms, extrapolation: 1")
        x, y, before = 1.0, 0.0, None
        for row in self.rows():
            self.assertAlmostEqual(row["left.v"], x, delta=1e-14)
            self.assertAlmostEqual(row["right.v"], y, delta=1e-14)
            self.assertEqual(row["right.u"], row["left.v"])
            u, w = (x, y) if before is None else (1.5 * x - 0.5 * before[0], 1.5 * y - 0.5 * before[1])
            before = x, y
            x, y = x + 0.01 * w, y - 0.01 * u

    def test_steps_by_error_with_extrapolation(self):
        """The same tolerance takes far fewer steps of a higher order, and keeps what it says."""
        counts = []
        for order in (0, 1, 2):
            error = self.end_error(f"step: 100 ms, tolerance: 1e-6, extrapolation: {order}")
            counts.append(json.loads((self.folder / "out/run.json").read_text())["statistics"]["steps"])
            self.assertLess(error, 2e-6 * counts[-1])
        self.assertLess(counts[1], counts[0] / 5)
        self.assertLess(counts[2], counts[1] / 1.5)

    def test_extrapolation_for_an_fmu(self):
        """keeper3.fmu holds its inputs, so it gets the mean over the step. Its own step is Euler's, which gives the
        recursion to the digit; 1e-14: 100 steps of rounding."""
        shutil.copy(KEEPER, self.folder / "keeper.fmu")
        self.network({"model": "model: half.yaml, parameters: {gain: -1, start: 1}", "fmu": "fmu: keeper.fmu"},
                     ["fmu.x -> model.u", "model.v -> fmu.u"], "{step: 10 ms, extrapolation: 1}", end="1")
        self.run_network()
        v, x, before = 1.0, 0.0, None
        for row in self.rows():
            self.assertAlmostEqual(row["model.v"], v, delta=1e-14)
            self.assertAlmostEqual(row["fmu.x"], x, delta=1e-14)
            self.assertEqual(row["fmu.u"], row["model.v"])
            push, u = (x, v) if before is None else (1.5 * x - 0.5 * before[0], 1.5 * v - 0.5 * before[1])
            before = x, v
            v, x = v - 0.01 * push, x + 0.01 * (u - x)

    def test_inputs_that_cannot_go_on(self):
        """A driver's position is the input's: it is held at the mean, and ends where the input is."""
        self.write("driven.yaml", """ironbird: 1
name: driven
inputs: {u: {start: 0, min: -2, max: 2}}
bodies: {mass: {mass: 1, inertia: [1, 1, 1]}}
joints: {guide: {type: prismatic, body1: mass, axis: [1, 0, 0]}}
measures: {x: {type: displacement, body1: mass, component: x}}
drivers: {pull: {measure: x, motion: 1e-3 * u}}
outputs: {y: x}
""")
        self.network({"source": "model: half.yaml, parameters: {start: 1}, start: {u: 1}",
                      "driven": "model: driven.yaml"},
                     ["source.v -> driven.u"], "{step: 10 ms, extrapolation: 2}", end="0.1")
        self.run_network()
        for row in self.rows():
            self.assertAlmostEqual(row["driven.y"], 1e-3 * row["source.v"], delta=1e-12)

    # ---- power ----

    BOND = "bonds: {spring: left.v * right.v}\n"

    def test_residual_is_the_energy_that_coupling_makes(self):
        """Held inputs: y1 u1 - u2 y2 = (x + H y) y - x (y - H x) = H r^2 at the end of a step, and H / 2 of it is by
        what (x^2 + y^2) / 2 grows. 1e-14: 100 steps of rounding."""
        self.write("network.yaml", (self.folder / "network.yaml").read_text() + self.BOND)
        self.ironbird("run", "network.yaml", "--out", "out")
        residual, square = 0.0, 1.0
        for row in self.rows():
            self.assertAlmostEqual(row["spring.residual"], residual, delta=1e-14)
            self.assertAlmostEqual(row["spring.residual"], (row["left.v"] ** 2 + row["right.v"] ** 2 - 1) / 2,
                                   delta=1e-14)
            residual += 0.01 ** 2 / 2 * square
            square *= 1 + 0.01 ** 2

    def test_residual_of_symplectic_steps_and_of_extrapolation(self):
        """Gauss-Seidel, left first: u1 = y, u2 = x' = x + H y, so (x + H y) y - (x + H y) (y - H (x + H y))
        = H (x + H y)^2. With extrapolation what is made in the end is smaller by an order and more."""
        text = (self.folder / "network.yaml").read_text() + self.BOND
        self.write("network.yaml", text.replace("method: jacobi", "method: gauss_seidel, order: [left, right]"))
        self.ironbird("run", "network.yaml", "--out", "out")
        x, y, residual = 1.0, 0.0, 0.0
        for row in self.rows():
            self.assertAlmostEqual(row["spring.residual"], residual, delta=1e-14)
            x += 0.01 * y
            y -= 0.01 * x
            residual += 0.01 ** 2 / 2 * x * x
        held = abs(residual)
        for order in (1, 2):
            self.write("network.yaml", text.replace("method: jacobi", f"method: jacobi, extrapolation: {order}"))
            self.ironbird("run", "network.yaml", "--out", "out")
            made = abs(self.rows()[-1]["spring.residual"])
            self.assertLess(made, held / 20)
            held = made

    def test_residual_goes_back_with_its_step(self):
        """Steps of two halves, each after a whole one that was taken back: the bits of steps of half the length."""
        text = (self.folder / "network.yaml").read_text() + self.BOND
        self.write("network.yaml", text)
        self.ironbird("run", "network.yaml", "--out", "out")
        straight = [row["spring.residual"] for row in self.rows()][::2]
        self.write("network.yaml", text.replace("step: 10 ms", "step: 20 ms, tolerance: 1"))
        self.ironbird("run", "network.yaml", "--out", "out")
        self.assertEqual([row["spring.residual"] for row in self.rows()], straight)

    def test_mistakes_in_bonds(self):
        text = (self.folder / "network.yaml").read_text()
        for bond, said in (("{left: left.v * right.v}", "a component has this name already"),
                           ("{s: left.v}", "write component.output * component.output"),
                           ("{s: left.v * left.v}", "connected to an input of the other's component")):
            self.write("net.yaml", text + f"bonds: {bond}\n")
            self.assertRegex(self.ironbird("check", "net.yaml", code=1).stderr, rf"{re.escape(said)}.*\[IB0369\]")
        self.write("net.yaml", text + "bonds: {s: left.v * rihgt.v}\n")
        self.assertIn("did you mean 'right'?", self.ironbird("check", "net.yaml", code=1).stderr)

    def test_order_out_of_range(self):
        text = (self.folder / "network.yaml").read_text()
        for order in ("3", "-1", "1.5"):
            self.write("net.yaml", text.replace("step: 10 ms", f"step: 10 ms, extrapolation: {order}"))
            self.assertRegex(self.ironbird("check", "net.yaml", code=1).stderr,
                             r"net.yaml:\d+:\d+: error: .*extrapolation.*\[IB0216\]")

    # ---- loops ----

    def test_linear_loop(self):
        """y1 = a y2 + 1, y2 = b y1: y1 = 1 / (1 - a b), to 1e-9 at least; contracting or not."""
        for a, b in ((0.5, 0.4), (-3, 2), (50, 1), (0.9999, 1)):
            self.network({"one": f"model: affine.yaml, parameters: {{gain: {a}, bias: 1}}",
                          "two": f"model: affine.yaml, parameters: {{gain: {b}}}"},
                         ["two.y -> one.u", "one.y -> two.u"])
            self.run_network()
            for row in self.rows():
                self.assertAlmostEqual(row["one.y"] * (1 - a * b), 1, delta=1e-9)
                self.assertAlmostEqual(row["two.y"], b * row["one.y"], delta=1e-9 * abs(row["two.y"]))

    def test_curved_loop(self):
        """y = u^2 / 2 - 1, u = y: the root near the start, 1 - sqrt(3)."""
        self.network({"one": "model: affine.yaml, parameters: {gain: 0.5, bias: -1}", "two": "model: affine.yaml"},
                     ["one.square -> two.u", "two.y -> one.u"])
        self.run_network()
        self.assertAlmostEqual(self.rows()[0]["one.square"], 1 - 3 ** 0.5, delta=1e-11)

    def test_loop_of_gain_one_is_refused(self):
        self.network({"one": "model: affine.yaml, parameters: {gain: 4, bias: 1}",
                      "two": "model: affine.yaml, parameters: {gain: 0.25}",
                      "follower": "model: affine.yaml"},
                     ["two.y -> one.u", "one.y -> two.u", "one.y -> follower.u"])
        said = self.ironbird("check", "net.yaml", code=1).stderr
        self.assertRegex(said, r"net.yaml:\d+:5: error: an algebraic loop has no single solution at t = 0 s: "
                         r"its gain is 1 \[IB0731\]")
        self.assertIn("'two.y -> one.u'", said)
        self.assertIn("'one.y -> two.u'", said)
        self.assertNotIn("goes through 'one.y -> follower.u'", said)

    def test_chain_without_a_loop_is_exact(self):
        """Bits of the chain itself, whatever the order of the connections."""
        self.network({name: f"model: affine.yaml, parameters: {{gain: 0.1, bias: {bias}}}"
                      for name, bias in (("a", 1), ("b", 2), ("c", 3), ("d", 4))},
                     ["c.y -> d.u", "b.y -> c.u", "a.y -> b.u"])
        self.run_network()
        y = 1.0
        for bias in (2, 3, 4):
            y = 0.1 * y + bias
        self.assertEqual(self.rows()[0]["d.y"], y)
        run = json.loads((self.folder / "out/run.json").read_text())
        self.assertEqual(run["statistics"]["iterations"], 0)

    # ---- models and FMUs ----

    def mixed(self, step):
        self.network({"model": "model: half.yaml, parameters: {gain: -1, start: 1}", "fmu": "fmu: keeper.fmu"},
                     ["fmu.x -> model.u", "model.v -> fmu.u"], f"{{step: {step} s}}", end="1")
        self.run_network()
        return self.rows()

    def test_model_with_an_fmu(self):
        """v' = -x of a model, x' = v - x of an FMU: its own recursion to rounding, and the whole to order H."""
        shutil.copy(KEEPER, self.folder / "keeper.fmu")
        v, x = 1.0, 0.0
        for row in self.mixed(0.01):
            self.assertAlmostEqual(row["model.v"], v, delta=1e-14)
            self.assertAlmostEqual(row["fmu.x"], x, delta=1e-14)
            v, x = v - 0.01 * x, x + 0.01 * (v - x)
        # The whole: x'' + x' + x = 0 with x = 0, x' = 1.
        w = 0.75 ** 0.5
        exact = math.exp(-0.5) * math.sin(w) / w
        errors = [abs(self.mixed(step)[-1]["fmu.x"] - exact) for step in (0.01, 0.005)]
        self.assertLess(errors[0], 5e-3)  # H / 2, the size of a first-order error
        self.assertAlmostEqual(errors[0] / errors[1], 2, delta=0.05)

    def test_two_runs_have_the_same_bits(self):
        shutil.copy(KEEPER, self.folder / "keeper.fmu")
        self.mixed(0.01)
        first = (self.folder / "out/results.csv").read_bytes()
        self.mixed(0.01)
        self.assertEqual(first, (self.folder / "out/results.csv").read_bytes())

    def test_parameters_starts_and_elements(self):
        shutil.copy(KEEPER, self.folder / "keeper.fmu")
        self.network({"a": "fmu: keeper.fmu, parameters: {k: '[2, 3]'}, start: {u: 4}", "b": "fmu: keeper.fmu"},
                     ["'a.w[2] -> b.u'"])
        self.run_network("--record", "*.u", "--record", "*.y")
        row = self.rows()[0]
        self.assertEqual(row["a.y"], 3 * 4 + 2 * 2 + 4 * 3)
        self.assertEqual(row["b.u"], 8)

    def test_units(self):
        self.keeper("grad.fmu", y="grad", u="rad", x="K")
        self.keeper("rad.fmu", u="rad", y="degC")
        self.network({"a": "fmu: grad.fmu", "b": "fmu: rad.fmu"}, ["a.y -> b.u"])
        self.run_network()
        row = self.rows()[0]
        self.assertEqual(row["b.u"], 0.015707963267948967 * row["a.y"])
        self.network({"a": "fmu: grad.fmu", "b": "fmu: rad.fmu"}, ["a.x -> b.u"])
        said = self.ironbird("check", "net.yaml", code=1).stderr
        self.assertIn("'a.x' is in K and 'b.u' in rad, which do not convert [IB0365]", said)

    def test_temperatures_have_an_offset(self):
        self.keeper("hot.fmu", x="K")
        self.keeper("cold.fmu", u="degC")
        self.network({"a": "fmu: hot.fmu, start: {u: 0}", "b": "fmu: cold.fmu"}, ["a.x -> b.u"])
        self.run_network()
        self.assertEqual(self.rows()[0]["b.u"], -273.15)

    # ---- mistakes ----

    def check(self, connection, said, identity):
        shutil.copy(KEEPER, self.folder / "keeper.fmu")
        self.network({"one": "model: affine.yaml", "two": "model: affine.yaml", "fmu": "fmu: keeper.fmu"},
                     ["one.y -> fmu.u", connection])
        text = self.ironbird("check", "net.yaml", code=1).stderr
        self.assertRegex(text, rf"net.yaml:10:5: error: .*{re.escape(said)}.*\[{identity}\]")
        return text

    def test_mistakes_in_connections(self):
        self.assertIn("did you mean 'two'?", self.check("twoo.y -> one.u", "no component 'twoo'", "IB0361"))
        self.assertIn("did you mean 'two.square'?",
                      self.check("two.sqare -> one.u", "has no variable 'sqare'", "IB0362"))
        self.check("two.y one.u", "is no connection", "IB0363")
        self.check("two.u -> one.u", "'two.u' is an input; a connection leads from an output", "IB0363")
        self.check("two.y -> one.square", "'one.square' is an output; a connection leads to an input", "IB0363")
        self.check("fmu.w -> one.u", "the output has 2 elements and the input 1", "IB0363")
        self.assertIn("connected here", self.check("two.y -> fmu.u", "'fmu.u' is connected already", "IB0364"))

    def test_mistakes_in_the_file(self):
        def said(text):
            self.write("net.yaml", "ironbird: 1\nnetwork: test\n" + text)
            return self.ironbird("check", "net.yaml", code=1).stderr

        self.assertIn("did you mean 'components'?", said("component: {}\n"))
        self.assertRegex(said("components: {a: {modell: affine.yaml}}\n"), r"net.yaml:3:18: error: .*'modell'")
        self.assertIn("exclude each other", said("components: {a: {model: affine.yaml, fmu: x.fmu}}\n"))
        self.assertIn("needs 'fmu'", said("components: {a: {}}\n"))
        self.assertIn("missing in the order [IB0366]", said(
            "components: {a: {model: affine.yaml}, b: {model: affine.yaml}}\n"
            "coupling: {method: gauss_seidel, order: [b]}\n"))
        self.assertIn("has no input 'y' [IB0362]", said("components: {a: {model: affine.yaml, start: {y: 1}}}\n"))
        self.assertIn("the communication step divides it [IB0715]", said(
            "time: {output_step: 15 ms}\ncomponents: {a: {model: affine.yaml}}\ncoupling: {step: 10 ms}\n"))
        self.assertIn("no channel matches 'b.*' [IB0904]",
                      said("components: {a: {model: affine.yaml}}\nrecord: ['b.*']\n"))

    def test_failure_keeps_rows_and_names_the_component(self):
        """The logarithm of what has fallen below zero."""
        self.network({"source": "model: half.yaml, parameters: {start: 1}, start: {u: -99}",
                      "sink": "model: root.yaml, start: {u: 1}", "end": "model: affine.yaml"},
                     ["source.v -> sink.u", "sink.y -> end.u"], "{step: 1 ms}", end="1",
                     more="record: ['source.*']\n")
        done = self.run_network("--quiet", code=3)
        self.assertIn("while 'sink.y' was read at t = 0.011 s", done.stderr)
        rows = self.rows()
        self.assertEqual(len(rows), 11)
        self.assertEqual(json.loads((self.folder / "out/run.json").read_text())["status"], "failed")

    def test_options_of_others_are_refused(self):
        for option in ("--threads=2", "--solver=rk4", "--tolerance=1"):
            self.assertIn("not yet supported for networks",
                          self.ironbird("run", "network.yaml", option, code=2).stderr)

    def test_plot(self):
        self.ironbird("run", "network.yaml", "--out", "out")
        self.ironbird("plot", "out", "left.v", "right.v", "-o", "net.svg")
        self.assertIn(b"<svg", (self.folder / "net.svg").read_bytes())

    def test_set(self):
        """--set: a component's parameter by its short name, any value by its path; mistakes point into the option."""
        self.network({"a": "model: affine.yaml, start: {u: 1}", "b": "model: affine.yaml, parameters: {gain: 2}"},
                     ["a.y -> b.u"], "{step: 1 ms}")
        value = lambda: self.rows()[-1]["b.y"]
        self.run_network()
        self.assertEqual(value(), 2)
        self.run_network("--set", "a.gain=3", "--set", "b.gain=5", "--set", "a.bias=0.5")
        self.assertEqual(value(), 17.5)
        self.run_network("--set", "components.a.start.u=4", "--set", "coupling.step=5 ms")
        self.assertEqual(value(), 8)
        self.assertEqual(json.loads((self.folder / "out/run.json").read_text())["settings"]["communication_step"], 0.005)
        for given, said in (("c.gain=1", r"a network has no 'c.gain' to set; names are COMPONENT.PARAMETER"),
                            ("a.gan=1", r"there is no parameter 'gan'; did you mean 'gain'(.*\n)*.*for component 'a'"),
                            ("coupling.stp=1", r"did you mean 'step'"),
                            ("components.c.model=x", r"there is no component 'c'")):
            self.assertRegex(self.run_network("--set", given, code=2).stderr, said)
            self.assertEqual(self.ironbird("check", "net.yaml", "--set", given, code=1).returncode, 1)
        self.assertIn("step", self.ironbird("info", "net.yaml", "--set", "coupling.step=5 ms").stdout)


if __name__ == "__main__":
    import unittest
    unittest.main()
