"""`ironbird run X.fmu --kind me`: FMUs for Model Exchange of our own against closed forms and converged
independent solutions, events, inputs, and what an FMU can do wrong."""
import math
import unittest

from motion import MODES, MotionTest

# To t = 40: a Taylor series of order 24 with 32 digits, steps of 1/1500 s.
ROBERTSON = [0.715827068719405088, 9.18553476455776e-06, 0.284163745745830355]


def van_der_pol(end, order=30, steps=800):
    """x and v at the end from (2, 0): a Taylor series, which shares nothing with Runge-Kutta."""
    x0, v0, h = 2.0, 0.0, end / steps
    for _ in range(steps):
        x, v = [x0], [v0]
        for k in range(order):
            square = [sum(x[i] * x[j - i] for i in range(j + 1)) for j in range(k + 1)]
            product = v[k] - sum(square[i] * v[k - i] for i in range(k + 1))
            x.append(v[k] / (k + 1))
            v.append((product - x[k]) / (k + 1))
        x0 = sum(c * h**k for k, c in enumerate(x))
        v0 = sum(c * h**k for k, c in enumerate(v))
    return x0, v0


def impacts(n, g=9.81, e=0.7):
    """Times of the impacts of a ball dropped from 1 m."""
    speed = math.sqrt(2 * g)
    time, times = speed / g, []
    for _ in range(n):
        times.append(time)
        speed *= e
        time += 2 * speed / g
    return times


class Solutions(MotionTest):
    def test_decay(self):
        for version in (2, 3):
            for solver in ("dopri5", "stiff"):
                self.motion("decay", version)
                done, columns = self.simulate("decay", "--solver", solver, "--record", "x")
                self.assertEqual(done.stderr, "")
                self.assertEqual(columns["time"], [i / 10 for i in range(11)])
                for time, x in zip(columns["time"], columns["x"]):
                    self.assertAlmostEqual(x, math.exp(-time), delta=1e-7)
                run = self.run_json("out")
                self.assertEqual(run["settings"]["kind"], "Model Exchange")
                self.assertEqual(run["settings"]["solver"], solver)
                self.assertEqual(run["settings"]["tolerance"], 1e-8)
                self.assertGreater(run["statistics"]["evaluations"], 10)

    def test_van_der_pol(self):
        expected = van_der_pol(20)
        for version in (2, 3):
            for solver in ("dopri5", "stiff"):
                self.motion("vdp", version)
                _, columns = self.simulate("vdp", "--stop", "20", "--solver", solver)
                self.assertAlmostEqual(columns["x"][-1], expected[0], delta=1e-5)
                self.assertAlmostEqual(columns["v"][-1], expected[1], delta=1e-5)

    def test_robertson(self):
        for version in (2, 3):
            for directional in (False, True):
                for dependencies in (False, True):
                    self.motion("robertson", version, directional, dependencies)
                    _, columns = self.simulate("robertson", "--stop", "40", "--solver", "stiff",
                                               "--tolerance", "1e-8", "--output-step", "10")
                    for name, expected in zip(("y1", "y2", "y3"), ROBERTSON):
                        self.assertAlmostEqual(columns[name][-1] / expected, 1, delta=1e-5)
                    self.assertLess(self.run_json("out")["statistics"]["steps"], 1000)

    def test_the_default_is_co_simulation_then_model_exchange(self):
        self.motion("decay")
        self.ironbird("run", "decay.fmu", "--out", "out")
        self.assertEqual(self.run_json("out")["settings"]["kind"], "Model Exchange")

    def test_the_tolerance_counts(self):
        self.motion("vdp")
        expected = van_der_pol(20)[0]
        errors, evaluations = [], []
        for tolerance in ("1e-4", "1e-6", "1e-8", "1e-10"):
            _, columns = self.simulate("vdp", "--stop", "20", "--tolerance", tolerance)
            errors.append(abs(columns["x"][-1] - expected))
            evaluations.append(self.run_json("out")["statistics"]["evaluations"])
        self.assertEqual(errors, sorted(errors, reverse=True))
        self.assertEqual(evaluations, sorted(evaluations))
        self.assertLess(errors[-1], 1e-7)

    def test_rows_and_steps_are_two_things(self):
        self.motion("decay")
        counts = []
        for rows in ("0.001", "0.5"):
            _, columns = self.simulate("decay", "--output-step", rows, "--record", "x")
            counts.append(self.run_json("out")["statistics"]["steps"])
            for time, x in zip(columns["time"], columns["x"]):
                self.assertAlmostEqual(x, math.exp(-time), delta=1e-7)
        self.assertEqual(counts[0], counts[1])
        self.simulate("decay", "--max-step", "1 ms")
        self.assertGreaterEqual(self.run_json("out")["statistics"]["steps"], 1000)


