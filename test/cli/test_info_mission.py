"""`ironbird info MISSION`, and mistakes in missions that are told once, at their place, in words."""
import json
import os
import pathlib
import shutil
import unittest

from cli_test import CliTest, SOURCE

MISSIONS = SOURCE / "test" / "world" / "missions"
QUAD_FMU = pathlib.Path(os.environ.get("IRONBIRD_BUILD", "build")) / "test" / "fmus" / "quad3.fmu"

MISSION = """ironbird: 1
mission: two bricks
time: {end: 2, output_step: 20 ms}
rates: {physics: 500 Hz, flight_computer: 25 Hz}
mode: avionics_dry
seed: 3
environment: {earth: {shape: flat}, atmosphere: none, wind: {speed: 10, from: 90 deg, gusts: [{start: 1, duration: 1, amplitude: [1, 0, 0]}]}}
launch: {latitude: 47 deg, altitude: 400}
plants: {stack: {model: three.yaml}}
flight_computers: {quiet: {native: quiet.c}}
vehicles:
  a:
    plant: stack
    stage: ASCENT
    flight_computer: quiet
    initial: {position: [0, 0, 5000]}
    devices:
      gps: {type: gps, rate: 10 Hz}
      imu: {type: imu, rate: 250 Hz}
    bus: {capacity: 32, topics: {gps: {latency: 0.12, loss: 0.01}}}
    separations: {first: {release: [j1], as: one}}
  b: {plant: stack, initial: {position: [0, 50, 5000]}}
events:
  - {name: apex, when: a.body.velocity.z, crosses: down, once: true, do: [{mark: apex}, {stop: true}]}
"""

QUIET = """#include <ironbird/fcc.h>
#include <string.h>
uint32_t ib_fcc_abi(void) { return IB_FCC_ABI; }
int32_t ib_fcc_init(const char *config, void *state, uint64_t *size, char message[IB_FCC_TEXT]) {
    (void)config, (void)state, (void)message;
    *size = 8;
    return 0;
}
int32_t ib_fcc_tick(const ib_fcc_in *in, ib_fcc_out *out, void *state) {
    (void)state;
    if (in->tick == 1)
        strcpy(out->log_text, "red\\x1b[31m\\r\\n2,forged\\xc2\\x9b" "7m\\xff \\xc3\\xa4");
    return 0;
}
"""


class Mission(CliTest):
    def setUp(self):
        super().setUp()
        shutil.copy(MISSIONS / "three.yaml", self.folder / "three.yaml")
        self.write("quiet.c", QUIET)
        self.write("mission.yaml", MISSION)


class Info(Mission):
    def test_text(self):
        said = self.ironbird("info", "mission.yaml").stdout
        for line in ("mission: two bricks\nmode: avionics_dry, to 2 s, a row every 0.02 s, seed 3\n",
                     "environment: Earth flat, not turning; gravity uniform [0, 0, -9.80665] m/s^2; air none; "
                     "wind: [0, -10, 0] m/s (north, east, down), 1 gust; magnetic field: yes\n",
                     "launch point: latitude 47 deg, longitude 0 deg, altitude 400 m\n",
                     "  a: rigid body, plant stack (three.yaml), 35 kg, stage ASCENT\n"
                     "    flight computer: quiet (quiet.c), in this process\n"
                     "    bus: 32 messages; imu, gps (0.12 s late) (0.01 lost)\n"
                     "    separation first: releases j1, becomes one\n",
                     "  one: comes off a\n",
                     "  apex: when a.body.velocity.z crosses zero down, once, 2 things to do\n"):
            self.assertIn(line, said)
        rates = [line.split() for line in said.partition("rates and devices:")[2].partition("events")[0].splitlines()[1:]]
        first = (self.folder / "three.yaml").read_text().partition("bodies:\n")[2].split(":")[0].strip()
        self.assertEqual(rates, [["physics", "500", "1"],
                                 ["a.imu", "250", "2", "imu", "on", first], ["a.gps", "10", "50", "gps", "on", first],
                                 ["flight", "computers", "25", "20"], ["output", "50", "10"]])

    def test_json(self):
        about = json.loads(self.ironbird("info", "--json", "mission.yaml", "--set", "launch.altitude=1 km").stdout)
        self.assertEqual((about["kind"], about["mode"], about["launch"]["altitude"]), ("mission", "avionics_dry", 1000))
        self.assertEqual(about["rates"], {"tick_ns": 2000000, "physics": {"ticks": 1, "hertz": 500},
                                          "flight_computer": {"ticks": 20, "hertz": 25},
                                          "output": {"ticks": 10, "hertz": 50}})
        self.assertEqual(about["environment"]["uniform_gravity"], [0, 0, -9.80665])
        a = about["vehicles"][0]
        self.assertEqual([(d["name"], d["type"], d["ticks"]) for d in a["devices"]], [("imu", "imu", 2), ("gps", "gps", 50)])
        self.assertEqual(a["topics"][1], {"name": "gps", "latency": 0.12, "loss": 0.01})
        self.assertEqual(a["separations"], [{"name": "first", "as": "one", "release": ["j1"]}])
        self.assertEqual([v["name"] for v in about["vehicles"]], ["a", "b", "one"])
        self.assertEqual(about["vehicles"][2]["comes_off"], "a")
        self.assertEqual(about["events"][0]["actions"], 2)
        # The channels are those that a run records.
        self.ironbird("run", "mission.yaml", "--until", "0.02", "--out", "out")
        header, _ = self.rows("out")
        self.assertEqual([c["name"] for c in about["channels"]], header[1:])
        self.assertIn(f"channels ({len(header) - 1})", self.ironbird("info", "mission.yaml").stdout)

    def test_other_plants(self):
        """Vehicles that are mechanisms, or FMUs."""
        camera = SOURCE / "examples" / "hanging_camera" / "mission.yaml"
        self.assertIn("  quad: mechanism, plant quadcopter (quadcopter.yaml), 1.4 kg\n",
                      self.ironbird("info", camera).stdout)
        shutil.copy(QUAD_FMU, self.folder / "quad.fmu")
        self.write("fmu.yaml", "ironbird: 1\nmission: q\nplants: {p: {fmu: quad.fmu}}\nvehicles: {v: {plant: p}}\n")
        self.assertIn("  v: FMU, plant p (quad.fmu)\n", self.ironbird("info", "fmu.yaml").stdout)
        about = json.loads(self.ironbird("info", "--json", "fmu.yaml").stdout)
        self.assertEqual((about["vehicles"][0]["kind"], about["vehicles"][0]["mass"]), ("FMU", None))

    def test_mistakes(self):
        """Said as `check` says them, nothing printed."""
        self.write("bad.yaml", MISSION.replace("plant: stack,", "plant: stak,"))
        done = self.ironbird("info", "bad.yaml", code=2)
        self.assertIn("did you mean 'stack'?", done.stderr)
        self.assertEqual(done.stdout, "")


