"""FMUs in a process of their own: the same results, and whatever they do to it is an error that
names FMU, call and time, with the rows up to there kept and no process left."""
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from cli_test import PROGRAM, SOURCE
from fmu_test import FmuTest
from motion import MotionTest

COMPILER = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
MODES = {name: i for i, name in enumerate(
    "good crash abort overflow exit loop sleep kill divide talk child in_get".split())}


def children_of(name):
    """Command lines of processes that run the program in the folder `name`."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.readlink(entry / "cwd") == str(name) and \
                        "ironbird" in (entry / "cmdline").read_text():
                    if "\nState:\tZ" not in (entry / "status").read_text():
                        found.append(entry.name)
            except OSError:
                pass
    return found


class IsolateTest(FmuTest):
    libraries = {}

    def setUp(self):
        super().setUp()
        if not COMPILER:
            self.skipTest("no C compiler")

    def tearDown(self):
        self.assertEqual(children_of(self.folder.resolve()), [], "a process is left")
        super().tearDown()

    def ironbird(self, *arguments, code=0, env=None, **options):
        # A sanitizer that takes the signal would turn a crash into an exit.
        sanitizer = "detect_leaks=0:handle_segv=0:handle_abort=0:handle_sigfpe=0:handle_sigbus=0"
        return super().ironbird(*arguments, code=code, env={"ASAN_OPTIONS": sanitizer, **(env or {})},
                                **options)

    def library(self, name, flags=()):
        key = (name, *flags)
        if key not in self.libraries:
            target = self.folder / "library.so"
            subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", "-o", target, *flags, "-I",
                            SOURCE / "src/fmi/headers", SOURCE / f"test/fmus/{name}.c", "-lm"],
                           check=True)
            self.libraries[key] = target.read_bytes()
            target.unlink()
        return self.libraries[key]

    def make(self, name="wrecker3", flags=()):
        text = (SOURCE / f"test/fmus/{name}.xml").read_text()
        platform = "linux64" if name.endswith("2") else "x86_64-linux"
        if os.uname().machine == "aarch64":
            platform = "aarch64-linux"
        return self.fmu(f"{name}.fmu", text, [("resources/hello.txt", "hello"), (
            f"binaries/{platform}/{name}.so", self.library(name, flags))])

    def wreck(self, mode, *options, code=3):
        self.make()
        done = self.ironbird("run", "wrecker3.fmu", "--out", "out", "--isolate", "--set",
                             f"mode={MODES[mode]}", *options, code=code)
        return done, self.rows("out")[1]


class Same(IsolateTest):
    def test_same_bits(self):
        for name in ("tester3", "tester2"):
            self.make(name)
            self.write("in.csv", "time,u\n0,0\n0.33,1.7\n0.33,-2\n1,10\n")
            for options in ([], ["--input", "in.csv"], ["--set", "mode=1"],
                            ["--step", "1 ms", "--output-step", "10 ms"]):
                here = self.ironbird("run", f"{name}.fmu", "--out", "a", *options)
                there = self.ironbird("run", f"{name}.fmu", "--out", "b", "--isolate", *options)
                self.assertEqual((self.folder / "a/results.csv").read_bytes(),
                                 (self.folder / "b/results.csv").read_bytes())
                self.assertEqual(here.stderr.replace("out a", ""), there.stderr.replace("out b", ""))
                self.assertEqual(self.run_json("a")["statistics"], self.run_json("b")["statistics"])

    def test_more_rows_than_the_ring_holds(self):
        self.make()
        self.ironbird("run", "wrecker3.fmu", "--out", "out", "--isolate", "--stop", "30000",
                      "--quiet")
        rows = self.rows("out")[1]
        self.assertEqual(len(rows), 300001)
        self.assertEqual([row[1] for row in rows[:3]], [0, 1, 2])
        self.assertEqual(rows[-1][1], 300000)

    def test_errors_are_the_same_errors(self):
        self.make("tester3")
        for mode, message in [(3, "fmi3DoStep returned Error at t = 0.2 s"), (4, "returned Fatal"),
                              (9, ""), (10, "further messages are counted")]:
            code = 3 if mode in (3, 4) else 0
            here = self.ironbird("run", "tester3.fmu", "--out", "a", "--set", f"mode={mode}",
                                 code=code)
            there = self.ironbird("run", "tester3.fmu", "--out", "b", "--isolate", "--set",
                                  f"mode={mode}", code=code)
            self.assertIn(message, there.stderr)
            self.assertEqual(here.stderr, there.stderr.replace("'b'", "'a'").replace(" b\n", " a\n"))

    def test_what_the_fmu_prints_comes_once(self):
        done, _ = self.wreck("talk", "--stop", "0.3", code=0)
        self.assertEqual(done.stdout.count("the FMU talks"), 1)
        self.assertEqual(done.stdout.count("out"), done.stdout.count("out"))


class InProcess(IsolateTest):
    """Without --isolate the program itself contains what it can; only a hang needs another process."""

    def wreck_here(self, mode, *options):
        self.make()
        done = self.ironbird("run", "wrecker3.fmu", "--out", "out", "--set", f"mode={MODES[mode]}",
                             *options, code=3)
        return done, self.rows("out")[1]

    def test_ends(self):
        for mode, message in [
                ("crash", r"fmi3DoStep crashed at t = 0.2 s \(signal 11"),
                ("abort", r"fmi3DoStep crashed at t = 0.2 s \(signal 6"),
                ("overflow", r"fmi3DoStep crashed at t = 0.2 s \(signal 11"),
                ("divide", r"fmi3DoStep crashed at t = 0.2 s \(signal 8"),
                ("exit", r"fmi3DoStep ended the program at t = 0.2 s \(it called exit\)")]:
            done, rows = self.wreck_here(mode)
            self.assertRegex(done.stderr, message)
            self.assertIn("--isolate", done.stderr)
            self.assertIn("3 rows kept in out", done.stderr)
            self.assertEqual([row[0] for row in rows], [0, 0.1, 0.2])
            self.assertEqual(self.run_json("out")["status"], "failed")


class SameExchange(MotionTest):
    def test_same_bits(self):
        for model, options in (("ball", []), ("driven", ["--tolerance", "1e-8"]),
                               ("robertson", ["--solver", "stiff"])):
            for version in (2, 3):
                self.motion(model, version)
                self.simulate(model, *options)
                here = (self.folder / "out/results.csv").read_bytes()
                self.simulate(model, *options, "--isolate")
                self.assertEqual((self.folder / "out/results.csv").read_bytes(), here)


class Wrecks(IsolateTest):
    def test_ends(self):
        for mode, message in [
                ("crash", r"Wrecker: fmi3DoStep crashed at t = 0.2 s \(signal 11: segmentation fault"),
                ("abort", r"fmi3DoStep crashed at t = 0.2 s \(signal 6: abort\)"),
                ("overflow", r"fmi3DoStep crashed at t = 0.2 s \(signal 11: .*stack that overflows"),
                ("exit", r"fmi3DoStep ended its process at t = 0.2 s \(exit code 0\)"),
                ("kill", r"fmi3DoStep crashed at t = 0.2 s \(signal 9: killed\)"),
                ("divide", r"fmi3DoStep crashed at t = 0.2 s \(signal 8: arithmetic"),
                ("child", r"fmi3DoStep crashed at t = 0.2 s \(signal 6: abort\)")]:
            done, rows = self.wreck(mode)
            self.assertRegex(done.stderr, message)
            self.assertIn("[IB1060]", done.stderr)
            self.assertEqual([row[0] for row in rows], [0, 0.1, 0.2])
            self.assertEqual(self.run_json("out")["status"], "failed")
        done, rows = self.wreck("in_get")
        self.assertRegex(done.stderr, r"fmi3GetFloat64 crashed at t = 0.3 s")
        self.assertEqual(len(rows), 3)

    def test_last_words(self):
        done, _ = self.wreck("crash")
        self.assertIn("Warning: about to crash (last words)", done.stderr)

    def test_elsewhere_than_in_steps(self):
        for flag, message, n in [("CONSTRUCTOR", "the loading of its library crashed", 0),
                                 ("INSTANTIATE", "its instantiation crashed", 0),
                                 ("TERMINATE", "fmi3Terminate ended its process", 11),
                                 ("FREE", "fmi3FreeInstance crashed", 11)]:
            self.make(flags=[f"-DIN_{flag}"])
            done = self.ironbird("run", "wrecker3.fmu", "--out", "out", "--isolate", code=3)
            self.assertIn(message, done.stderr)
            self.assertEqual(len(self.rows("out")[1]), n)

    def test_hangs(self):
        for mode in ("loop", "sleep"):
            begun = time.monotonic()
            done, rows = self.wreck(mode, "--step-timeout", "1")
            self.assertIn("Wrecker: fmi3DoStep did not return within 1 s at t = 0.2 s", done.stderr)
            self.assertIn("[IB1061]", done.stderr)
            self.assertEqual([row[0] for row in rows], [0, 0.1, 0.2])
            self.assertLess(time.monotonic() - begun, 60)

    def test_the_timeout_isolates_and_leaves_others_alone(self):
        self.make()
        self.ironbird("run", "wrecker3.fmu", "--out", "a")
        self.ironbird("run", "wrecker3.fmu", "--out", "b", "--step-timeout", "60 s")
        self.assertEqual((self.folder / "a/results.csv").read_bytes(),
                         (self.folder / "b/results.csv").read_bytes())
        for bad in ("0", "-1", "soon"):
            self.ironbird("run", "wrecker3.fmu", "--step-timeout", bad, code=2)

    def start(self, mode):
        """A run that hangs at the third step, and its child."""
        self.make()
        environment = {**os.environ, "TMPDIR": str(self.temporary)}
        running = subprocess.Popen([PROGRAM, "run", "wrecker3.fmu", "--out", "out", "--isolate",
                                    "--set", f"mode={MODES[mode]}"], cwd=self.folder,
                                   env=environment, stderr=subprocess.PIPE, text=True,
                                   stdout=subprocess.DEVNULL)
        # The header and three rows reach the file when nothing comes any more.
        results = self.folder / "out/results.csv"
        while not results.exists() or results.read_text().count("\n") < 4:
            self.assertIsNone(running.poll())
            time.sleep(0.01)
        return running

    def test_interrupted(self):
        running = self.start("sleep")
        running.send_signal(signal.SIGINT)
        text = running.communicate(timeout=60)[1]
        self.assertEqual(running.returncode, 130, text)
        self.assertIn("fmi3DoStep at t = 0.2 s did not heed the interruption", text)
        self.assertEqual([row[0] for row in self.rows("out")[1]], [0, 0.1, 0.2])

    def test_killed(self):
        for number, times in ((signal.SIGKILL, 1), (signal.SIGINT, 2)):
            running = self.start("loop")
            for _ in range(times):
                running.send_signal(number)
                time.sleep(0.05)
            running.communicate(timeout=60)
            deadline = time.monotonic() + 10
            while children_of(self.folder.resolve()) and time.monotonic() < deadline:
                time.sleep(0.02)
            self.assertEqual(children_of(self.folder.resolve()), [])
            shutil.rmtree(self.folder / "out", ignore_errors=True)
        # The folder that was left is swept by whoever comes next.
        self.ironbird("fmu", "info", "wrecker3.fmu")


if __name__ == "__main__":
    unittest.main()
