"""What the tests of the program share: running it, models, a folder for each test."""
import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("IRONBIRD", "build/ironbird")
SOURCE = pathlib.Path(
    os.environ.get("IRONBIRD_SOURCE", pathlib.Path(__file__).resolve().parent.parent.parent))

OSCILLATOR = """\
ironbird: 1
name: oscillator
parameters: {k: 100, m: 1}
bodies:
  mass: {mass: m, inertia: [1, 1, 1], position: [0.1, 0, 0]}
joints:
  guide: {type: prismatic, body1: mass, point: [0, 0, 0], axis: [1, 0, 0]}
measures:
  x: {type: displacement, body1: mass, component: x}
forces:
  spring: {type: expression_force, body1: mass, axis: [1, 0, 0], force: -k * x}
outputs:
  twice: 2 * x
simulation: {end: 1, output_step: 0.1}
"""

# A mass pushed by a runtime input: velocity is the integral of the held input.
PUSHED = """\
ironbird: 1
name: pushed
inputs: {push: 0, other: {start: 0, min: -1, max: 1}}
bodies:
  mass: {mass: 1, inertia: [1, 1, 1]}
joints:
  guide: {type: prismatic, body1: mass, point: [0, 0, 0], axis: [1, 0, 0]}
measures:
  x: {type: displacement, body1: mass, component: x}
forces:
  motor: {type: expression_force, body1: mass, axis: [1, 0, 0], force: push + 0 * other}
outputs:
  place: x
simulation: {end: 1, output_step: 0.25}
"""

# The logarithm's argument turns negative at t = 0.5.
FAILING = OSCILLATOR.replace("twice: 2 * x", "bad: log(0.5 - t) + 0 * x")


class CliTest(unittest.TestCase):
    """Each test runs in an empty folder of its own."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="ironbird_cli_")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def ironbird(self, *arguments, code=0, env=None, **options):
        """Runs the program; its exit code must be `code`, and its output is text."""
        environment = {**os.environ, "LC_ALL": "C.UTF-8", **(env or {})}
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, env=environment,
                              capture_output=True, text=True, timeout=300, check=False, **options)
        self.assertEqual(done.returncode, code, f"{arguments}:\n{done.stdout}\n{done.stderr}")
        return done

    def rows(self, folder):
        """Header and rows of results.csv."""
        with open(self.folder / folder / "results.csv", newline="") as file:
            table = list(csv.reader(file))
        return table[0], [[float(field) for field in row] for row in table[1:]]

    def run_json(self, folder):
        return json.loads((self.folder / folder / "run.json").read_text())
