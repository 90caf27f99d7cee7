#!/usr/bin/env python3
"""clang-tidy over src/, qemu/ and cli/, in parallel; a file that passed is not looked at again until it, a
header it includes, the configuration or the program changes.

usage: tools/tidy.py BUILD [--jobs N]     BUILD holds compile_commands.json and the cache
"""
import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


@functools.lru_cache(maxsize=None)
def includes(path):
    """The project's own headers that the file names."""
    found = []
    for target in INCLUDE.findall(path.read_text(errors="replace")):
        for folder in (path.parent, ROOT / "src", ROOT / "include", ROOT):
            if (folder / target).is_file():
                found.append((folder / target).resolve())
                break
    return found


@functools.lru_cache(maxsize=None)
def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def key(path, command, salt):
    """A digest of everything that the verdict on one file depends on."""
    seen, todo = set(), [path]
    while todo:
        file = todo.pop()
        if file not in seen:
            seen.add(file)
            todo += includes(file)
    text = salt + command + "".join(digest(file) for file in sorted(seen))
    return hashlib.sha256(text.encode()).hexdigest()


def tidy(program, build, path):
    result = subprocess.run([program, "--quiet", "-p", str(build), str(path)], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return result.returncode, result.stdout + ("" if result.returncode == 0 else result.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    program = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
    if program is None:
        sys.exit("clang-tidy is not installed")
    version = subprocess.run([program, "--version"], text=True, stdout=subprocess.PIPE).stdout
    salt = version + (ROOT / ".clang-tidy").read_text()
    cache = options.build / "tidy-cache"
    cache.mkdir(parents=True, exist_ok=True)

    todo, total, seen = [], 0, set()
    for entry in json.loads((options.build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"]).resolve()
        wanted = any(path.is_relative_to(ROOT / folder) for folder in ("src", "qemu", "cli"))
        if not wanted or path in seen:
            continue
        seen.add(path)
        total += 1
        passed = cache / key(path, entry["command"], salt)
        if not passed.exists():
            todo.append((path, passed))

    failed = 0
    # Large files first: the last ones then end together.
    todo.sort(key=lambda item: -item[0].stat().st_size)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = {pool.submit(tidy, program, options.build, path): passed for path, passed in todo}
        for job in concurrent.futures.as_completed(jobs):
            code, text = job.result()
            if code == 0:
                jobs[job].touch()
            else:
                failed += 1
                print(text)
    print(f"{total} files, {len(todo)} looked at, {failed} with findings")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
