"""Modelica classes as FMUs: what is said where the compiler is missing, fails or would lose something
(with a stand-in for Rumoca), and with Rumoca itself the vehicles of models/vehicles against their twins
in YAML. Rumoca is looked for in the Python that IRONBIRD_RUMOCA names, as `make check-more` does."""
import csv
import os
import shutil
import sys
import unittest

from cli_test import SOURCE, CliTest

RUMOCA = os.environ.get("IRONBIRD_RUMOCA", "")
VEHICLES = SOURCE / "models/vehicles"
DECAY = """model Decay
  Real x(start = 1, fixed = true);
  output Real y;
  Real a;
  Real b;
equation
  b = x;
  a = b;
  der(x) = -a;
  y = x;
end Decay;
"""
BOUNCE = """model Ball
  Real h(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.8*pre(v));
  end when;
end Ball;
"""
# Behaves as far as it goes like the package; what goes wrong is in the model's text.
STAND_IN = '''
class File:
    path, content = "sources/X.c", ""
class Diagnostic:
    message = "EP001\\n\\n  \\u00d7 unexpected `;`\\n   \\u256d\\u2500[X.mo:2:8]\\n 2 |\\n"
class Model:
    name = "X"
    def __init__(self, text):
        self.text = text
    def codegen(self, target):
        if "no fmi" in self.text:
            raise RuntimeError("Target rendering error: FMI targets require the `fmi` feature")
        self.files = [File()]
        File.content = "#define N_EVENT_INDICATORS 2\\n" if "events" in self.text else ""
        return self
class Session:
    def __init__(self, roots):
        pass
    def load(self, path, model=None):
        with open(path) as file:
            text = file.read()
        if "syntax" in text:
            raise ValueError("X could not be compiled: unexpected `;`")
        if "meaning" in text:
            raise ValueError("unresolved: 'z'")
        return Model(text)
def version():
    return "9.9"
def validate(path, model=None):
    with open(path) as file:
        return [Diagnostic()] if "syntax" in file.read() else []
'''


class MessagesTest(CliTest):
    def run_file(self, text, *arguments, rumoca=sys.executable, name="X.mo"):
        self.write(name, text)
        self.write("stand_in/rumoca.py", STAND_IN)
        environment = {"IRONBIRD_RUMOCA": rumoca, "TMPDIR": str(self.folder),
                       "PYTHONPATH": str(self.folder / "stand_in")}
        done = self.ironbird("run", name, *arguments, code=2, env=environment)
        self.assertNotIn("Traceback", done.stderr)
        left = [path.name for path in self.folder.glob("ironbird-*")]
        self.assertEqual(left, [])  # no temporary file stays
        return done

    def test_missing_program(self):
        done = self.run_file("", rumoca="/nowhere/python3")
        self.assertIn("X.mo: error: this is Modelica, and the compiler Rumoca needs the program "
                      "'/nowhere/python3', which is not there", done.stderr)
        self.assertIn("pip install rumoca==0.9.10", done.stderr)

    def test_cannot_export(self):
        done = self.run_file("no fmi")
        self.assertIn("Rumoca 9.9, as it is packaged, cannot export FMUs", done.stderr)

    def test_errors_have_their_place(self):
        done = self.run_file("model X\n syntax ;\n")
        self.assertIn("X.mo:2:8: error: Rumoca: unexpected `;`", done.stderr)
        self.assertIn("    2 |  syntax ;", done.stderr)

    def test_errors_without_place(self):
        done = self.run_file("meaning")
        self.assertIn("X.mo: error: Rumoca: unresolved: 'z'", done.stderr)

    def test_state_events(self):
        done = self.run_file("events")
        self.assertIn("X has 2 state events, which the FMUs of Rumoca 9.9 do not handle", done.stderr)

    def test_unknown_output(self):
        done = self.run_file("strange")
        self.assertIn("version 9.9 is not known", done.stderr)

    def test_missing_file(self):
        done = self.ironbird("run", "nothing.mo", code=2)
        self.assertIn("nothing.mo", done.stderr)

    def test_options_of_modelica_alone(self):
        for option in ("--class", "--source-root"):
            done = self.run_file("ironbird: 1\n", option, "P.X", name="model.yaml")
            self.assertIn(f"option '{option}' is not yet supported for models", done.stderr)


