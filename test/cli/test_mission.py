"""Missions from the command line: results, events, mistakes, snapshots, threads."""
import csv
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest
import zipfile

from cli_test import CliTest, PROGRAM, SOURCE

MISSIONS = SOURCE / "test" / "world" / "missions"

MISSION = """ironbird: 1
mission: two bricks
time: {end: 2, output_step: 20 ms}
seed: 3
plants:
  stack: {model: three.yaml}
vehicles:
  a:
    plant: stack
    drag_area: 0.1
    initial: {position: [0, 0, 5000], velocity: [100, 0, 10], rates: [0.1, 0.2, 0.3]}
    devices:
      imu: {type: imu, gyro: {noise: 1e-3}}
      icu: {type: icu, sequence: [{do: arm}, {delay: 1.1, do: separate, payload: first}]}
    separations: {first: {release: [j1], as: one, impulse: 3}}
  b: {plant: stack, initial: {position: [0, 50, 5000]}}
events:
  - {name: apex, when: a.body.velocity.z, crosses: down, do: [{mark: apex}]}
"""


class Mission(CliTest):
    def setUp(self):
        super().setUp()
        shutil.copy(MISSIONS / "three.yaml", self.folder / "three.yaml")
        self.write("mission.yaml", MISSION)

    def rows(self, name):
        with (self.folder / name).open(newline="") as file:
            return list(csv.DictReader(file))

    def read(self, folder, name="results.csv"):
        return (self.folder / folder / name).read_bytes()

    def test_results(self):
        done = self.ironbird("run", "mission.yaml", "--out", "out")
        self.assertRegex(done.stdout, "two bricks: 2 s simulated")
        rows = self.rows("out/results.csv")
        self.assertEqual(len(rows), 101)
        self.assertEqual(rows[0]["one.mass"], "nan")
        self.assertEqual(float(rows[-1]["one.mass"]), 5)
        self.assertEqual(float(rows[-1]["a.mass"]), 30)
        events = self.rows("out/events.csv")
        self.assertEqual([e["event"] for e in events], ["mark", "stage_separation", "separated"])
        self.assertEqual(events[2]["detail"], "one")
        run = json.loads((self.folder / "out/run.json").read_text())
        self.assertEqual(run["status"], "done")
        self.assertEqual(set(run["files"]), {"results.csv", "channels.json", "run.json", "events.csv", "bus.csv"})
        channels = json.loads((self.folder / "out/channels.json").read_text())
        self.assertIn("a.imu.rate.x", json.dumps(channels))
        bus = self.rows("out/bus.csv")
        self.assertEqual([b["published"] for b in bus if b["topic"] == "imu"], ["2000"])
        # A rerun replaces its own files.
        self.ironbird("run", "mission.yaml", "--out", "out", "--record", "b.*")
        self.assertNotIn(b"a.mass", self.read("out"))

    def test_check(self):
        self.assertIn("ok (a mission)", self.ironbird("check", "mission.yaml").stdout)
        self.write("bad.yaml", MISSION.replace("plant: stack,", "plant: stak,").replace("gyro", "gyrp"))
        done = self.ironbird("check", "bad.yaml", code=1)
        self.assertRegex(done.stderr, r"bad.yaml:13:24: error: device 'imu' has no key 'gyrp'")
        self.assertIn("did you mean 'gyro'?", done.stderr)

    def test_options(self):
        self.assertIn("not yet supported for missions", self.ironbird("run", "mission.yaml", "--rtol", "1", code=2).stderr)
        self.assertIn("'--solver' is not yet supported for missions",
                      self.ironbird("run", "mission.yaml", "--solver", "rk4", code=2).stderr)
        self.assertIn("1 to 64", self.ironbird("run", "mission.yaml", "--threads", "0", code=2).stderr)
        self.assertIn("no channel matches", self.ironbird("run", "mission.yaml", "--record", "c.*", code=2).stderr)
        self.assertIn("--checkpoint", self.ironbird("run", "mission.yaml", "--checkpoint", "x", code=2).stderr)
        self.assertIn("whole multiple", self.ironbird("run", "mission.yaml", "--checkpoint", "1.5 ms", code=2).stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_threads_and_seed(self):
        for name, options in (("one", []), ("two", ["--threads", "2"]), ("other", ["--seed", "4"])):
            self.ironbird("run", "mission.yaml", "--out", name, *options)
        self.assertEqual(self.read("one"), self.read("two"))
        self.assertNotEqual(self.read("one"), self.read("other"))

    def test_resume(self):
        """From every snapshot, with the results cut off behind it, to the same bytes."""
        self.ironbird("run", "mission.yaml", "--out", "whole", "--checkpoint", "0.35")
        snapshots = sorted(path.name for path in (self.folder / "whole").glob("snapshot-*.ib"))
        self.assertEqual(snapshots, [f"snapshot-{t}s.ib" for t in ("0.35", "0.7", "1.05", "1.4", "1.75")])
        hash_of = lambda folder: json.loads((self.folder / folder / "run.json").read_text())["statistics"]["state_hash"]
        for i, snapshot in enumerate(snapshots):
            shutil.copytree(self.folder / "whole", self.folder / f"again{i}")
            self.ironbird("resume", f"again{i}/{snapshot}")
            self.ironbird("resume", f"whole/{snapshot}", "--out", f"other{i}", "--threads", "2")
            for folder in (f"again{i}", f"other{i}"):
                self.assertEqual(self.read(folder), self.read("whole"))
                self.assertEqual(self.read(folder, "events.csv"), self.read("whole", "events.csv"))
                self.assertEqual(hash_of(folder), hash_of("whole"))
        # Its own folder is known as its own afterwards.
        self.ironbird("run", "mission.yaml", "--out", "again0")

    def test_snapshots_refused(self):
        self.ironbird("run", "mission.yaml", "--out", "out", "--checkpoint", "1")
        good = self.read("out", "snapshot-1s.ib")
        for name, text, message in (("cut.ib", good[:1000], "cut off"), ("cut2.ib", good[:-9], "cut off|damaged"),
                                    ("bad.ib", good[:2000] + bytes([good[2000] ^ 1]) + good[2001:], "damaged"),
                                    ("old.ib", good[:8] + b"9" + good[9:], "another version"),
                                    ("none.ib", b"text", "no snapshot"),
                                    ("more.ib", good + b"x", "with more bytes behind its end")):
            (self.folder / name).write_bytes(text)
            done = self.ironbird("resume", name, code=2)
            self.assertRegex(done.stderr, message)
            self.assertIn("IB0726", done.stderr)
        self.write("mission.yaml", MISSION.replace("seed: 3", "seed: 5"))
        self.assertIn("changed since", self.ironbird("resume", "out/snapshot-1s.ib", code=2).stderr)

    def test_snapshot_of_another_fmu(self):
        """What the FMU is counts as what the mission says does."""
        built = pathlib.Path(os.environ["IRONBIRD_BUILD"]) / "test/fmus/quad3.fmu"
        shutil.copy(built, self.folder / "quad.fmu")
        self.write("mission.yaml", "ironbird: 1\nmission: q\ntime: {end: 1}\nplants: {p: {fmu: quad.fmu}}\n"
                                   "vehicles: {v: {plant: p}}\n")
        self.ironbird("run", "mission.yaml", "--out", "out", "--checkpoint", "0.5")
        self.ironbird("resume", "out/snapshot-0.5s.ib", "--out", "on")
        with zipfile.ZipFile(self.folder / "quad.fmu", "a") as archive:
            archive.writestr("documentation/new.txt", "another")
        self.assertIn("changed since", self.ironbird("resume", "out/snapshot-0.5s.ib", "--out", "b", code=2).stderr)

    def last(self, folder):
        return self.rows(folder + "/results.csv")[-1]

    def run_mission(self, *options, code=0):
        done = self.ironbird("run", "mission.yaml", *options, code=code)
        return done.stdout + done.stderr

    def test_set(self):
        """--set: by a path, and a plant's parameter by its short name; mistakes point into the option."""
        self.write("mission.yaml", MISSION.replace("{model: three.yaml}", "{model: heavy.yaml}"))
        self.write("heavy.yaml", "ironbird: 1\nparameters: {m: 10}\n" + (MISSIONS / "three.yaml").read_text()
                   .replace("ironbird: 1", "").replace("mass: 10,", "mass: m,"))
        self.run_mission("--until", "1", "--out", "a")
        self.run_mission("--until", "1", "--out", "b", "--set", "stack.m=30", "--set", "launch.altitude=2 km",
                         "--set", "vehicles.b.initial.position=[0, 7, 100]")
        a, b = self.last("a"), self.last("b")
        self.assertEqual(float(b["b.mass"]) - float(a["b.mass"]), 20)
        self.assertAlmostEqual(float(b["b.body.position.y"]) - float(a["b.body.position.y"]), 7 - 50, delta=0.5)
        self.assertAlmostEqual(float(b["a.altitude"]) - float(a["a.altitude"]), 2000, delta=0.5)
        for value, said in (("stak.m=1", r"a mission has no 'stak.m' to set"),
                            ("stack.n=1", r"there is no parameter 'n'"),
                            ("launch.altitude=high", r"--set launch.altitude:1:18: error: unknown name 'high'"),
                            ("vehicles.c.stage=X", r"there is no vehicle 'c'"),
                            ("vehicles.b.stage.x=X", r"'stage' has no parts that could be set"),
                            ("b.stage=X", r"write vehicles.b.stage"),
                            ("launch.altitude=[", r"--set launch.altitude:1:")):
            self.assertRegex(self.run_mission("--set", value, code=2), said)

    def test_choices(self):
        """--plant and --flight-computer take another one of the file's."""
        plants = "plants:\n  light: {model: brick.yaml}"
        shutil.copy(MISSIONS / "brick.yaml", self.folder / "brick.yaml")
        self.write("mission.yaml", MISSION.replace("plants:", plants))
        self.run_mission("--until", "0.1", "--out", "a", "--plant", "b=light")
        self.assertEqual((float(self.last("a")["b.mass"]), float(self.last("a")["a.mass"])), (2, 35))
        self.assertRegex(self.run_mission("--plant", "b=ligt", code=2), r"there is no plant 'ligt'; did you mean 'light'")
        self.assertRegex(self.run_mission("--plant", "c=light", code=2), r"there is no vehicle 'c'")
        self.assertRegex(self.run_mission("--plant", "light", code=2), r"is not of the form VEHICLE=NAME")
        self.assertRegex(self.run_mission("--flight-computer", "b=x", code=2), r"there is no flight computer 'x'")

    def test_real_time(self):
        """It takes no less than the time simulated, and ends in the same rows."""
        begun = time.monotonic()
        self.run_mission("--until", "0.6", "--realtime", "2", "--out", "paced")
        self.assertGreaterEqual(time.monotonic() - begun, 0.3)
        self.run_mission("--until", "0.6", "--out", "free")
        self.assertEqual((self.folder / "paced/results.csv").read_bytes(), (self.folder / "free/results.csv").read_bytes())
        self.assertRegex(self.run_mission("--realtime", "0", code=2), r"is no factor between")

    def test_trace(self):
        """trace.csv: what is asked for alone, the same for any number of threads; looking changes nothing."""
        self.run_mission("--until", "1.3", "--out", "plain")
        self.run_mission("--until", "1.3", "--out", "one", "--trace", "bus", "--trace", "devices", "--trace", "events")
        self.run_mission("--until", "1.3", "--out", "two", "--trace", "bus", "--trace", "devices", "--trace", "events",
                         "--threads", "2")
        self.run_mission("--until", "1.3", "--out", "some", "--trace", "events")
        trace = (self.folder / "one/trace.csv").read_bytes()
        self.assertEqual(trace, (self.folder / "two/trace.csv").read_bytes())
        self.assertEqual(*((self.folder / name / "results.csv").read_bytes() for name in ("plain", "one")))
        kinds = [row["kind"] for row in csv.DictReader(trace.decode().splitlines())]
        self.assertEqual(set(kinds), {"bus", "device", "event"})
        self.assertEqual(kinds.count("event"), 1300)
        self.assertIn("trace.csv", json.loads((self.folder / "one/run.json").read_text())["files"])
        self.assertEqual({row["kind"] for row in self.rows("some/trace.csv")}, {"event"})
        self.assertRegex(self.run_mission("--trace", "all", code=2), r"none of bus, devices and events")

    def test_resume_with_values(self):
        """A snapshot goes on with the values that its run was given."""
        self.run_mission("--out", "whole", "--set", "vehicles.b.initial.position=[0, 7, 100]", "--checkpoint", "1")
        rows = (self.folder / "whole/results.csv").read_bytes()
        self.ironbird("resume", "whole/snapshot-1s.ib", "--out", "again")
        self.assertEqual((self.folder / "again/results.csv").read_bytes(), rows)

    def test_interrupt(self):
        """Ctrl-C at some moment: results up to there are kept and say so."""
        self.write("long.yaml", MISSION.replace("end: 2", "end: 20000"))
        with subprocess.Popen([PROGRAM, "run", "long.yaml", "--out", "long"], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as run:
            time.sleep(0.5)
            run.send_signal(signal.SIGINT)
            _, errors = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130)
        self.assertIn("interrupted at t =", errors)
        record = json.loads((self.folder / "long/run.json").read_text())
        self.assertEqual(record["status"], "interrupted")
        self.assertEqual(self.read("long").count(b"\n"), record["rows"] + 1)


QUAD = SOURCE / "examples" / "quadcopter_mission"


class Channels(CliTest):
    """The same bits from a flight computer in this process, in one of its own, and behind a channel."""

    def setUp(self):
        super().setUp()
        for name in ("quadcopter.yaml", "autopilot.c"):
            shutil.copy(QUAD / name, self.folder / name)
        self.mission = (QUAD / "mission.yaml").read_text().replace("end: 40", "end: 6")

    def fly(self, name, mission, code=0):
        self.write(f"{name}.yaml", mission)
        done = self.ironbird("run", f"{name}.yaml", "--out", name, code=code)
        return (self.folder / name / "results.csv").read_bytes() if code == 0 else done.stderr

    def serve(self, address):
        server = subprocess.Popen([PROGRAM, "fcc", "serve", "autopilot.c", "--listen", address, "--once"],
                                  cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return server, re.search(r" at (\S+); ", server.stdout.readline())[1]

    def behind(self, address, mode="hil_dyn"):
        return self.mission.replace("native: autopilot.c", f'channel: "{address}"').replace(
            "ironbird: 1\n", f"ironbird: 1\nmode: {mode}\n")

    def test_same_bits(self):
        native = self.fly("native", self.mission)
        self.assertEqual(self.fly("isolated", self.mission.replace("autopilot.c", "autopilot.c\n    isolate: true")),
                         native)
        for name, address in (("udp", "udp://127.0.0.1:0"), ("shm", f"shm://ironbird-test-{self.folder.name}")):
            for mode in ("hil_dyn", "hil_fcc"):
                server, at = self.serve(address)
                self.assertEqual(self.fly(name + mode, self.behind(at, mode)), native)
                self.assertEqual(server.wait(timeout=20), 0)

    def test_own_clock(self):
        """A computer with a clock of its own, in real time, does what it does in lockstep, if not in the same bits."""
        self.mission = self.mission.replace("end: 6", "end: 4.5")  # it takes off at 3 s of its clock
        server, at = self.serve("udp://127.0.0.1:0")
        mission = self.behind(at, "hil_fcc").replace("    config:", "    clock: own\n    config:", 1)
        self.assertRegex(self.fly("late", mission, code=2), r"clock of its own, which takes .*--realtime")
        self.write("own.yaml", mission)
        self.ironbird("run", "own.yaml", "--out", "own", "--realtime")
        self.assertEqual(server.wait(timeout=20), 0)
        ticks = int(re.search(r"after (\d+) tick", server.stdout.read())[1])
        # 250 Hz; a busy machine may miss some of the 1125.
        self.assertGreater(ticks, 400)
        names, rows = self.rows("own")
        self.assertEqual(rows[-1][0], 4.5)
        # Armed, it spins its motors: the commands have arrived.
        self.assertTrue(any(row[names.index("quad.motors.speed.1")] > 0 for row in rows))

    def test_exit(self):
        """exit() in a flight computer of this process ends the run as a failure, with its rows."""
        self.write("leaver.c", """#include <ironbird/fcc.h>
#include <stdlib.h>
uint32_t ib_fcc_abi(void) { return IB_FCC_ABI; }
int32_t ib_fcc_init(const char *config, void *state, uint64_t *size, char message[IB_FCC_TEXT]) {
    (void)config, (void)state, (void)message;
    *size = 8;
    return 0;
}
int32_t ib_fcc_tick(const ib_fcc_in *in, ib_fcc_out *out, void *state) {
    (void)out, (void)state;
    if (in->time >= 1000000000)
        exit(0);
    return 0;
}
""")
        mission = self.mission.replace("autopilot.c", "leaver.c")
        self.assertRegex(self.fly("leaves", mission, code=3), r"exit\(\).*IB1206")
        record = json.loads((self.folder / "leaves/run.json").read_text())
        self.assertEqual(record["status"], "failed")
        # The mission writes a row every 20 ms; the tick that begins at 1 s is not finished.
        self.assertEqual(record["rows"], 51)
        self.assertEqual((self.folder / "leaves/results.csv").read_bytes().count(b"\n"), 52)

    def test_plant_crashes(self):
        """An FMU that aborts as a plant ends the run, named, with the rows before."""
        quad = pathlib.Path(os.environ["IRONBIRD_BUILD"]) / "test" / "fmus" / "quad3.fmu"
        mission = ("ironbird: 1\nmission: m\ntime: {end: 1}\nplants: {p: {fmu: " + json.dumps(str(quad)) +
                   ", parameters: {mode: 2}}}\nvehicles: {v: {plant: p}}\n")
        said = self.fly("crash", mission, code=3)
        self.assertRegex(said, r"plant 'p' of vehicle 'v' crashed \(signal 6\)")
        record = json.loads((self.folder / "crash/run.json").read_text())
        self.assertEqual((record["status"], record["rows"]), ("failed", 6))  # 0 to 50 ms

    def test_peers(self):
        """Modes that do not agree, and a peer that never comes: named, and no hanging."""
        self.assertIn("takes mode: hil_dyn or hil_fcc", self.fly(
            "a", self.behind("udp://127.0.0.1:9").replace("mode: hil_dyn\n", ""), code=2))
        self.assertIn("is native", self.fly("b", self.mission.replace("ironbird: 1\n", "ironbird: 1\nmode: hil_dyn\n"),
                                            code=2))
        alone = self.behind("udp://127.0.0.1:9").replace("    config:", "    timeout: 0.3\n    config:", 1)
        self.assertIn("udp://127.0.0.1:9", self.fly("c", alone, code=2))
        for mode in ("hil_dyn", "hil_fcc"):
            server, at = self.serve("udp://127.0.0.1:0")
            self.write("d.yaml", self.behind(at, mode).replace("end: 6", "end: 6000"))
            with subprocess.Popen([PROGRAM, "run", "d.yaml", "--out", mode], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as run:
                time.sleep(1)
                server.kill()
                _, errors = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 3)
            # Of 250 Hz, however fast the machine: a count of ticks, not of nanoseconds.
            self.assertRegex(errors, r"quad: flight computer '.*', tick \d{1,6}: it has not answered within 2 s")
            self.assertRegex(errors, r"in vehicle 'quad', tick \d+")
            self.assertIn("rows kept", errors)


if __name__ == "__main__":
    unittest.main()
