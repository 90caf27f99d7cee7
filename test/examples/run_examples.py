#!/usr/bin/env python3
"""Runs the examples and the models and holds them against their references, as cases.json says.

usage: run_examples.py [--case NAME]... [--list]

A case names a folder of examples or models and, where they differ from the model's own, simulation
settings; then

  reference   a table of test/references, or a function of closed_forms.py with its arguments
  compare     channel expression, column (or formula in t), tolerance; `relative` to the column's
              largest magnitude; `to` a last time
  constant    expressions that keep their first value within a tolerance
  bound       expressions that stay below a magnitude
  order       step sizes; from one to the next the error of `compare` falls by a factor in `ratio`
  turned      a tolerance: the model turned by quaternions, and moved, gives the turned and moved results,
              each channel relative to its largest magnitude or 1
  sets        parameter values (--set); `each` runs the case once for each of several

Expressions are Python; names with dots, and outputs by their names, are channels.
"""
import argparse
import bisect
import csv
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

import closed_forms

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get("IRONBIRD_BUILD", ROOT / "build"))
PROGRAM = os.environ.get("IRONBIRD", str(BUILD / "ironbird"))
NAMES = {name: getattr(math, name) for name in dir(math) if not name.startswith("_")}
TURNS = ((0.3, -0.4, 0.7, 0.5), (0, 1, 0, 0), (-0.2, 0.1, 0.9, -0.4))
PLACES = ((0, 0, 0), (0, 0, 0), (3, -2, 5))
NAMES.update(abs=abs, max=max, min=min, turn=closed_forms.turn, ramped=closed_forms.ramped)


class Failure(Exception):
    """A case that does not hold; the text says why."""


class Table:
    """Columns by name over increasing times."""

    def __init__(self, columns, time):
        self.columns, self.times = columns, columns[time]

    @classmethod
    def read(cls, path, time="time"):
        lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
        rows = list(csv.reader(lines))
        return cls({name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}, time)

    def row_at(self, t):
        """Index of the row at time t, to a few nanoseconds."""
        i = bisect.bisect_left(self.times, t - 2e-8)
        if i == len(self.times) or abs(self.times[i] - t) > 2e-8:
            raise Failure(f"the results have no row at t = {t!r}")
        return i

    def evaluator(self, expression):
        """A function of the row index for an expression over the columns."""
        def column(match):
            name = match.group(0)
            if name in self.columns:
                return f'column["{name}"][i]'
            if name + ".value" in self.columns:
                return f'column["{name}.value"][i]'
            if "." in name:
                raise Failure(f"the results have no channel '{name}'")
            return name
        text = re.sub(r"(?<![\w.])[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)*", column, expression)
        code = compile(text, expression, "eval")
        return lambda i: eval(code, {**NAMES, "column": self.columns, "i": i, "t": self.times[i]})


def folder_of(case):
    """The example's or the model's folder."""
    for folder in (ROOT / "examples" / case["example"], ROOT / "models" / case["example"]):
        if folder.is_dir():
            return folder
    raise Failure(f"there is no example and no model '{case['example']}'")


def simulate(case, simulation, label, sets=None, place=None):
    """Runs the case's model with the given simulation settings; the table of its results. With `place`, a
    quaternion and a point, it is run as part of a model that puts it there."""
    work = BUILD / "test" / "work" / ("examples." + case["name"]) / label
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(folder_of(case), work / "example")
    model = work / "example" / case.get("model", "model.yaml")
    if simulation:
        text, n = re.subn(r"(?m)^simulation:.*$", "simulation: " + json.dumps(simulation), model.read_text())
        if n != 1:
            raise Failure(f"{model} has no 'simulation:' on a line of its own")
        model.write_text(text)
    if place:
        model = placed(model, simulation, *place)
    out = work / "out"
    command = [PROGRAM, "run", str(model), "--out", str(out), "--quiet"]
    for name, value in {**case.get("sets", {}), **(sets or {})}.items():
        command += ["--set", f"{name}={value}"]
    result = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            stdin=subprocess.DEVNULL)
    if result.returncode != 0:
        said = "\n".join(result.stdout.splitlines()[-12:])
        raise Failure(f"{' '.join(command)}\nended with {result.returncode}:\n{said}")
    return Table.read(out / "results.csv")


def reference_of(case, results):
    """The table that the case's columns come from, or None for formulas alone."""
    source = case.get("reference")
    if source is None:
        return None
    if isinstance(source, str):
        return Table.read(ROOT / "test" / "references" / source, "t")
    columns = getattr(closed_forms, source["function"])(results.times, *source.get("arguments", []))
    return Table({"t": results.times, **columns}, "t")


def error_of(item, results, reference):
    """(largest error, its time) of one comparison."""
    source = reference if "column" in item else results
    rows = range(len(source.times))
    if "from" in item or "to" in item:
        first, last = item.get("from", -math.inf), item.get("to", math.inf) + 1e-9
        rows = [i for i in rows if first <= source.times[i] <= last]
    if not rows:
        raise Failure("the reference has no rows to compare")
    measured = results.evaluator(item["channel"])
    exact = source.evaluator(item["column"] if "column" in item else item["formula"])
    values = [exact(i) for i in rows]
    scale = max(map(abs, values)) if item.get("relative") else 1.0
    errors = []
    for i, value in zip(rows, values):
        t = source.times[i]
        difference = abs(measured(results.row_at(t)) - value) / scale
        errors.append((difference if difference == difference else math.inf, t))
    return max(errors)