class Mistakes(Mission):
    def errors(self, old, new):
        """Lines that name an error or warning, of the mission with one change."""
        self.assertIn(old, MISSION)
        self.write("bad.yaml", MISSION.replace(old, new, 1))
        said = self.ironbird("check", "bad.yaml", code=1).stderr
        return [line for line in said.splitlines() if line.startswith("bad.yaml:")]

    def test_reserved_names(self):
        """No device has the name of a channel, or of the beginning of channels, of its vehicle."""
        for name in ("body", "eci", "local", "mass", "altitude", "air", "stage", "plant"):
            errors = self.errors("imu: {type", f"{name}: {{type")
            self.assertEqual(len(errors), 1)
            self.assertIn(f"19:7: error: a device cannot be called '{name}'", errors[0])
        self.write("good.yaml", MISSION.replace("imu: {type", "bod: {type"))
        self.ironbird("check", "good.yaml")

    def test_threads(self):
        errors = self.errors("seed: 3", "parallel: {threads: 100000}")
        self.assertEqual(len(errors), 1)
        self.assertRegex(errors[0], r":6:21: error: threads: 0 to 64 are possible, not 100000; 0 is one for each core")
        said = self.ironbird("run", "mission.yaml", "--threads", "100000", code=2).stderr
        self.assertIn("1 to 64; one for each core of the machine is the most that helps", said)

    def test_action(self):
        """An unknown action is one error, with a suggestion; two in one entry, too."""
        errors = self.errors("{stop: true}", "{stp: true}")
        self.assertEqual(len(errors), 1)
        self.assertIn("no key 'stp'; did you mean 'stop'?", errors[0])
        errors = self.errors("{stop: true}", "{explode: true}")
        self.assertEqual(len(errors), 1)
        errors = self.errors("{stop: true}", "{stop: true, mark: x}")
        self.assertEqual(len(errors), 1)
        self.assertIn("each entry has one key, this has 2", errors[0])

    def test_range(self):
        """What is out of bounds is shown at its value."""
        errors = self.errors("rate: 250 Hz", "gyro: {noise: -1}, rate: 250 Hz")
        self.assertEqual(len(errors), 1)
        column = MISSION.splitlines()[18].index("rate: 250") + len("gyro: {noise: ") + 1
        self.assertTrue(errors[0].startswith(f"bad.yaml:19:{column}: error: imu.gyro.noise is -1"), errors[0])

    def test_depth(self):
        """How far below the ground, in numbers that people read."""
        for place, said in (("[0, 0, -7000]", "6600.000 m"), ("[0, 0, -2000400]", "2000.0 km"),
                            ("[0, 0, -400.5]", "0.500 m"), ("[0, 0, -400.00025]", "0.250 mm")):
            self.write("deep.yaml", MISSION.replace("b: {plant: stack, initial: {position: [0, 50, 5000]}}",
                                                    f"b: {{plant: stack, initial: {{position: {place}}}}}"))
            self.assertIn(f"vehicle 'b' begins {said} below the ground", self.ironbird("check", "deep.yaml").stderr)

    def test_log_text(self):
        """Whatever a flight computer says, events.csv has a line for it without control characters."""
        done = self.ironbird("run", "mission.yaml", "--until", "0.1", "--out", "out")
        text = (self.folder / "out" / "events.csv").read_bytes()
        self.assertEqual(text.count(b"\n"), 2)
        self.assertIn(rb'red\x1b[31m\r\n2,forged\xc2\x9b7m\xff ' + "ä".encode(), text)
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        head, _, tail = QUIET.rpartition("return 0;")
        self.write("quiet.c", head + "return 1;" + tail)
        said = self.ironbird("run", "mission.yaml", "--until", "0.1", "--out", "fails", code=3).stderr
        self.assertIn("it gives up: red", said)
        self.assertNotRegex(said, "\x1b|\x9b|\r|\n2,forged")


if __name__ == "__main__":
    unittest.main()
