"""`ironbird run`: what it leaves behind, and how it ends."""
import json
import math
import os
import pty
import resource
import select
import shutil
import signal
import subprocess
import time
import unittest

from cli_test import CliTest, FAILING, OSCILLATOR, PROGRAM, PUSHED


class Results(CliTest):
    def test_files(self):
        self.write("models/osc.yaml", OSCILLATOR)
        done = self.ironbird("run", "models/osc.yaml")
        out = self.folder / "out" / "osc"
        self.assertEqual(sorted(p.name for p in out.iterdir()),
                         ["channels.json", "results.csv", "run.json"])
        self.assertIn("oscillator", done.stdout)
        self.assertIn("out/osc/results.csv", done.stdout)
        self.assertEqual(done.stderr, "")

        header, rows = self.rows("out/osc")
        self.assertEqual(header[0], "time")
        self.assertEqual([row[0] for row in rows], [i / 10 for i in range(11)])
        x = header.index("mass.position.x")
        for row in rows:
            self.assertAlmostEqual(row[x], 0.1 * math.cos(10 * row[0]), delta=1e-5)
            self.assertAlmostEqual(row[header.index("twice.value")], 2 * row[x], delta=1e-15)

        channels = json.loads((out / "channels.json").read_text())["channels"]
        self.assertEqual([channel["name"] for channel in channels], header[1:])
        self.assertEqual(channels[x - 1]["unit"], "m")
        self.assertEqual(set(channels[0]), {"name", "unit", "description", "id"})

        run = self.run_json("out/osc")
        self.assertEqual(run["status"], "done")
        self.assertEqual(run["rows"], 11)
        self.assertEqual(run["channels"], len(channels))
        self.assertEqual((run["simulated_time"], run["end_time"]), (1, 1))
        self.assertGreater(run["wall_time"], 0)
        self.assertGreater(run["statistics"]["steps"], 0)
        self.assertRegex(run["statistics"]["state_hash"], "^0x[0-9a-f]{16}$")
        self.assertEqual(sorted(run["files"]), sorted(p.name for p in out.iterdir()))
        for key in ("versions", "settings", "seed", "started", "warnings", "events"):
            self.assertIn(key, run)

    def test_rfc_4180(self):
        self.write("osc.yaml", OSCILLATOR)
        self.ironbird("run", "osc.yaml")
        text = (self.folder / "out/osc/results.csv").read_bytes()
        self.assertTrue(text.endswith(b"\r\n"))
        self.assertEqual(text.count(b"\n"), text.count(b"\r\n"))

    def test_solver_that_auto_takes(self):
        for force, solver in (("0.5 * sin(t)", "dop853"), ("0.5 * (t > 0.3)", "dopri5"),
                              ("0.5 * (t == 0.3)", "dopri5"), ("max(0, t - 0.3)", "dopri5")):
            self.write("m.yaml", "ironbird: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\nforces: {f: {type: "
                       f"expression_force, body1: b, axis: [1, 0, 0], force: \"{force}\"}}}}\nsimulation: {{end: 1}}\n")
            self.assertEqual(self.ironbird("run", "m.yaml").returncode, 0)
            self.assertEqual(self.run_json("out/m")["statistics"]["solver"], solver, force)

    def test_same_run_same_bits(self):
        self.write("osc.yaml", OSCILLATOR)
        self.ironbird("run", "osc.yaml", "--out", "a")
        self.ironbird("run", "osc.yaml", "--out", "b")
        self.assertEqual((self.folder / "a/results.csv").read_bytes(),
                         (self.folder / "b/results.csv").read_bytes())
        self.assertEqual(self.run_json("a")["statistics"], self.run_json("b")["statistics"])

    def test_native(self):
        """Machine code of the expressions gives the same bits, and none is no reason to stop."""
        self.write("osc.yaml", OSCILLATOR)
        self.ironbird("run", "osc.yaml", "--out", "tape")
        environment = {"XDG_CACHE_HOME": str(self.folder / "cache")}
        for _ in range(2):
            done = self.ironbird("run", "osc.yaml", "--native", "--out", "native", env=environment)
            self.assertEqual(done.stderr, "")
            self.assertEqual((self.folder / "tape/results.csv").read_bytes(),
                             (self.folder / "native/results.csv").read_bytes())
        self.assertEqual([path.suffix for path in (self.folder / "cache/ironbird").iterdir()], [".so"] * 2)
        environment["CC"] = "no-such-compiler"
        done = self.ironbird("run", "osc.yaml", "--native", "--out", "without", env=environment)
        self.assertIn("there is no compiler 'no-such-compiler'", done.stderr)
        self.assertEqual((self.folder / "tape/results.csv").read_bytes(),
                         (self.folder / "without/results.csv").read_bytes())

    def test_until(self):
        self.write("osc.yaml", OSCILLATOR)
        for until, times in [("0.25", [0, 0.1, 0.2, 0.25]), ("250 ms", [0, 0.1, 0.2, 0.25]),
                             ("0.3", [0, 0.1, 0.2, 0.3]), ("0.05", [0, 0.05])]:
            self.ironbird("run", "osc.yaml", "--out", "o", "--until", until)
            self.assertEqual([row[0] for row in self.rows("o")[1]], times)
            self.assertEqual(self.run_json("o")["planned_end"], times[-1])

    def test_set(self):
        self.write("osc.yaml", OSCILLATOR)
        self.ironbird("run", "osc.yaml", "--set", "k=4 * 100", "--set=m=4", "-o", "o")
        header, rows = self.rows("o")
        x = header.index("mass.position.x")
        for row in rows:
            self.assertAlmostEqual(row[x], 0.1 * math.cos(10 * row[0]), delta=1e-5)
        settings = self.run_json("o")["settings"]
        self.assertEqual((settings["set k"], settings["set m"]), ("4 * 100", "4"))
        done = self.ironbird("run", "osc.yaml", "--set", "kk=1", code=2)
        self.assertIn("kk", done.stderr)

    def test_record(self):
        self.write("osc.yaml", OSCILLATOR)
        self.ironbird("run", "osc.yaml", "-oo", "--record", "mass.position.*", "--record",
                      "energy.[kp]*")
        self.assertEqual(self.rows("o")[0], ["time", "mass.position.x", "mass.position.y",
                                             "mass.position.z", "energy.kinetic", "energy.potential"])
        done = self.ironbird("run", "osc.yaml", "-oo", "--record", "mass.positon.x", code=2)
        self.assertIn("mass.position.x", done.stderr)

    def test_record_in_the_model(self):
        self.write("osc.yaml", OSCILLATOR.replace("step: 0.1", "step: 0.1, record: ['*.value']"))
        self.ironbird("run", "osc.yaml")
        self.assertEqual(self.rows("out/osc")[0], ["time", "spring.value", "twice.value"])

    def test_json(self):
        self.write("osc.yaml", OSCILLATOR)
        done = self.ironbird("run", "osc.yaml", "--json", "--seed", "18446744073709551615")
        printed = json.loads(done.stdout)
        self.assertEqual(printed, self.run_json("out/osc"))
        self.assertEqual(printed["seed"], 18446744073709551615)
        done = self.ironbird("run", "missing.yaml", "--json", code=2)
        printed = json.loads(done.stdout)
        self.assertEqual(printed["status"], "failed")
        self.assertIn("missing.yaml", json.dumps(printed["errors"]))

    def test_quiet_and_stats(self):
        self.write("osc.yaml", OSCILLATOR)
        done = self.ironbird("run", "osc.yaml", "--quiet")
        self.assertEqual(done.stdout + done.stderr, "")
        done = self.ironbird("run", "osc.yaml", "--stats")
        self.assertIn("steps", done.stdout)
        self.assertIn(self.run_json("out/osc")["statistics"]["state_hash"], done.stdout)

    def test_quiet_leaves_notes_out(self):
        # Two rails in one line: the second is redundant, which is worth a note and no more.
        self.write("osc.yaml", OSCILLATOR.replace("joints:\n", "joints:\n  rail: {type: prismatic, "
                                                  "body1: mass, point: [0, 0, 0], axis: [1, 0, 0]}\n"))
        self.assertIn("note: ", self.ironbird("run", "osc.yaml").stderr)
        self.assertEqual(self.ironbird("run", "osc.yaml", "--quiet").stderr, "")
        self.assertEqual(len(self.run_json("out/osc")["notes"]), 1)

    STIFF = (OSCILLATOR.replace("-k * x", "-k * x - 1e5 * v")
             .replace("forces:\n", "  v: {type: velocity, body1: mass, component: x}\nforces:\n"))

    def test_auto_says_that_it_went_over(self):
        self.write("osc.yaml", self.STIFF)
        done = self.ironbird("run", "osc.yaml", "--stats")
        statistics = self.run_json("out/osc")["statistics"]
        self.assertEqual((statistics["started_with"], statistics["solver"]), ("dop853", "stiff"))
        self.assertGreater(statistics["changed_at"], 0)
        self.assertLess(statistics["changed_at"], 0.1)
        time = f"t = {statistics['changed_at']:.12g} s"
        self.assertIn(f", dop853, from {time} stiff, ", done.stdout)
        self.assertRegex(done.stderr, f"note: the model is stiff: dop853 .* stiff took over at {time} .IB0716.")
        notes = [note["id"] for note in self.run_json("out/osc")["notes"]]
        self.assertEqual(notes, ["IB0716"])
        self.assertIn("solver: dop853, then stiff, ", self.ironbird("info", "out/osc").stdout)

    def test_named_solver_is_told_of_a_better_one(self):
        self.write("osc.yaml", self.STIFF.replace("end: 1,", "end: 0.1, solver: dopri5,"))
        done = self.ironbird("run", "osc.yaml")
        self.assertRegex(done.stderr, r"note: stability, not accuracy, kept \d+ % of the steps of dopri5 short")
        self.assertIn("solver: stiff may be much faster", done.stderr)
        self.assertNotIn("started_with", self.run_json("out/osc")["statistics"])

    def test_progress_json(self):
        self.write("osc.yaml", OSCILLATOR)
        done = self.ironbird("run", "osc.yaml", "--progress", "json", "--quiet")
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        self.assertGreaterEqual(len(lines), 1)
        self.assertEqual(lines[-1]["time"], 1)
        self.assertEqual(lines[-1]["fraction"], 1)


