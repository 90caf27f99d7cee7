#!/usr/bin/env python3
"""Every example and model ends in the same bits, whatever compiler, optimisation level and processor.

test/bits/models.json holds the hash of the final state of each one's run. --write makes it anew:
after a change that is meant to change results, and only then.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get("IRONBIRD_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("IRONBIRD", str(SOURCE / "build" / "ironbird"))
GOLDEN = SOURCE / "test" / "bits" / "models.json"
LONGEST = 2.0  # seconds of simulated time: enough to show a difference


def state_hash(model, work):
    """The hash that a run of the model leaves in run.json."""
    out = work / f"{model.parent.name}-{model.stem}"
    end = float(re.search(r"^simulation:.*\bend: ([\d.]+)", model.read_text(), re.M).group(1))
    result = subprocess.run([PROGRAM, "run", str(model), "--until", str(min(end, LONGEST)), "--quiet", "--out", str(out)],
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        return f"exit code {result.returncode}: {result.stdout}"
    return json.loads((out / "run.json").read_text())["statistics"]["state_hash"]


def main():
    work = pathlib.Path.cwd() / "bits"
    paths = sorted(path for folder in ("examples", "models") for path in (SOURCE / folder).rglob("*.yaml")
                   if "\nsimulation:" in path.read_text())
    found = {str(path.relative_to(SOURCE)).removeprefix("examples/"): state_hash(path, work) for path in paths}
    if "--write" in sys.argv[1:]:
        GOLDEN.write_text(json.dumps(found, indent=2) + "\n")
        return
    expected = json.loads(GOLDEN.read_text())
    bad = [name for name in sorted({*expected, *found}) if expected.get(name) != found.get(name)]
    for name in bad:
        print(f"{name}: {found.get(name)}, should be {expected.get(name)}")
    print(f"{len(found)} models, {len(bad)} with other bits")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