def check_comparisons(case, results, say):
    reference = reference_of(case, results)
    for item in case.get("compare", []):
        error, t = error_of(item, results, reference)
        what = f"{item['channel']}: error {error:.2e} at t = {t:g}, allowed {item['tolerance']:g}"
        say(what, error <= item["tolerance"])


def check_invariants(case, results, say):
    rows = range(len(results.times))
    for item in case.get("constant", []):
        value = results.evaluator(item["channel"])
        drift = max(abs(value(i) - value(0)) for i in rows)
        say(f"{item['channel']}: drift {drift:.2e}, allowed {item['tolerance']:g}",
            drift <= item["tolerance"])
    for item in case.get("bound", []):
        value = results.evaluator(item["channel"])
        most = max(abs(value(i)) for i in rows)
        say(f"{item['channel']}: up to {most:.2e}, allowed {item['most']:g}", most <= item["most"])


def placed(model, simulation, turn, at):
    """Writes a model that includes another one as `it`, turned and moved, its gravity turned too."""
    text = model.read_text()
    gravity = re.search(r"(?m)^gravity: (.*)$", text)
    whole = {"ironbird": 1, "simulation": simulation,
             "include": [{"file": model.name, "as": "it", "at": at, "orientation": turn}]}
    if gravity:
        whole["gravity"] = closed_forms.turn(*turn, json.loads(gravity.group(1).partition("#")[0]))
    around = model.parent / "placed.yaml"
    around.write_text(json.dumps(whole))
    return around


def expected_of(channel, columns, i, turn, at):
    """What a channel of the model as it stands becomes when the model is turned and moved."""
    element, _, component = channel.rpartition(".")
    kind = element.rpartition(".")[2]
    if component in ("x", "y", "z") and kind in ("position", "velocity", "acceleration", "force", "torque"):
        k = "xyz".index(component)
        vector = closed_forms.turn(*turn, [columns[f"{element}.{c}"][i] for c in "xyz"])
        return vector[k] + (at[k] if kind == "position" else 0)
    if kind == "orientation":
        q = [columns[f"{element}.{c}"][i] for c in "wxyz"]
        return closed_forms.product(turn, q)["wxyz".index(component)]
    return columns[channel][i]


def check_turned(case, results, say):
    """Every channel of the turned model is the turned one; quaternions but for their sign."""
    for number, (turn, at) in enumerate(zip(TURNS, PLACES)):
        length = math.hypot(*turn)
        turn = [c / length for c in turn]
        found = simulate(case, case["simulation"], f"turned{number}", case.get("sets"), (turn, at))
        worst = (0.0, "", 0.0)
        for channel in results.columns:
            if channel == "time":
                continue
            got = found.columns["it." + channel]
            wanted = [expected_of(channel, results.columns, i, turn, at) for i in range(len(results.times))]
            scale = max(1.0, *map(abs, wanted))
            for t, a, b in zip(results.times, got, wanted):
                off = abs(abs(a) - abs(b) if ".orientation." in channel else a - b) / scale
                worst = max(worst, (off if off == off else math.inf, channel, t))
        say(f"turned by {', '.join(f'{c:.3g}' for c in turn)}: {worst[1]} differs by {worst[0]:.2e} at "
            f"t = {worst[2]:g}, allowed {case['turned']:g}", worst[0] <= case["turned"])


def check_order(case, say):
    """The error of every comparison falls as the order says when the step is reduced."""
    order = case["order"]
    errors = []
    for i, step in enumerate(order["steps"]):
        results = simulate(case, {**case["simulation"], "step": step}, f"step{i}")
        reference = reference_of(case, results)
        errors.append([error_of(item, results, reference)[0] for item in case["compare"]])
    low, high = order["ratio"]
    for coarse, fine in zip(errors, errors[1:]):
        for item, a, b in zip(case["compare"], coarse, fine):
            say(f"{item['channel']}: error {a:.2e} -> {b:.2e}, factor {a / b:.2f} in [{low}, {high}]",
                low <= a / b <= high)


def run_case(case):
    """Runs one case; True when all of it holds."""
    good = []

    def say(text, holds):
        good.append(holds)
        print(f"  {'ok    ' if holds else 'FAILED'} {text}")

    print(case["name"])
    try:
        if "order" in case:
            check_order(case, say)
        else:
            for i, sets in enumerate(case.get("each", [{}])):
                results = simulate(case, case.get("simulation"), f"run{i}", sets)
                check_comparisons(case, results, say)
                check_invariants(case, results, say)
            if "turned" in case:
                check_turned(case, results, say)
    except Failure as failure:
        say(str(failure), False)
    return bool(good) and all(good)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--case", action="append")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    cases = json.loads((HERE / "cases.json").read_text())["cases"]
    if options.list:
        print("\n".join(case["name"] for case in cases))
        return
    if not os.access(PROGRAM, os.X_OK):
        sys.exit(f"{PROGRAM} is not built")
    chosen = [case for case in cases if not options.case or case["name"] in options.case]
    if not chosen:
        sys.exit("there is no such case")
    sys.exit(0 if all([run_case(case) for case in chosen]) else 1)


if __name__ == "__main__":
    main()