class Folders(CliTest):
    def test_rerun(self):
        self.write("osc.yaml", OSCILLATOR)
        self.ironbird("run", "osc.yaml")
        self.ironbird("plot", "out/osc", "twice", "-o", "out/osc/plot.svg")
        self.ironbird("run", "osc.yaml", "--until", "0.5")
        self.assertEqual(len(self.rows("out/osc")[1]), 6)
        self.assertFalse((self.folder / "out/osc/plot.svg").exists())

    def test_others_files(self):
        self.write("osc.yaml", OSCILLATOR)
        note = self.write("o/note.txt", "mine")
        done = self.ironbird("run", "osc.yaml", "--out", "o", code=2)
        self.assertIn("note.txt", done.stderr)
        self.assertIn("[IB0802]", done.stderr)
        self.assertEqual(note.read_text(), "mine")
        self.assertEqual(len(list((self.folder / "o").iterdir())), 1)
        self.ironbird("run", "osc.yaml", "--out", ".", code=2)
        self.assertEqual((self.folder / "osc.yaml").read_text(), OSCILLATOR)

    def test_bad_model_keeps_old_results(self):
        self.write("osc.yaml", OSCILLATOR)
        self.ironbird("run", "osc.yaml")
        before = (self.folder / "out/osc/results.csv").read_bytes()
        self.write("osc.yaml", OSCILLATOR.replace("mass: m,", "mass: -1,"))
        self.ironbird("run", "osc.yaml", code=2)
        self.assertEqual((self.folder / "out/osc/results.csv").read_bytes(), before)

    def test_folder_cannot_be_made(self):
        self.write("osc.yaml", OSCILLATOR)
        self.write("file", "x")
        for out in ("file", "file/deep", "/proc/ironbird"):
            done = self.ironbird("run", "osc.yaml", "--out", out, code=2)
            self.assertRegex(done.stderr, r"error: .*\[IB\d{4}\]")

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_folder_is_read_only(self):
        self.write("osc.yaml", OSCILLATOR)
        (self.folder / "o").mkdir(mode=0o555)
        self.assertIn("[IB0102]", self.ironbird("run", "osc.yaml", "--out", "o", code=2).stderr)

    def test_killed_run_can_be_rerun(self):
        self.write("osc.yaml", OSCILLATOR)
        with subprocess.Popen([PROGRAM, "run", "osc.yaml", "--until", "1e9", "--quiet"],
                              cwd=self.folder) as process:
            table = self.folder / "out/osc/results.csv"
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and not (table.exists() and table.stat().st_size > 9999):
                time.sleep(0.05)
            process.kill()
        self.assertEqual(self.run_json("out/osc")["status"], "running")
        done = self.ironbird("info", "out/osc")
        self.assertIn("did not finish", done.stderr)
        self.ironbird("run", "osc.yaml")
        self.assertEqual(len(self.rows("out/osc")[1]), 11)


