#!/usr/bin/env python3
"""Runs the commands of the documents and compares what they print with what the documents show.

In a fenced block marked `console`, a line that begins with '$ ' is a command; the lines up to the next
one are what it prints, in order, where '...' stands for anything (alone on a line: for any lines) and
lines may be left out only so. '$ command  # exits with N' expects that exit code. A fenced block after
a line `<!-- file: NAME -->` is written to that file first. All blocks of a document run in one folder
that holds the examples.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get("IRONBIRD_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = pathlib.Path(os.environ.get("IRONBIRD", SOURCE / "build" / "ironbird")).resolve()
DOCUMENTS = ("docs/tutorial.md", "docs/mission-tutorial.md", "README.md")


def blocks(text):
    """(kind, file name or None, text) of every fenced block, in order."""
    pattern = re.compile(r"(?:<!-- file: (\S+) -->\n)?```(\w*)\n(.*?)^```", re.S | re.M)
    for match in pattern.finditer(text):
        yield match.group(2), match.group(1), match.group(3)


def commands(block):
    """(command, exit code, expected lines) of a console block."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            command, _, note = line[2:].partition("  # exits with ")
            found.append((command, int(note or 0), []))
        elif found:
            found[-1][2].append(line)
    return found


def matches(expected, printed):
    """True when the printed lines are the expected ones, '...' standing for anything."""
    pattern = ""
    for line in expected:
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            parts = [re.escape(part) for part in line.rstrip().split("...")]
            pattern += "[^\n]*".join(parts) + r"[ \t]*\n"
    return re.fullmatch(pattern, printed + "\n" if printed and not printed.endswith("\n") else printed) is not None


def run(document, work):
    """Runs a document's blocks; the number of commands that did not do as shown."""
    bad = 0
    environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "NO_COLOR": "1", "COLUMNS": "80"}
    for kind, name, text in blocks((SOURCE / document).read_text()):
        if name:
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text(text)
        if kind == "c" and not name and text not in (SOURCE / "examples/c/pendulum.c").read_text():
            bad += 1
            print(f"FAILED {document}: the C program is not the one of examples/c/pendulum.c")
        if kind != "console":
            continue
        for command, code, expected in commands(text):
            if command.startswith(("make", "git", "cd ")):
                continue  # setting up is what the test machine has done
            result = subprocess.run(["bash", "-c", command], cwd=work, text=True, env=environment,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            good = result.returncode == code and (not expected or matches(expected, result.stdout))
            print(f"{'ok    ' if good else 'FAILED'} {document}: {command}")
            if not good:
                bad += 1
                print(f"exit code {result.returncode}, expected {code}; it printed:\n{result.stdout}")
    return bad


def main():
    bad = 0
    for document in DOCUMENTS:
        work = pathlib.Path.cwd() / pathlib.Path(document).stem
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        shutil.copytree(SOURCE / "examples", work / "examples")
        bad += run(document, work)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
