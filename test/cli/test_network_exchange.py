"""FMUs for Model Exchange as components of networks, against closed forms and runs of their own."""
import csv
import json
import math
import os
import pathlib
import shutil
import unittest

from cli_test import SOURCE
from motion import MODES, MotionTest
from test_fmu_exchange import impacts

HALF = SOURCE / "examples" / "coupled_oscillator" / "half.yaml"
KEEPER = pathlib.Path(os.environ["IRONBIRD_BUILD"]) / "test" / "fmus" / "keeper3.fmu"
STATE = ' canGetAndSetFMUState="true" canSerializeFMUState="true"'


def height(time, g=9.81, e=0.7):
    """Of a ball dropped from 1 m."""
    last, speed = None, math.sqrt(2 * g)
    for impact in impacts(30, g, e):
        if impact > time:
            break
        last, speed = impact, speed * e
    return 1 - g * time * time / 2 if last is None else speed * (time - last) - g * (time - last) ** 2 / 2


class Exchange(MotionTest):
    def setUp(self):
        super().setUp()
        shutil.copy(HALF, self.folder / "half.yaml")
        shutil.copy(KEEPER, self.folder / "keeper.fmu")

    def network(self, components, connections, coupling, end="1", more=""):
        lines = "".join(f"  {name}: {{{what}}}\n" for name, what in components.items())
        links = "".join(f"  - {link}\n" for link in connections)
        links = f"connections:\n{links}" if links else ""
        self.write("net.yaml", f"ironbird: 1\nnetwork: test\ntime: {{end: {end}}}\ncomponents:\n{lines}"
                   f"{links}coupling: {coupling}\n{more}")

    def run_network(self, *arguments, **options):
        done = self.ironbird("run", "net.yaml", "--out", "out", "--quiet", *arguments, **options)
        with (self.folder / "out/results.csv").open(newline="") as file:
            return done, [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def halves(self, coupling, version=3, change=lambda text: text):
        """x' = y, y' = x from (1, 0): cosh and sinh."""
        self.motion("driven", version, change=change)
        self.network({"left": "fmu: driven.fmu, kind: me, tolerance: 1e-10, parameters: {x: 1}",
                      "right": "fmu: driven.fmu, tolerance: 1e-10"},
                     ["left.x -> right.u", "right.x -> left.u"], coupling)
        return self.run_network()[1]

    def test_two_halves(self):
        """The order of the extrapolation plus 1, and with order 2 the exact solution; 0.03: what the next power of H
        adds."""
        for version in (2, 3):
            for method in ("jacobi", "gauss_seidel"):
                for order in (0, 1):
                    ends = [self.halves(f"{{method: {method}, step: {step} ms, extrapolation: {order}}}", version)[-1]
                            for step in (20, 10)]
                    errors = [abs(row["left.x"] - math.cosh(1)) for row in ends]
                    self.assertAlmostEqual(math.log2(errors[0] / errors[1]), order + 1, delta=0.03)

    def test_order_two_from_the_start(self):
        """Needs the first step twice, and so an FMU that can go back; the tolerance of the solver is far below."""
        change = lambda text: text.replace('modelIdentifier="motion"', 'modelIdentifier="motion"' + STATE)
        errors = [abs(self.halves(f"{{step: {step} ms, extrapolation: 2}}", change=change)[-1]["left.x"] - math.cosh(1))
                  for step in (20, 10)]
        self.assertLess(errors[1], 2e-6)
        self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 3, delta=0.03)

    def test_rollback_has_the_same_bits(self):
        """A tolerance that never binds: steps of two halves, each taken after a whole one that was taken back."""
        change = lambda text: text.replace('modelIdentifier="motion"', 'modelIdentifier="motion"' + STATE)
        straight = self.halves("{step: 10 ms}", change=change)[::2]
        back = self.halves("{step: 20 ms, tolerance: 1}", change=change)
        self.assertEqual(straight, back)

    def test_fmu_that_cannot_go_back(self):
        self.motion("driven")
        self.network({"a": "fmu: driven.fmu"}, ["a.x -> a.u"], "{tolerance: 1e-3}")
        self.assertIn("component 'a' cannot go back", self.ironbird("check", "net.yaml", code=1).stderr)

    def mixed(self):
        """A ball for Model Exchange, the speed of a model and an FMU for Co-Simulation, in steps that do not fall on
        impacts."""
        for version in (2, 3):
            self.motion("ball", version)
            self.network({"ball": "fmu: ball.fmu, tolerance: 1e-9", "model": "model: half.yaml", "fmu": "fmu: keeper.fmu"},
                         ["ball.h -> model.u", "model.v -> fmu.u"], "{step: 10 ms}", end="2")
            _, rows = self.run_network()
            yield rows

    def test_state_events_within_steps(self):
        """1e-6: the tolerance and what four impacts make of it. The others see what the ball was at each point."""
        for rows in self.mixed():
            v = x = 0.0
            for row in rows:
                self.assertAlmostEqual(row["ball.h"], height(row["time"]), delta=1e-6)
                self.assertAlmostEqual(row["model.v"], v, delta=1e-12)
                self.assertAlmostEqual(row["fmu.x"], x, delta=1e-12)
                v, x = v + 0.01 * row["ball.h"], x + 0.01 * (v - x)
            _, alone = self.simulate("ball", "--stop", "2", "--record", "events")
            self.assertEqual(rows[-1]["ball.events"], alone["events"][-1])

    def test_discrete_input_goes_through_event_mode(self):
        """motion3.c refuses calls in the wrong mode; x' = u + ud."""
        self.write("two.yaml", "ironbird: 1\nname: two\nbodies: {mass: {mass: 1, inertia: [1, 1, 1]}}\n"
                   "measures: {x: {type: displacement, body1: mass, component: x}}\noutputs: {y: 2 + 0 * x}\n")
        for version in (2, 3):
            for extrapolation in (0, 2):
                self.motion("driven", version)
                self.network({"a": "fmu: driven.fmu", "b": "model: two.yaml"}, ["b.y -> a.ud"],
                             f"{{step: 0.1 s, extrapolation: {extrapolation}}}")
                for row in self.run_network()[1]:
                    self.assertAlmostEqual(row["a.x"], 2 * row["time"], delta=1e-12)

    def test_stiff_solver(self):
        """Robertson's kinetics as `run X.fmu` has them; 1e-6: the tolerance of both is 1e-8."""
        self.motion("robertson")
        _, columns = self.simulate("robertson", "--solver", "stiff")
        self.network({"a": "fmu: robertson.fmu, kind: me, solver: stiff"}, [], "{step: 0.1 s}")
        last = self.run_network()[1][-1]
        for name in ("y1", "y2", "y3"):
            self.assertAlmostEqual(last[f"a.{name}"], columns[name][-1], delta=1e-6 * abs(columns[name][-1]))

    def test_time_events(self):
        """x jumps by 1 every 0.25 s, whatever the communication step."""
        self.motion("driven")
        self.network({"a": f"fmu: driven.fmu, parameters: {{mode: {MODES['ticks']}}}"}, [], "{step: 0.1 s}")
        for row in self.run_network()[1]:
            self.assertAlmostEqual(row["a.x"], math.floor(row["time"] / 0.25 + 1e-9), delta=1e-9)

    def test_failures_keep_rows(self):
        self.motion("driven")
        for mode, said in (("fail", "fmi3"), ("nothing", "no step, however small"), ("end", "ended the simulation")):
            self.network({"a": f"fmu: driven.fmu, parameters: {{mode: {MODES[mode]}}}"}, [], "{step: 40 ms}")
            done, rows = self.run_network(code=3)
            self.assertIn(said, done.stderr)
            self.assertRegex(done.stderr, "component 'a'.* in the step from t = 0.48 s to 0.52 s")
            self.assertEqual(len(rows), 13)
            run = json.loads((self.folder / "out/run.json").read_text())
            self.assertEqual(run["status"], "failed")

    def test_mistakes(self):
        def said(component):
            self.network({"a": component}, [], "{}")
            return self.ironbird("check", "net.yaml", code=1).stderr

        self.motion("driven")
        self.assertIn("does not offer Co-Simulation [IB1025]", said("fmu: driven.fmu, kind: cs"))
        self.assertIn("does not offer Model Exchange [IB1025]", said("fmu: keeper.fmu, kind: me"))
        self.assertIn("kind: a model has no use for it; FMUs do [IB0214]", said("model: half.yaml, kind: me"))
        self.assertIn("solver: in Co-Simulation an FMU brings its own [IB0214]",
                      said("fmu: driven.fmu, kind: cs, solver: stiff"))
        self.assertIn("tolerance: 2 is not between 0 and 1 [IB0607]", said("fmu: driven.fmu, tolerance: 2"))


if __name__ == "__main__":
    unittest.main()