class EarlyEnds(CliTest):
    def test_failure_keeps_rows(self):
        self.write("bad.yaml", FAILING)
        done = self.ironbird("run", "bad.yaml", code=3)
        self.assertRegex(done.stderr, r"bad.yaml:\d+:\d+: error: .*log")
        self.assertIn("failed at t = 0.5 s of 1 s; 5 rows kept in out/bad", done.stderr)
        self.assertEqual([row[0] for row in self.rows("out/bad")[1]], [0, 0.1, 0.2, 0.3, 0.4])
        run = self.run_json("out/bad")
        self.assertEqual((run["status"], run["end_time"], run["planned_end"]), ("failed", 0.4, 1))
        self.assertIn("log", run["message"])
        self.assertEqual(len(run["errors"]), 1)
        self.assertNotIn("nan", (self.folder / "out/bad/results.csv").read_text())

    def test_full_disk(self):
        self.write("osc.yaml", OSCILLATOR)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
        done = self.ironbird("run", "osc.yaml", "--until", "1000", "--record", "*", code=3,
                             preexec_fn=limit)
        self.assertRegex(done.stderr, r"the first \d+ rows are safe \[IB0801\]")
        run = self.run_json("out/osc")
        self.assertEqual(run["status"], "write error")
        header, rows = self.rows("out/osc")
        self.assertEqual(len(rows), run["rows"])
        self.assertGreater(len(rows), 10)
        self.assertEqual({len(row) for row in rows}, {len(header)})
        self.assertEqual([row[0] for row in rows], [i / 10 for i in range(len(rows))])

    def interrupt(self, number):
        """Starts an endless run and sends it a signal; exit code and standard error."""
        self.write("osc.yaml", OSCILLATOR)
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        with subprocess.Popen([PROGRAM, "run", "osc.yaml", "--until", "1e9"], cwd=self.folder,
                              stderr=subprocess.PIPE, text=True) as process:
            table = self.folder / "out/osc/results.csv"
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and not (table.exists() and table.stat().st_size > 9999):
                time.sleep(0.05)
            process.send_signal(number)
            _, error = process.communicate(timeout=60)
            return process.returncode, error

    def test_interrupt(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            code, error = self.interrupt(number)
            self.assertEqual(code, 130)
            self.assertIn("interrupted at t =", error)
            run = self.run_json("out/osc")
            rows = self.rows("out/osc")[1]
            self.assertEqual(run["status"], "interrupted")
            self.assertEqual(run["rows"], len(rows))
            self.assertEqual(run["end_time"], rows[-1][0])


class Inputs(CliTest):
    def setUp(self):
        super().setUp()
        self.write("pushed.yaml", PUSHED)

    def test_held_between_rows(self):
        # 2 from t = 0, -3 from t = 0.3 (between rows), 0 from t = 0.5 (on a row).
        self.write("in.csv", "time,push\n0,2\n0.3,-3\n0.5,0\n7,1\n")
        self.ironbird("run", "pushed.yaml", "--input", "in.csv", "--out", "o")
        header, rows = self.rows("o")
        v, f = header.index("mass.velocity.x"), header.index("motor.value")
        expected = {0: (0, 2), 0.25: (0.5, 2), 0.5: (0, 0), 0.75: (0, 0), 1: (0, 0)}
        for row in rows:
            speed, force = expected[row[0]]
            self.assertAlmostEqual(row[v], speed, delta=1e-12)
            self.assertEqual(row[f], force)
        self.assertEqual(self.run_json("o")["settings"]["input"], "in.csv")

    def test_start_value_before_the_first_row(self):
        self.write("in.csv", "t, push ,other\r\n0.5,4,0.5\r\n")
        self.ironbird("run", "pushed.yaml", "--input", "in.csv", "--out", "o")
        header, rows = self.rows("o")
        self.assertEqual([row[header.index("motor.value")] for row in rows], [0, 0, 4, 4, 4])

    def test_bad_tables(self):
        for text, place, message in [
                ("time,push\n0,1\n0.5,x\n0.2,3\n", "in.csv:3:5", "a finite number"),
                ("time,push\n0,1\n0,2\n", "in.csv:3:1", "not later"),
                ("time,push\n0,1\n1\n", "in.csv:3:2", "fewer values"),
                ("time,push\n0,1\n1,2,3\n", "in.csv:3:5", "more values"),
                ("time,push\n0,nan\n", "in.csv:2:3", "a finite number"),
                ("time,push\n0,\n", "in.csv:2:3", "a finite number"),
                ("time,pusch\n0,1\n", "in.csv:1:6", "did you mean 'push'"),
                ("time,push,push\n0,1,1\n", "in.csv:1:11", "two columns"),
                ("time,other\n0,1\n1,1.5\n", "in.csv:3:3", "limits"),
                ("time,push\n0,\"1\n", "in.csv:2:3", "quote"),
                ("", "in.csv", "empty"),
                ("1e300,2\n", "in.csv:1:1", "must be 'time'")]:
            self.write("in.csv", text)
            done = self.ironbird("run", "pushed.yaml", "--input", "in.csv", code=2)
            self.assertIn(place, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertFalse((self.folder / "out").exists())
        self.ironbird("run", "pushed.yaml", "--input", "missing.csv", code=2)

    def test_all_bad_rows_are_named(self):
        self.write("in.csv", "time,push\n0,a\n1,b\n2,c\n")
        done = self.ironbird("run", "pushed.yaml", "--input", "in.csv", code=2)
        for line in (2, 3, 4):
            self.assertIn(f"in.csv:{line}:3", done.stderr)


class Terminals(CliTest):
    def on_terminal(self, *arguments, env=None):
        """Runs the program with standard error on a terminal; what it shows there."""
        ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **(env or {})}
        environment.pop("NO_COLOR", None)
        environment.update(env or {})
        shown = b""
        with subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, env=environment, stderr=theirs,
                              stdout=subprocess.DEVNULL) as process:
            os.close(theirs)
            while True:
                ready, _, _ = select.select([ours], [], [], 60)
                try:
                    part = os.read(ours, 65536) if ready else b""
                except OSError:
                    part = b""
                if not part:
                    break
                shown += part
            process.wait(timeout=60)
        os.close(ours)
        return shown.decode()

    def test_progress_bar(self):
        self.write("osc.yaml", OSCILLATOR)
        shown = self.on_terminal("run", "osc.yaml")
        self.assertIn("%", shown)
        self.assertIn("real time", shown)
        self.assertTrue(shown.rstrip("\n").endswith("\r\033[K"))
        for arguments in (["--quiet"], ["--progress", "none"]):
            shutil.rmtree(self.folder / "out")
            self.assertEqual(self.on_terminal("run", "osc.yaml", *arguments), "")

    def test_colours(self):
        self.assertIn("\033[", self.on_terminal("run", "missing.yaml"))
        self.assertNotIn("\033[", self.on_terminal("run", "missing.yaml", env={"NO_COLOR": "1"}))
        self.assertNotIn("\033[", self.on_terminal("run", "missing.yaml", env={"TERM": "dumb"}))


if __name__ == "__main__":
    unittest.main()
