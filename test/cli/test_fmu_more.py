"""`ironbird run X.fmu`: state set back after a discarded step, inputs within steps, and Scheduled
Execution, with FMUs of our own."""
import csv
import os
import pathlib
import shutil
import subprocess
import unittest

from cli_test import SOURCE
from fmu_test import FmuTest

COMPILER = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")


class MadeHere(FmuTest):
    libraries = {}

    def setUp(self):
        super().setUp()
        if not COMPILER:
            self.skipTest("no C compiler")

    @classmethod
    def library(cls, name):
        if name not in cls.libraries:
            target = pathlib.Path(f"{name}.so").absolute()
            subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", "-o", target, "-I",
                            SOURCE / "src/fmi/headers", SOURCE / f"test/fmus/{name}.c", "-lm"],
                           check=True)
            cls.libraries[name] = target.read_bytes()
        return cls.libraries[name]

    def make(self, name, change=lambda text: text):
        self.fmu(f"{name}.fmu", change((SOURCE / f"test/fmus/{name}.xml").read_text()),
                 [(f"binaries/{'linux64' if name.endswith('2') else 'x86_64-linux'}/{name}.so",
                   self.library(name))])

    def simulate(self, name, *options, code=0):
        options = ("--record", "x,y,steps,sets", *options) if name == "keeper3" else options
        done = self.ironbird("run", f"{name}.fmu", "--out", "out", *options, code=code)
        header, rows = self.rows("out")
        return done, {key: [row[i] for row in rows] for i, key in enumerate(header)}


def euler(steps, u=1.0):
    x = 0.0
    for h in steps:
        x += h * (u - x)
    return x


class Discard(MadeHere):
    def test_the_state_is_set_back(self):
        """Steps beyond 0.5 s spoil the state when they are too long: what is left of that is nothing."""
        for name in ("keeper2", "keeper3"):
            self.set_back(name)

    def set_back(self, name):
        self.make(name)
        _, columns = self.simulate(name, "--set", "mode=1", "--set", "u=1")
        self.assertEqual(columns["time"], [i / 10 for i in range(11)])
        # What is left of a communication step is halved until it is short enough.
        halves = [0.025, 0.01875, 0.028125, 0.028125]
        self.assertAlmostEqual(columns["x"][-1], euler([0.1] * 5 + halves * 5), delta=1e-14)
        self.assertEqual(columns["steps"][-1], 25)
        # Far behind the last state that was kept, with inputs that come from a table.
        self.write("in.csv", "time,u\n-5,1\n1,1\n")
        _, columns = self.simulate(name, "--set", "mode=1", "--start", "-5", "--step", "0.04",
                                   "--input", "in.csv")
        self.assertAlmostEqual(columns["x"][-1], euler([0.04] * 138 + [0.02] * 24), delta=1e-12)
        self.assertEqual(columns["steps"][-1], 162)
        self.assertEqual(len(columns["time"]), 151)

    def test_no_step_is_short_enough(self):
        self.make("keeper3")
        done, columns = self.simulate("keeper3", "--set", "mode=2", code=3)
        self.assertIn("from 0 s was discarded, and so were smaller ones", done.stderr)
        self.assertEqual(columns["time"], [0])

    def test_without_state_nothing_is_set_back(self):
        """An FMU that cannot be set back is told so: this one then fails instead of discarding."""
        self.make("keeper3", lambda text: text.replace('canGetAndSetFMUState="true"', "")
                  .replace('canSerializeFMUState="true"', ""))
        done, _ = self.simulate("keeper3", "--set", "mode=1", code=3)
        self.assertIn("fmi3DoStep returned Error at t = 0.5 s", done.stderr)


class Texts(MadeHere):
    def cells(self):
        with open(self.folder / "out/results.csv", newline="") as file:
            return list(csv.DictReader(file))

    def test_texts_and_bytes(self):
        """They hold between rows, keep quotes, commas and zero bytes, and come back from the results."""
        self.make("keeper3")
        long = "x" * 900
        self.write("in.csv", 'time,text,blob\n0,"a ""b"", ",00ff10\n0.5,ü,\n0.8,' + long + ",01\n")
        self.ironbird("run", "keeper3.fmu", "--input", "in.csv", "--record", "echo,turned,x,text", "--out", "out")
        rows = self.cells()
        self.assertEqual(rows[1]["echo"], 'a "b", 1')
        self.assertEqual([row["turned"] for row in rows], ["10ff00"] * 6 + [""] * 3 + ["01"] * 2)
        self.assertEqual(rows[6]["echo"], "ü6")
        self.assertEqual(rows[10]["text"], long)
        # A reader of numbers passes over texts.
        self.ironbird("compare", "out", "out")
        self.assertIn("x", self.ironbird("info", "out").stdout)

    def test_control_characters_stay_in_their_row(self):
        self.make("keeper3")
        self.write("in.csv", 'time,text\n0,"a\tb"\n')
        self.ironbird("run", "keeper3.fmu", "--input", "in.csv", "--record", "text", "--out", "out")
        self.assertEqual(self.cells()[3]["text"], "a\\x09b")

    def test_no_bytes(self):
        self.make("keeper3")
        self.write("in.csv", "time,blob\n0,0g\n")
        done = self.ironbird("run", "keeper3.fmu", "--input", "in.csv", code=2)
        self.assertIn("in.csv:2", done.stderr)
        self.assertIn("'0g' is no value of blob, of type Binary", done.stderr)


