#!/usr/bin/env python3
"""The small models of docs/keys: every key and type that the reference links to is used there, and each runs
and ends as its closing comments say: `# ends with CHANNEL = FORMULA, to TOLERANCE`.
"""
import csv
import math
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get("IRONBIRD_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("IRONBIRD", str(SOURCE / "build" / "ironbird"))
KEYS = SOURCE / "docs" / "keys"
NAMES = {name: getattr(math, name) for name in dir(math) if not name.startswith("_")}


def faults_of_links(page):
    """What the reference's links promise and the files do not keep."""
    found, linked = [], set()
    for row in page.splitlines():
        match = re.match(r"\| (?:\[`(\w+)`\]\(keys/(\S+?)\)|`(\w+)`) \|", row)
        if match and match.group(3):
            found.append(f"{match.group(3)}: has no example")
        elif match:
            word, name = match.group(1), match.group(2)
            linked.add(name)
            path = KEYS / name
            text = path.read_text() if path.exists() else ""
            if not path.exists():
                found.append(f"docs/keys/{name} is missing: a small model that uses '{word}'")
            elif not re.search(rf"(?<![\w.]){word}:|type: {word}\b", text):
                found.append(f"docs/keys/{name} does not use '{word}'")
    whole = {str(path.relative_to(KEYS)) for path in KEYS.rglob("*.yaml") if "\nsimulation:" in path.read_text()}
    return found + [f"docs/keys/{name}: nothing leads there" for name in sorted(whole - linked)]


def faults_of_run(path, work):
    """Runs a model; which of its closing comments do not hold."""
    expected = re.findall(r"^# ends with (\S+) = (.+), to (\S+)$", path.read_text(), re.M)
    if not expected:
        return ["says nothing about its end"]
    out = work / path.relative_to(KEYS).with_suffix("")
    result = subprocess.run([PROGRAM, "run", str(path), "--quiet", "--out", str(out)], text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0 or result.stdout:
        return [f"exit code {result.returncode}: {result.stdout}"]
    with open(out / "results.csv", newline="") as file:
        last = list(csv.DictReader(file))[-1]
    found = []
    for channel, formula, tolerance in expected:
        wanted = eval(formula.replace("^", "**"), dict(NAMES))
        if channel not in last:
            found.append(f"has no channel {channel}")
        elif not abs(float(last[channel]) - wanted) <= float(tolerance):
            found.append(f"{channel} is {last[channel]}, not {wanted!r}")
    return found


def main():
    work = pathlib.Path.cwd() / "keys"
    bad = faults_of_links((SOURCE / "docs" / "model-reference.md").read_text())
    models = sorted(path for path in KEYS.rglob("*.yaml") if "\nsimulation:" in path.read_text())
    for path in models:
        bad += [f"docs/keys/{path.relative_to(KEYS)}: {fault}" for fault in faults_of_run(path, work)]
    print("\n".join(bad) or f"{len(models)} models")
    sys.exit(1 if bad or not models else 0)


if __name__ == "__main__":
    main()
