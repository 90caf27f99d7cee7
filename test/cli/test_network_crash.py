"""FMUs of a network that crash or call exit(): an error that names the component, and the rows kept."""
import csv
import json
import unittest

import test_fmu_isolate

# Its class is a base here, not a test to run again.
Isolate = test_fmu_isolate.IsolateTest


class NetworkCrash(Isolate):
    def fly(self, mode, more=""):
        self.make()
        (self.folder / "net.yaml").write_text(
            "ironbird: 1\nnetwork: doomed\ntime: {end: 1}\ncomponents:\n  calm: {fmu: wrecker3.fmu}\n"
            f"  wild: {{fmu: wrecker3.fmu, parameters: {{mode: {test_fmu_isolate.MODES[mode]}}}}}\n"
            f"coupling: {{step: 100 ms}}\n{more}")
        return self.ironbird("run", "net.yaml", "--out", "out", "--quiet", code=3)

    def rows(self):
        run = json.loads((self.folder / "out/run.json").read_text())
        self.assertEqual(run["status"], "failed")
        with (self.folder / "out/results.csv").open(newline="") as file:
            return len(list(csv.DictReader(file)))

    def test_crash(self):
        """From the third step on: the rows of t = 0, 0.1 and 0.2 are there."""
        for mode, what in (("crash", "crashed"), ("abort", "crashed"), ("divide", "crashed")):
            with self.subTest(mode):
                done = self.fly(mode)
                self.assertRegex(done.stderr, rf"net.yaml:6:3: error: component 'wild' {what} \(signal \d+\) in the "
                                 r"step from t = 0.2 s \[IB0735\]")
                self.assertEqual(self.rows(), 3)

    def test_exit(self):
        done = self.fly("exit")
        self.assertIn("component 'wild' called exit() in the step from t = 0.2 s [IB0735]", done.stderr)
        self.assertEqual(self.rows(), 3)


if __name__ == "__main__":
    unittest.main()
