#!/usr/bin/env python3
"""Installs into an empty folder and uses what is there as a stranger would: the program from bin, the
library through pkg-config and through CMake's find_package."""
import os
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["IRONBIRD_SOURCE"])
BUILD = pathlib.Path(os.environ["IRONBIRD_BUILD"])
PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(stranger C)
find_package(Ironbird REQUIRED)
add_executable(pendulum {source})
target_link_libraries(pendulum Ironbird::ironbird)
"""


def run(*arguments, **options):
    """Runs a command that must succeed; what it printed."""
    result = subprocess.run([str(a) for a in arguments], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, **options)
    print("$", *arguments)
    if result.returncode != 0:
        sys.exit(f"exit code {result.returncode}:\n{result.stdout}")
    return result.stdout


def main():
    cache = (BUILD / "CMakeCache.txt").read_text()
    if any(line.startswith("IB_SANITIZE:STRING=") and not line.endswith("=") for line in cache.splitlines()):
        sys.exit(77)  # a sanitized library needs a sanitized program: tested in the other builds
    compiler = next(line.split("=", 1)[1] for line in cache.splitlines() if line.startswith("CMAKE_C_COMPILER:"))
    work = pathlib.Path.cwd() / "install"
    shutil.rmtree(work, ignore_errors=True)
    prefix = work / "usr"
    run("cmake", "--install", BUILD, "--prefix", prefix)
    source = SOURCE / "examples" / "c" / "pendulum.c"
    model = SOURCE / "examples" / "a01_simple_pendulum" / "model.yaml"

    said = run(prefix / "bin" / "ironbird", "--version")
    if "ironbird" not in said:
        sys.exit(f"--version says: {said}")
    pc = next(prefix.rglob("ironbird.pc"))
    flags = run("pkg-config", "--cflags", "--libs", "ironbird", env={**os.environ, "PKG_CONFIG_PATH": str(pc.parent)})
    run(compiler, source, "-o", work / "by_pkg_config", *flags.split())
    first = run(work / "by_pkg_config", model)

    (work / "CMakeLists.txt").write_text(PROJECT.format(source=source))
    run("cmake", "-S", work, "-B", work / "build", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={compiler}")
    run("cmake", "--build", work / "build")
    second = run(work / "build" / "pendulum", model)
    if first != second or "rad" not in first:
        sys.exit(f"the two programs differ:\n{first}\n{second}")
    for wanted in ("include/ironbird/ironbird.h", "share/man/man1/ironbird.1", "share/ironbird/schema/model.schema.json",
                   "share/bash-completion/completions/ironbird"):
        if not (prefix / wanted).is_file():
            sys.exit(f"not installed: {wanted}")
    print("ok")


if __name__ == "__main__":
    main()
