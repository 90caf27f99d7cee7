#!/usr/bin/env python3
"""clang-format over the project's own C sources: reports what differs, or mends it with --write."""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "qemu", "include", "cli", "test", "fuzz", "bench", "tools", "examples")


def sources():
    """Every C file of the project, in a fixed order."""
    found = []
    for folder in FOLDERS:
        found += [path for path in (ROOT / folder).rglob("*") if path.suffix in (".c", ".h")]
    return sorted(found)


def main():
    program = shutil.which("clang-format-14") or shutil.which("clang-format")
    if program is None:
        sys.exit("clang-format is not installed")
    files = [str(path) for path in sources()]
    if "--write" in sys.argv[1:]:
        sys.exit(subprocess.run([program, "-i", *files]).returncode)
    result = subprocess.run([program, "--dry-run", "-ferror-limit=1", *files], text=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    bad = sorted({line.split(":")[0] for line in result.stderr.splitlines() if "warning:" in line})
    for path in bad:
        print(f"{pathlib.Path(path).relative_to(ROOT)}: not as clang-format lays it out; run 'make format'")
    print(f"{len(files)} files, {len(bad)} to format")
    sys.exit(1 if bad or result.returncode else 0)


if __name__ == "__main__":
    main()