class Within(MadeHere):
    def test_inputs_within_a_step(self):
        """u = t: with inputs at the quarters of each step x is that of steps of a quarter."""
        self.make("keeper3")
        self.write("in.csv", "time,u\n0,0\n1,1\n")
        _, columns = self.simulate("keeper3", "--set", "mode=3", "--input", "in.csv")
        x, h = 0.0, 0.025
        for i in range(40):
            x += h * (i * h - x)
        self.assertAlmostEqual(columns["x"][-1], x, delta=1e-14)
        # Where u may not be set within steps it is held over each.
        self.make("keeper3", lambda text: text.replace(' intermediateUpdate="true"', ""))
        _, columns = self.simulate("keeper3", "--set", "mode=3", "--input", "in.csv")
        x = 0.0
        for i in range(40):
            x += h * (i // 4 * 0.1 - x)
        self.assertAlmostEqual(columns["x"][-1], x, delta=1e-14)


class Scheduled(MadeHere):
    def scheduled(self, *options, code=0, **more):
        self.make("clocks3", **more)
        return self.simulate("clocks3", *options, code=code)

    def test_ticks(self):
        """fast at 0.1 k, slow at 0.3 k, the countdown 0.03 s after slow, changing at 0, 0.2, 0.6."""
        done, columns = self.scheduled()
        self.assertEqual(done.stderr, "")
        self.assertEqual(columns["time"], [i / 10 for i in range(11)])
        self.assertEqual([columns[f"ticks[{i}]"][-1] for i in range(1, 6)], [10, 4, 4, 0, 3])
        # 0: slow, changing; 0.03; 0.1; 0.2: fast, changing; 0.3: slow, fast; 0.33; 0.4; 0.5; 0.6: slow,
        # fast, changing; 0.63; 0.7; 0.8; 0.9: slow, fast; 0.93; 1
        self.assertEqual(int(columns["order"][-1]), int("253115213112153112131"[-15:]))
        run = self.run_json("out")
        self.assertEqual(run["settings"]["kind"], "Scheduled Execution")
        self.assertEqual(run["statistics"]["steps"], 21)

    def test_triggered_by_the_table(self):
        """A row that says 1 is a tick, and inputs are those of its time."""
        self.write("in.csv", "time,u,button\n0,0,0\n0.25,1,1\n0.25,5,1\n0.45,5,0\n0.55,5,1\n")
        _, columns = self.scheduled("--input", "in.csv")
        self.assertEqual(columns["ticks[4]"], [0, 0, 0, 2, 2, 2, 3, 3, 3, 3, 3])
        self.assertEqual(columns["seen"][3], 5)
        self.assertAlmostEqual(columns["seen"][1], 0.4, delta=1e-12)

    def test_priority(self):
        """slow before fast by their numbers, and the other way about."""
        _, columns = self.scheduled("--stop", "0.3", "--record", "order")
        self.assertEqual(int(columns["order"][-1]) % 100, 21)
        _, columns = self.scheduled("--stop", "0.3", "--record", "order",
                                    change=lambda text: text.replace('priority="1"', 'priority="9"'))
        self.assertEqual(int(columns["order"][-1]) % 100, 12)

    def test_a_hundred_thousand_ticks(self):
        _, columns = self.scheduled("--stop", "10000", "--step", "1000", "--record", "ticks*")
        self.assertEqual(columns["ticks[1]"][-1], 100000)
        self.assertEqual(columns["ticks[2]"][-1], 33334)

    def test_misbehaviour(self):
        for mode, message in [(1, "the clock countdown counts down from an interval that is negative"),
                              (2, "the clock countdown ticks without time passing"),
                              (3, "fmi3ActivateModelPartition returned Error at t = 0.3 s"),
                              (4, "the clock changing has no interval")]:
            done, columns = self.scheduled("--set", f"mode={mode}", code=3)
            self.assertIn(message, done.stderr)
        self.assertEqual(self.run_json("out")["status"], "failed")
        for table, message in [("time,fast\n0,1\n", "is a clock that ticks by itself"),
                               ("time,button\n0,2\n", "no value of button, of type Clock")]:
            self.write("in.csv", table)
            done = self.ironbird("run", "clocks3.fmu", "--input", "in.csv", code=2)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
