#!/usr/bin/env python3
"""Every model has its page: a command that runs it, a picture, and a case that holds it to a reference."""
import json
import os
import pathlib
import re
import sys

SOURCE = pathlib.Path(os.environ.get("IRONBIRD_SOURCE", pathlib.Path(__file__).resolve().parents[2]))


def faults(folder, cases):
    """What is missing of a model's folder."""
    page = folder / "README.md"
    if not page.exists():
        return ["there is no README.md"]
    text, found = page.read_text(), []
    if len(text.splitlines()) > 80:
        found.append("README.md is longer than a page")
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+\.svg)\)", text)
    found += [f"README.md shows {name}, which is not there" for name in pictures if not (folder / name).exists()]
    if not pictures:
        found.append("README.md shows no picture")
    for model in re.findall(r"^    ironbird run models/\S+/(\S+\.yaml)", text, re.M) or [None]:
        if not model or not (folder / model).exists():
            found.append(f"README.md does not say how to run the model ({model})")
    held = {case.get("model", "model.yaml") for case in cases if case["example"] == folder.name}
    found += [f"no case of test/examples/cases.json runs {path.name}" for path in folder.glob("*.yaml")
              if path.name not in held and "\nsimulation:" in path.read_text()]
    return found


def main():
    cases = json.loads((SOURCE / "test/examples/cases.json").read_text())["cases"]
    folders = sorted(path for path in (SOURCE / "models").iterdir() if path.is_dir())
    bad = [f"models/{folder.name}: {fault}" for folder in folders for fault in faults(folder, cases)]
    print("\n".join(bad) or f"{len(folders)} models")
    sys.exit(1 if bad or not folders else 0)


if __name__ == "__main__":
    main()