class Events(MotionTest):
    def test_bouncing_ball(self):
        """The FMU's impacts are rows of their own: before, with the ball falling, and after."""
        for version in (2, 3):
            for solver in ("dopri5", "stiff"):
                self.motion("ball", version)
                _, columns = self.simulate("ball", "--stop", "2.4", "--solver", solver)
                times, v = columns["time"], columns["v"]
                seen = [i for i in range(1, len(times)) if v[i - 1] < 0 < v[i]
                        and abs(times[i] - times[i - 1]) < 2e-9]
                expected = [t for t in impacts(40) if t < 2.4]
                self.assertEqual(len(seen), len(expected))
                for i, time in zip(seen, expected):
                    self.assertAlmostEqual(times[i], time, delta=1e-6)
                    self.assertAlmostEqual(v[i], -0.7 * v[i - 1], delta=1e-12)

    def test_a_ball_that_rests(self):
        self.motion("ball")
        _, columns = self.simulate("ball", "--stop", "10", "--set", "p2=1e-3")
        self.assertEqual(columns["time"][-1], 10)
        self.assertLess(abs(columns["h"][-1]), 1e-9)

    def test_a_ball_that_never_rests(self):
        """Impacts gather at t = 2.558...; the run says so instead of falling through the floor."""
        for version in (2, 3):
            self.motion("ball", version)
            done, columns = self.simulate("ball", "--stop", "10", code=3)
            self.assertRegex(done.stderr, r"ball at t = 2\.55\d* s: events come ever faster")
            self.assertIn("IB1072", done.stderr)
            gathered = math.sqrt(2 / 9.81) * (1 + 2 * 0.7 / 0.3)
            self.assertAlmostEqual(columns["time"][-1], gathered, delta=1e-6)
            self.assertGreater(min(columns["h"]), -1e-9)

    def test_time_events(self):
        for version in (2, 3):
            self.motion("driven", version)
            _, columns = self.simulate("driven", "--set", f"mode={MODES['ticks']}", "--output-step", "0.5",
                                       "--record", "x,events")
            self.assertEqual(columns["time"], [0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1, 1])
            self.assertEqual(columns["x"], [0, 0, 1, 1, 2, 2, 3, 3, 4])

    def test_a_short_excursion_is_seen(self):
        """An indicator is positive for a millisecond: seen where steps are kept as short."""
        self.motion("driven")
        _, columns = self.simulate("driven", "--set", f"mode={MODES['pulse']}", "--max-step", "2 ms")
        for expected in (0.4995, 0.5005):
            self.assertLess(min(abs(time - expected) for time in columns["time"]), 2e-9)

    def test_step_events(self):
        for version in (2, 3):
            self.motion("driven", version)
            _, columns = self.simulate("driven", "--set", f"mode={MODES['step']}")
            self.assertEqual(columns["events"][-1], 3)
            self.assertGreater(columns["steps"][-1], 3)

    def test_the_fmu_ends_it(self):
        for version in (2, 3):
            self.motion("driven", version)
            done, columns = self.simulate("driven", "--set", f"mode={MODES['end']}")
            self.assertIn("ended the simulation itself at t = 0.5 s", done.stderr)
            self.assertEqual(columns["time"][-1], 0.5)
            done, columns = self.simulate("driven", "--set", f"mode={MODES['step_end']}")
            self.assertIn("ended the simulation itself", done.stderr)
            self.assertTrue(0.5 < columns["time"][-1] < 0.7)


