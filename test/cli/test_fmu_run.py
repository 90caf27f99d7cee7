"""`ironbird run X.fmu`: Co-Simulation by FMUs of our own, well-behaved and not."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from cli_test import SOURCE
from fmu_test import FmuTest

COMPILER = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
MODES3 = {name: i for i, name in enumerate(
    "good warn discard fail die nan lie_early lie_back lie_nan stop flood stick half events "
    "endless".split())}
MODES2 = {name: i for i, name in enumerate("good warn discard fail die stop format".split())}


class MadeHere(FmuTest):
    libraries = {}

    def setUp(self):
        super().setUp()
        if not COMPILER:
            self.skipTest("no C compiler")

    @classmethod
    def library(cls, name):
        """The library of test/fmus/NAME.c, built once."""
        if name not in cls.libraries:
            folder = pathlib.Path("fmus")
            folder.mkdir(exist_ok=True)
            target = folder / f"{name}.so"
            subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", "-o", target, "-I",
                            SOURCE / "src/fmi/headers", SOURCE / f"test/fmus/{name}.c", "-lm"],
                           check=True)
            cls.libraries[name] = target.read_bytes()
        return cls.libraries[name]

    def make(self, version=3, change=lambda text: text, library=None):
        name = f"tester{version}"
        text = (SOURCE / f"test/fmus/{name}.xml").read_text()
        platform = "x86_64-linux" if version == 3 else "linux64"
        content = self.library(name) if library is None else library
        return self.fmu(f"{name}.fmu", change(text),
                        [("resources/hello.txt", "hello"),
                         (f"binaries/{platform}/{name}.so", content)])

    def simulate(self, *options, code=0, version=3):
        done = self.ironbird("run", f"tester{version}.fmu", "--out", "out", *options, code=code)
        header, rows = self.rows("out")
        return done, header, rows

    def column(self, header, rows, name):
        return [row[header.index(name)] for row in rows]


class Runs(MadeHere):
    def test_defaults(self):
        self.make()
        done, header, rows = self.simulate()
        self.assertEqual(done.stderr, "")
        self.assertEqual([row[0] for row in rows], [i / 10 for i in range(11)])
        self.assertEqual(header[1:], ['y,"(1)', "steps", "sum", "whole", "sets", "gap", "found",
                                      "edges"])
        self.assertEqual(self.column(header, rows, "steps"), list(range(11)))
        self.assertEqual(set(self.column(header, rows, "found")), {1})
        self.assertEqual(set(self.column(header, rows, "gap")), {0})
        run = self.run_json("out")
        self.assertEqual((run["status"], run["rows"]), ("done", 11))
        self.assertEqual(run["settings"]["kind"], "Co-Simulation")
        self.assertEqual(run["statistics"]["steps"], 10)
        self.assertEqual(run["model"], "Tester")

    def test_fmu_run_is_run(self):
        self.make()
        self.ironbird("fmu", "run", "tester3.fmu", "--out", "a")
        self.ironbird("run", "tester3.fmu", "--out", "b")
        self.assertEqual((self.folder / "a/results.csv").read_bytes(),
                         (self.folder / "b/results.csv").read_bytes())

    def test_times(self):
        self.make()
        _, header, rows = self.simulate("--start", "2", "--stop", "2.95", "--step", "0.1")
        self.assertEqual(self.column(header, rows, "time"),
                         [2 + i / 10 for i in range(10)] + [2.95])
        self.assertEqual(self.column(header, rows, "gap")[-1], 0)
        _, header, rows = self.simulate("--output-step", "0.2", "--max-step", "30 ms")
        self.assertEqual(self.column(header, rows, "time"), [i / 5 for i in range(6)])
        self.assertEqual(self.column(header, rows, "steps")[-1], 40)

    def test_a_step_of_one_size(self):
        self.make(change=lambda text: text.replace(
            ' canHandleVariableCommunicationStepSize="true"', ""))
        done, header, rows = self.simulate("--stop", "0.95")
        self.assertEqual(rows[-1][0], 0.9)
        self.assertIn("only steps of one size, so the run ends at 0.9 s", done.stderr)

    def test_a_hundred_thousand_steps(self):
        self.make()
        _, header, rows = self.simulate("--stop", "10000", "--record", "gap")
        self.assertEqual(len(rows), 100001)
        self.assertTrue(all(row[0] == round(i / 10, 1) for i, row in enumerate(rows)))
        self.assertLess(rows[-1][1], 1e-12)

    def test_settings(self):
        self.make()
        _, header, rows = self.simulate("--set", "x[2]=20")
        self.assertEqual(self.column(header, rows, "sum")[0], 24)
        _, header, rows = self.simulate("--set", "x=[5, 6, 7]")
        self.assertEqual(self.column(header, rows, "sum")[0], 18)
        _, header, rows = self.simulate("--set", "n=4", "--set", "x=1 1 1 10", "--record", "x*")
        self.assertEqual(header, ["time", "x[1]", "x[2]", "x[3]", "x[4]"])
        self.assertEqual(rows[0][1:], [1, 1, 1, 10])
        done, _, _ = self.simulate("--set", "text=a\x1b[1mb\n")
        self.assertIn("Tester at t = 0 s: Warning: a\\x1b[1mb (text) [IB1040]", done.stderr)

    def test_wrong_settings_load_no_library(self):
        self.make(library=b"no library")
        for setting, message in [("summ=1", "no variable 'summ'"), ("sum=1", "is calculated"),
                                 ("fixed=1", "is constant"), ("time=1", "independent"),
                                 ("mode=x", "no value of type Int32"), ("x=1 2", "is not 3 values"),
                                 ("x[4]=1", r"no variable 'x\[4\]'"),
                                 ("n=1000000000", "more than")]:
            done = self.ironbird("run", "tester3.fmu", "--set", setting, code=2)
            self.assertRegex(done.stderr, message)
        self.assertIn("did you mean 'sum'",
                      self.ironbird("run", "tester3.fmu", "--set", "summ=1", code=2).stderr)
        for options, message in [
                (["--step", "0"], "not positive"), (["--stop", "0"], "no later than it starts"),
                (["--stop", "NaN"], "is no time"), (["--step", "-1"], "not positive"),
                (["--output-step", "0.15"], "whole multiple"), (["--step", "1e-12"], "nanosecond"),
                (["--tolerance", "2"], "between 0 and 1"), (["--kind", "me"], "does not offer"),
                (["--kind", "xx"], "none of cs, me, se"), (["--record", "nothing"], "matches"),
                (["--solver", "stiff"], "a solver is for Model Exchange"),
                (["--step-timeout", "0"], "not positive"),
                (["--format", "h5"], "not yet supported")]:
            done = self.ironbird("run", "tester3.fmu", *options, code=2)
            self.assertRegex(done.stderr, message)
        self.assertFalse((self.folder / "out").exists())

    def test_inputs(self):
        self.make()
        big = 2**63 - 1
        self.write("in.csv", f"time,u,ud\n0,0,{-big - 1}\n0.4,4,{-big - 1}\n0.4,10,{big}\n0.8,10,{big}\n")
        _, header, rows = self.simulate("--input", "in.csv")
        y = self.column(header, rows, 'y,"(1)')
        # A row shows what the step up to it was given; the first one what initialisation was.
        for got, expected in zip(y, [0, 0, 1, 2, 3, 10, 10, 10, 10, 10, 10]):
            self.assertAlmostEqual(got, expected, delta=1e-14)
        text = (self.folder / "out/results.csv").read_text().splitlines()
        self.assertIn(f",{-big - 1},", text[1])
        self.assertIn(f",{big},", text[-1])
        self.assertLess(self.column(header, rows, "sets")[-1], 6)
        for table, message in [("time,uu\n0,1\n", "no variable 'uu'"), ("time,mode\n0,1\n", "no input"),
                               ("time,ud\n0,1.5\n", "in.csv:2.*no value of ud, of type Int64"),
                               ("time,u\n1,1\n0,1\n", "in.csv:3.*earlier"), ("time,u\n", "no row"),
                               ("time,u\n0,1,2\n", "as many values"), ("time,u\nx,1\n", "finite"),
                               ("time,u,u\n0,1,2\n", "two columns"), ("", "empty")]:
            self.write("in.csv", table)
            done = self.ironbird("run", "tester3.fmu", "--input", "in.csv", code=2)
            self.assertRegex(done.stderr, message)

    def test_compare(self):
        self.make()
        self.simulate("--set", "u=1")
        shutil.copy(self.folder / "out/results.csv", self.folder / "ref.csv")
        self.simulate("--set", "u=1", "--compare", "ref.csv")
        done, _, _ = self.simulate("--set", "u=2", "--compare", "ref.csv", code=1)
        self.assertIn('y,"(1) differs from the reference by 1', done.stderr)
        self.simulate("--set", "u=2", "--compare", "ref.csv", "--compare-atol", "1.5")


class Misbehaviour(MadeHere):
    def misbehave(self, mode, *options, code=3):
        self.make()
        return self.simulate("--set", f"mode={MODES3[mode]}", *options, code=code)

    def test_warning(self):
        done, _, rows = self.misbehave("warn", code=0)
        self.assertIn("Tester: 8 calls returned Warning", done.stderr)
        self.assertEqual(len(rows), 11)

    def test_errors_keep_what_was_recorded(self):
        for mode, message in [
                ("fail", "fmi3DoStep returned Error at t = 0.2 s"),
                ("die", "fmi3DoStep returned Fatal at t = 0.2 s"),
                ("discard", "from 0.2 s was discarded, and so were smaller ones"),
                ("lie_early", r"ended early, at 0.25\d* s, which was not allowed"),
                ("lie_back", r"ended early at 0.1\d* s, outside the step"),
                ("lie_nan", "ended early at nan s, outside the step")]:
            done, _, rows = self.misbehave(mode)
            self.assertRegex(done.stderr, message)
            self.assertEqual([row[0] for row in rows], [0, 0.1, 0.2])
            self.assertEqual(self.run_json("out")["status"], "failed")
        done, _, _ = self.misbehave("fail")
        self.assertIn(r"the third step\x1b[31m is one too many (trouble)", done.stderr)

    def test_early_return(self):
        _, header, rows = self.misbehave("lie_early", "--early-return", "--stop", "0.3", code=0)
        self.assertEqual([row[0] for row in rows], [0, 0.1, 0.2, 0.3])
        self.assertEqual(self.column(header, rows, "steps"), [0, 1, 2, 4])
        done, _, _ = self.misbehave("stick", "--early-return")
        self.assertIn("ended early without advancing, at 0.2 s", done.stderr)

    def test_discarded_steps_are_halved(self):
        _, header, rows = self.misbehave("half", code=0)
        self.assertEqual([row[0] for row in rows], [i / 10 for i in range(11)])
        self.assertEqual(self.run_json("out")["statistics"]["rejections"], 8)

    def test_stop(self):
        done, _, rows = self.misbehave("stop", code=0)
        self.assertIn("ended the simulation itself at t = 0.3 s", done.stderr)
        self.assertEqual(rows[-1][0], 0.3)

    def test_not_finite(self):
        done, _, rows = self.misbehave("nan", code=0)
        self.assertEqual(done.stderr.count("[IB1045]"), 1)
        self.assertIn('y,"(1) is nan at t = 0.3 s', done.stderr)
        done, _, rows = self.misbehave("nan", "--fail-on-nan")
        self.assertEqual(rows[-1][0], 0.2)

    def test_log_floods(self):
        done, _, _ = self.misbehave("flood", code=0)
        self.assertIn("%n%s%d", done.stderr)
        self.assertIn("(no text)", done.stderr)
        self.assertIn("further messages are counted but not shown", done.stderr)
        self.assertLess(len(done.stderr), 20000)

    def test_event_mode(self):
        _, header, rows = self.misbehave("events", "--event-mode", code=0)
        times = self.column(header, rows, "time")
        for time in (0.25, 0.5, 0.75):
            self.assertIn(time, times)
        self.assertEqual(times, sorted(set(times)))
        done, _, rows = self.misbehave("endless", "--event-mode")
        self.assertIn("does not come to an end", done.stderr)

    def test_instantiation(self):
        self.make(change=lambda text: text.replace("{tester}", "{other}"))
        done, _, _ = self.simulate(code=3)
        self.assertIn("Tester refuses to be instantiated", done.stderr)

    def test_libraries(self):
        whole = self.library("tester3")
        for library, message in [(b"", "no shared library"), (b"no library at all" * 10, "no shared"),
                                 (whole[:len(whole) // 3], "truncated"),
                                 (whole[:18] + b"\x28\0" + whole[20:], "another kind of machine")]:
            self.make(library=library)
            done, _, rows = self.simulate(code=3)
            self.assertRegex(done.stderr, message)
        self.fmu("tester3.fmu", (SOURCE / "test/fmus/tester3.xml").read_text())
        done = self.ironbird("run", "tester3.fmu", "--out", "out", code=3)
        self.assertIn("there is no binaries/x86_64-linux/tester3.so", done.stderr)
        # A library of the other version has none of the functions.
        self.make(library=self.library("tester2"))
        done, _, _ = self.simulate(code=3)
        self.assertRegex(done.stderr, "lacks .*fmi3DoStep")


class Version2(MadeHere):
    def misbehave(self, mode, code=3):
        self.make(2)
        return self.simulate("--set", f"mode={MODES2[mode]}", version=2, code=code)

    def test_run(self):
        self.make(2)
        self.write("in.csv", "time,u\n0,0\n1,10\n")
        done, header, rows = self.simulate("--input", "in.csv", version=2)
        self.assertEqual(done.stderr, "")
        self.assertEqual(header, ["time", "y", "steps", "flag"])
        self.assertEqual(self.column(header, rows, "steps"), list(range(11)))
        # The resources' URI escapes what has a meaning in one.
        self.assertEqual(set(self.column(header, rows, "flag")), {1})
        self.assertAlmostEqual(rows[-1][1], 9, delta=1e-12)

    def test_misbehaviour(self):
        done, _, rows = self.misbehave("warn", code=0)
        self.assertIn("8 calls returned Warning", done.stderr)
        for mode, message in [("discard", "was discarded"), ("fail", "fmi2DoStep returned Error"),
                              ("die", "fmi2DoStep returned Fatal")]:
            done, _, rows = self.misbehave(mode)
            self.assertIn(message, done.stderr)
            self.assertEqual(rows[-1][0], 0.2)
        done, _, rows = self.misbehave("stop", code=0)
        self.assertIn("ended the simulation itself", done.stderr)
        done, _, _ = self.misbehave("format", code=0)
        self.assertIn("step 3 of Tester2 at 0.2 (cat)", done.stderr)
        self.assertIn("evil %n", done.stderr)


if __name__ == "__main__":
    unittest.main()