@unittest.skipUnless(RUMOCA, "IRONBIRD_RUMOCA names no Python with the package rumoca")
class RumocaTest(CliTest):
    def run_class(self, *arguments, code=0):
        return self.ironbird("run", *arguments, code=code)

    def table(self, folder):
        with open(self.folder / folder / "results.csv") as file:
            rows = list(csv.reader(file))
        # At a jump a time has two rows: the right value counts.
        return {name: {row[0]: float(row[i]) for row in rows[1:]} for i, name in enumerate(rows[0])}

    def test_exact_and_kept(self):
        self.write("Decay.mo", DECAY)
        first = self.run_class("Decay.mo", "--kind", "me", "--tolerance", "1e-10", "--out", "a")
        self.assertIn("made by Rumoca", first.stderr)
        self.assertNotIn("warning", first.stderr)
        again = self.run_class("Decay.mo", "--kind", "me", "--tolerance", "1e-10", "--out", "b")
        self.assertNotIn("made by Rumoca", again.stderr)
        # exp(-1) to what the solver was asked for: with algebraic variables a call late it is 5e-6 off.
        self.assertAlmostEqual(self.table("a")["y"]["1"], 0.36787944117144233, delta=1e-9)
        self.assertEqual(self.table("a"), self.table("b"))
        self.write("Decay.mo", DECAY.replace("start = 1", "start = 2"))
        changed = self.run_class("Decay.mo", "--out", "c")
        self.assertIn("made by Rumoca", changed.stderr)

    def test_what_would_be_lost(self):
        self.write("Ball.mo", BOUNCE)
        done = self.run_class("Ball.mo", code=2)
        self.assertIn("Ball has 1 state event", done.stderr)
        self.write("Bad.mo", "model Bad\n  Real x;\nequation\n  x = 1 + ;\nend Bad;\n")
        done = self.run_class("Bad.mo", code=2)
        self.assertIn("Bad.mo:4:11: error: Rumoca: unexpected `;`", done.stderr)

    def compare(self, name, model, body, columns, tolerance):
        """The twin in YAML and the class, both with the steps of data/NAME.csv on their inputs."""
        shutil.copy(VEHICLES / "Vehicles.mo", self.folder)
        with open(VEHICLES / f"data/{name}.csv") as file:
            steps = list(csv.reader(file))
        rows = [columns] + steps[1:2]
        for before, row in zip(steps[1:], steps[2:]):
            rows += [[row[0], *before[1:]], row]  # held up to the step, where the twin holds by itself
        with open(self.folder / "held.csv", "w") as file:
            csv.writer(file).writerows(rows)
        self.run_class(VEHICLES / f"{name}.yaml", "--input", VEHICLES / f"data/{name}.csv", "--out", "twin")
        twin = self.table("twin")
        end = list(twin["time"])[-1]
        for kind, factor in (("me", 1), ("cs", 1e5)):
            self.run_class("Vehicles.mo", "--class", f"Vehicles.{model}", "--kind", kind, "--stop", end,
                           "--step", "0.01", "--tolerance", "1e-10", "--input", "held.csv", "--out", kind)
            found = self.table(kind)
            for group, of_twin in (("position", body + ".position.{}"), ("velocity", body + ".velocity.{}"),
                                   ("gyro", "gyro_{}.value")):
                for i, axis in enumerate("xyz"):
                    mine, its = twin[of_twin.format(axis)], found[f"{group}[{i + 1}]"]
                    self.assertGreater(len(mine), 200)
                    worst = max(abs(mine[t] - its[t]) for t in mine)
                    self.assertLess(worst, tolerance * factor, f"{name}, {kind}, {group} {axis}")

    # Model Exchange: both integrate at 1e-10; what feet amplify when they touch down is some 1e3 of that.
    # Co-Simulation: the solver within Rumoca's FMUs has a fixed tolerance of 1e-5.
    def test_quadrotor(self):
        self.compare("quadrotor", "Quadrotor", "quadrotor",
                     ["time", "pwm[1]", "pwm[2]", "pwm[3]", "pwm[4]"], 1e-6)

    def test_rover(self):
        self.compare("rover", "Rover", "rover", ["time", "drive", "steer"], 1e-6)

    def test_fixed_wing(self):
        self.compare("fixed_wing", "FixedWing", "aircraft", ["time", "throttle", "elevator", "aileron"], 1e-6)


if __name__ == "__main__":
    unittest.main()