class Inputs(MotionTest):
    def test_ramps_jumps_and_discrete_values(self):
        """x' = u + ud: u rises to 1 at 0.4 s and jumps to 3; ud is 2 from 0.7 s on."""
        self.write("in.csv", "time,u,ud\n0,0,0\n0.4,1,0\n0.4,3,0\n0.7,3,2\n1,3,2\n")
        for version in (2, 3):
            for solver in ("dopri5", "stiff"):
                self.motion("driven", version)
                _, columns = self.simulate("driven", "--input", "in.csv", "--solver", solver)
                rows = list(zip(columns["time"], columns["x"], columns["y"]))

                def x(time):
                    ramp = time * time / 0.8 if time < 0.4 else 0.2 + 3 * (time - 0.4)
                    return ramp + 2 * max(0, time - 0.7)
                for time, value, _ in rows:
                    self.assertAlmostEqual(value, x(time), delta=1e-7)
                # y = u + 10 ud: before and after each jump.
                y = [y for time, _, y in rows if time == 0.4]
                self.assertEqual((len(y), y[-1]), (2, 3))
                self.assertAlmostEqual(y[0], 1, delta=1e-12)
                self.assertEqual([y for time, _, y in rows if time == 0.7], [3, 23])

    def test_an_input_event_and_a_time_event_are_one(self):
        """0.75 as a sum of rounded parts is not 0.75; events 1e-16 apart are one event."""
        self.write("in.csv", f"time,u\n0,0\n{0.25 + 5e-17!r},0\n{0.25 + 5e-17!r},1\n1,1\n")
        self.motion("driven")
        _, columns = self.simulate("driven", "--set", f"mode={MODES['ticks']}", "--input", "in.csv")
        self.assertEqual(columns["time"].count(0.25), 2)
        self.assertAlmostEqual(columns["x"][-1], 4 + 0.75, delta=1e-7)

    def test_a_jump_at_the_start_and_at_the_end(self):
        self.write("in.csv", "time,u\n0,0\n0,1\n1,1\n1,5\n")
        self.motion("driven")
        _, columns = self.simulate("driven", "--input", "in.csv")
        self.assertEqual(columns["y"][0], 1)
        self.assertEqual(columns["y"][-1], 5)
        self.assertAlmostEqual(columns["x"][-1], 1, delta=1e-7)


class Misbehaviour(MotionTest):
    def misbehave(self, mode, *options, version=3, code=3):
        self.motion("driven", version)
        return self.simulate("driven", "--set", f"mode={MODES[mode]}", "--set", "u=1", *options, code=code)

    def test_what_ends_a_run(self):
        for version in (2, 3):
            for mode, message in [
                    ("endless", "does not come to an end"),
                    ("standing", "events follow each other without time passing"),
                    ("past", r"announces its next event for 0\.4 s"),
                    ("nothing", r"no step, however small, can be taken from here; the state x resists"),
                    ("short", r"no step, however small"),
                    ("fail", r"returned Error at t = 0\.[5-9]\d* s"),
                    ("flat", r"the nominal value of x is 0")]:
                done, columns = self.misbehave(mode, version=version)
                self.assertRegex(done.stderr, message)
                if mode != "flat":
                    self.assertGreaterEqual(columns["time"][-1], 0.4)
                self.assertEqual(self.run_json("out")["status"], "failed")

    def test_stuck_at_the_right_place(self):
        for mode in ("nothing", "short"):
            for solver in ("dopri5", "stiff"):
                done, _ = self.misbehave(mode, "--solver", solver)
                self.assertRegex(done.stderr, r"driven at t = 0\.(5|49999999)\d* s: no step")

    def test_wrong_sizes(self):
        done, _ = self.misbehave("sizes")
        self.assertIn("the FMU has 1000001 continuous states and 2 event indicators, by its description "
                      "1 and 2", done.stderr)

    def test_missing_functions(self):
        self.motion("decay", 3, change=lambda text: text)
        self.libraries[("decay", 2)] = self.motion_library("decay", 2)
        from motion import describe3
        self.fmu("decay.fmu", describe3("decay", False, False),
                 [("binaries/x86_64-linux/motion.so", self.motion_library("decay", 2))])
        done, _ = self.simulate("decay", code=3)
        self.assertRegex(done.stderr, "lacks .*fmi3SetContinuousStates")

    def test_options(self):
        self.motion("decay")
        for options, message in [
                (["--solver", "cvode"], "has no SUNDIALS"), (["--solver", "euler"], "none of dopri5, stiff"),
                (["--event-mode"], "settings of Co-Simulation"), (["--kind", "cs"], "does not offer"),
                (["--output-step", "0"], "not possible"), (["--max-step", "0"], "not positive")]:
            done = self.ironbird("run", "decay.fmu", *options, code=2)
            self.assertRegex(done.stderr, message)

    def test_repeatable(self):
        self.motion("vdp")
        self.ironbird("run", "vdp.fmu", "--stop", "20", "--out", "a")
        self.ironbird("run", "vdp.fmu", "--stop", "20", "--out", "b")
        self.assertEqual((self.folder / "a/results.csv").read_bytes(),
                         (self.folder / "b/results.csv").read_bytes())

    def test_compare_with_events(self):
        self.motion("ball")
        self.ironbird("run", "ball.fmu", "--stop", "2", "--out", "a")
        self.ironbird("compare", "a", "a")
        self.ironbird("run", "ball.fmu", "--stop", "2", "--out", "b", "--compare", "a")
        self.ironbird("run", "ball.fmu", "--stop", "2", "--out", "b", "--set", "p1=0.8", "--compare", "a", code=1)


if __name__ == "__main__":
    unittest.main()
