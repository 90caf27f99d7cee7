#!/usr/bin/env python3
"""The missions among the examples: each is checked and flown, and held against what is known about it."""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get("IRONBIRD_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("IRONBIRD", str(SOURCE / "build" / "ironbird"))
EXAMPLES = SOURCE / "examples"
WORK = pathlib.Path.cwd()


def fly(name, *options):
    """Flies an example's mission; the folder of its results."""
    folder = WORK / (name + "".join(options).replace("-", "").replace(" ", ""))
    done = subprocess.run([PROGRAM, "run", str(EXAMPLES / name / "mission.yaml"), "--quiet", "--out", str(folder), *options],
                          text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{name}: exit code {done.returncode}: {done.stdout}")
    return folder


def rows(folder, file="results.csv"):
    with open(folder / file, newline="") as stream:
        return list(csv.DictReader(stream))


def near(what, value, wanted, tolerance):
    if not abs(value - wanted) <= tolerance:
        sys.exit(f"{what} is {value!r}, not {wanted!r}: more than {tolerance} off")


def test_brick():
    """Jacobi's closed form of the angular velocity, to 1e-8 deg/s; the fall's place of the event to 1e-5 m, which
    the linear interpolation between two results 0.1 s apart does not reach, but the recorded one does."""
    folder = fly("tumbling_brick")
    with open(SOURCE / "test/references/flight/torque_free_brick.csv", newline="") as stream:
        known = {float(row["t_s"]): row for row in csv.DictReader(stream)}
    found = 0
    for row in rows(folder):
        wanted = known.get(float(row["time"]))
        for axis, column in zip("xyz", ("p_degps", "q_degps", "r_degps")) if wanted else ():
            near(f"rate {axis}", math.degrees(float(row[f"brick.body.rate.{axis}"])), float(wanted[column]), 1e-8)
        found += wanted is not None
    if found != 31:
        sys.exit(f"compared {found} rows")
    events = rows(folder, "events.csv")
    if [event["source"] for event in events] != ["low"]:
        sys.exit(f"events: {events}")
    # Between rows of 0.1 s the height is a parabola to 1e-5 m: through three rows around the event.
    time = float(events[0]["time"])
    table = [(float(row["time"]), float(row["brick.altitude"])) for row in rows(folder)]
    at = next(i for i, row in enumerate(table) if row[0] >= time)
    (a, ya), (b, yb), (c, yc) = table[at - 1:at + 2]
    height = (ya * (time - b) * (time - c) / ((a - b) * (a - c)) + yb * (time - a) * (time - c) / ((b - a) * (b - c))
              + yc * (time - a) * (time - b) / ((c - a) * (c - b)))
    near("the event's height", height, 8000, 1e-5)


def test_constellation():
    """The same bytes for any number of threads; every orbit keeps its energy but for the drag's small loss."""
    folders = [fly("constellation", "--threads", n) for n in ("1", "2", "3")]
    texts = [(folder / "results.csv").read_bytes() for folder in folders]
    if texts.count(texts[0]) != 3:
        sys.exit("results differ between numbers of threads")
    hashes = {json.loads((folder / "run.json").read_text())["statistics"]["state_hash"] for folder in folders}
    if len(hashes) != 1:
        sys.exit(f"hashes differ: {hashes}")
    table = rows(folders[0])
    for plane in range(1, 9):
        for seat in range(1, 9):
            name = f"s{plane}{seat}"
            heights = [float(row[f"{name}.altitude"]) for row in table]
            if not 530e3 < min(heights) <= max(heights) < 575e3:
                sys.exit(f"{name} flies between {min(heights)} and {max(heights)} m")


def test_launcher():
    """Everything happens once and in its order; the upper stage is stopped at the speed asked for (an order comes at
    most a tick of 20 ms late, at 60 m/s^2, from a speed that the computer integrates); masses add up."""
    folder = fly("launcher", "--threads", "2")
    events = rows(folder, "events.csv")
    lines = [event["detail"] for event in events if event["event"] == "log"]
    if lines != ["ignition", "burn-out of the first stage", "separation", "ignition of the second stage", "cut-off",
                 "payload released"]:
        sys.exit(f"the computer says {lines}")
    what = [f"{event['vehicle']}: {event['event']} {event['detail']}".strip() for event in events
            if event["event"] != "log"]
    wanted = [": mark through_max_q", "launcher: engine_shutdown", ": mark space", "launcher: bolt_fired",
              "launcher: stage_separation stage1", "launcher: separated spent_stage", "launcher: engine_shutdown",
              "launcher: bolt_fired", "launcher: stage_separation payload", "launcher: separated payload",
              "spent_stage: transition REENTRY", "spent_stage: stage REENTRY"]
    if what != wanted:
        sys.exit("\n".join(["what happened is not what should:", *what]))
    cut_off = next(float(event["time"]) for event in events if event["detail"] == "cut-off")
    table = {round(float(row["time"]), 1): row for row in rows(folder)}
    row = table[math.floor(cut_off * 10) / 10]
    speed = math.sqrt(sum(float(row[f"launcher.eci.velocity.{axis}"]) ** 2 for axis in "xyz"))
    near("the speed at cut-off", speed, 7400, 8)
    last = table[640.0]
    near("the first mass", float(table[0.0]["launcher.mass"]), 102000, 1e-9)
    near("the spent stage's mass", float(last["spent_stage.mass"]), 5000, 1e-6)
    near("the payload's mass", float(last["payload.mass"]), 500, 1e-9)
    near("the launcher's mass", float(last["launcher.mass"]), 1500 + float(last["launcher.upper.propellant"]), 1e-6)
    # Held by the pad until it lifts off: at rest over the ground, and its accelerometers weigh it.
    near("the pad's place", float(table[1.0]["launcher.altitude"]), float(table[0.0]["launcher.altitude"]), 1e-6)
    near("the specific force on the pad", float(table[0.5]["launcher.body.specific_force.x"]), 9.79, 0.01)
    if not float(table[5.0]["launcher.altitude"]) > 50:
        sys.exit("it does not lift off")


def hold_the_way_point(name):
    """It takes off, and holds its way-point in the wind to 1 m: three times the receiver's noise of 0.15 m / sqrt(1 s)
    and some wind."""
    folder = fly(name)
    events = rows(folder, "events.csv")
    lines = [event["detail"] for event in events]
    if lines != ["taking off", "airborne", "way-point 1", "way-point 2"]:
        sys.exit(f"what happened: {lines}")
    for row in rows(folder):
        if float(row["time"]) < 25:
            continue
        for channel, wanted, tolerance in (("local.n", 20, 1), ("local.e", 10, 1), ("local.d", -12, 1),
                                           ("euler.yaw", math.pi / 2, 0.1)):
            near(f"{channel} at {row['time']} s", float(row[f"quad.{channel}"]), wanted, tolerance)
    return rows(folder)


def test_hanging_camera():
    """As without the camera; before it takes off, the frame rests on its feet and the camera hangs below."""
    for row in hold_the_way_point("hanging_camera"):
        if 2.5 < float(row["time"]) < 3:
            # The feet carry the weight but for what the idle rotors lift, and are pressed in: k d^1.5 each.
            carried = sum(float(row[f"quad.plant.foot{i}.force.z"]) for i in (1, 2, 3, 4))
            lifted = sum(8e-6 * float(row[f"quad.motors.speed.{i}"]) ** 2 for i in (1, 2, 3, 4))
            near("what the feet carry", carried, 1.4 * 9.80665 - lifted, 0.05)
            near("the frame's height", float(row["quad.plant.frame.position.z"]),
                 0.21 - (carried / 4 / 2e4) ** (2 / 3), 2e-5)
        near("the camera's angle", float(row["quad.plant.swing.value"]), 0, 15)


if __name__ == "__main__":
    for mission in sorted(EXAMPLES.glob("*/mission.yaml")):
        done = subprocess.run([PROGRAM, "check", str(mission)], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit(done.stdout)
    test_brick()
    test_constellation()
    test_launcher()
    test_hanging_camera()
    hold_the_way_point("quadcopter_mission")
