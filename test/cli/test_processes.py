"""Programs beside a mission: started, told where things are, heard, and never left behind."""
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from cli_test import CliTest, PROGRAM, SOURCE

QUAD = SOURCE / "examples" / "quadcopter_mission"

MISSION = """ironbird: 1
mission: brick
time: {end: 1, output_step: 20 ms}
plants: {brick: {model: brick.yaml}}
vehicles: {b: {plant: brick}}
processes:
  helper: {command: %s}
"""


def gone(pid):
    """Whether the process has ended, within 5 s (a zombie has)."""
    for _ in range(500):
        try:
            if "State:\tZ" in pathlib.Path(f"/proc/{pid}/status").read_text():
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.01)
    return False


class Processes(CliTest):
    def setUp(self):
        super().setUp()
        self.write("brick.yaml", "ironbird: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n")

    def mission(self, command, more="", end="1"):
        self.write("m.yaml", MISSION.replace("end: 1", f"end: {end}") % (command + more))

    def log(self, folder="out"):
        return (self.folder / folder / "process-helper.log").read_text()

    def pid(self, name="pid"):
        for _ in range(1000):
            path = self.folder / name
            if path.exists() and path.read_text().strip():
                return int(path.read_text())
            time.sleep(0.01)
        self.fail("the helper has not started")

    def start(self):
        run = subprocess.Popen([PROGRAM, "run", "m.yaml", "--out", "out", "--realtime"], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.kill)
        return run

    def test_words(self):
        """It knows where it is and where results go, and what it says is kept. It ends with the run."""
        self.mission("[sh, -c, 'echo $$ > new; mv new pid; echo \"$IRONBIRD_MISSION|$IRONBIRD_OUT\"; pwd; echo bad >&2; sleep 1000']", end="3")
        self.ironbird("run", "m.yaml", "--out", "out", "--realtime")
        here = os.path.realpath(self.folder)
        self.assertEqual(self.log(), f"{here}/m.yaml|{here}/out\n{here}\nbad\n")
        self.assertTrue(gone(self.pid()))

    def test_waited_for(self):
        self.mission("[sh, -c, 'sleep 1; echo done']", ", stop_on_exit: false")
        self.ironbird("run", "m.yaml", "--out", "out")
        self.assertEqual(self.log(), "done\n")

    def test_ends_the_run(self):
        self.mission("[sh, -c, 'sleep 0.5; exit 4']", ", end_run_on_exit: true", "1e6")
        done = self.ironbird("run", "m.yaml", "--out", "out", "--realtime")
        self.assertRegex(done.stdout + done.stderr, r"process 'helper' has ended with code 4, and the run with it")
        self.assertEqual(self.run_json("out")["status"], "done")

    def test_other_end_of_a_channel(self):
        """A mission that brings its own peer flies like one without."""
        for name in ("quadcopter.yaml", "autopilot.c"):
            self.write(name, (QUAD / name).read_text())
        mission = (QUAD / "mission.yaml").read_text().replace("end: 40", "end: 3")
        self.write("native.yaml", mission)
        self.ironbird("run", "native.yaml", "--out", "native")
        address = f"shm://ironbird-test-{self.folder.name}"
        self.write("far.yaml", mission.replace("native: autopilot.c", f'channel: "{address}"\n    timeout: 20').replace(
            "ironbird: 1\n", "ironbird: 1\nmode: hil_dyn\nprocesses: {peer: {command: [sh, -c, 'exec " + str(PROGRAM) +
            " fcc serve autopilot.c --listen $IRONBIRD_ADDRESS_AUTOPILOT']}}\n"))
        self.ironbird("run", "far.yaml", "--out", "far")
        self.assertEqual((self.folder / "far/results.csv").read_bytes(),
                         (self.folder / "native/results.csv").read_bytes())
        self.assertIn("run 1 has begun", (self.folder / "far/process-peer.log").read_text())

    def test_refused(self):
        for command, more, said in (("[no-such-program, 1]", "", r"m\.yaml:7:\d+: error: process 'helper' cannot be "
                                                                 r"started: no-such-program: No such file"),
                                    ("[]", "", r"m\.yaml:7:\d+: error: command: a list of a program"),
                                    ("[sh]", ", stop_on_exit: maybe", r"m\.yaml:7:\d+: error: "),
                                    ("[sh]", ", stopp_on_exit: true", r"did you mean 'stop_on_exit'")):
            self.mission(command, more)
            self.assertRegex(self.ironbird("run", "m.yaml", "--out", "out", code=2).stderr, said)
            self.assertFalse((self.folder / "out").exists())

    def test_not_left_by_a_bad_mission(self):
        self.mission("[sh, -c, 'echo $$ > new; mv new pid; sleep 1000']")  # it may be ended before it says so
        self.write("m.yaml", (self.folder / "m.yaml").read_text().replace("plant: brick}", "plant: brik}"))
        self.ironbird("run", "m.yaml", "--out", "out", code=2)
        if (self.folder / "pid").exists():
            self.assertTrue(gone(self.pid()))

    def test_interrupt(self):
        """Ctrl-C ends one that does not want to end, and what it has started."""
        self.mission("[sh, -c, 'trap : TERM; echo $$ > new; mv new pid; sleep 1000 & echo $! > new; mv new pid2; while true; do wait; done']",
                     end="1e6")
        run = self.start()
        first, second = self.pid(), self.pid("pid2")
        time.sleep(0.3)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        self.assertTrue(gone(first) and gone(second))

    def test_killed(self):
        """Nor does it outlive a run that cannot end it any more."""
        self.mission("[sh, -c, 'echo $$ > new; mv new pid; exec sleep 1000']", end="1e6")
        run = self.start()
        pid = self.pid()
        run.kill()
        run.communicate()
        self.assertTrue(gone(pid))


if __name__ == "__main__":
    unittest.main()
