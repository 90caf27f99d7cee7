#!/usr/bin/env python3
"""Runs the checks stage by stage, goes on after a failure, and counts.

usage: tools/check.py check|more [--jobs N] [--only STAGE...]

Every stage prints one line; what a failed one said follows it. Logs stay in build/check/. The last
line is 'N passed, N failed'; the exit code is 1 when anything failed.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "check"
FUZZ_SECONDS = 60
RUMOCA = "rumoca==0.9.10"  # the last package that can export FMUs
ACCURACY_ARGUMENTS = "10000000"
MASKED = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-AVX2,-FMA,-AVX512F"}
SANITIZERS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


class Checks:
    """The stages of one run and their tally."""

    def __init__(self, jobs, only):
        self.jobs, self.only = str(jobs), only
        self.passed = self.failed = 0
        self.unusable = set()  # build folders whose build failed
        LOGS.mkdir(parents=True, exist_ok=True)

    def wanted(self, name):
        return not self.only or any(name.startswith(part) for part in self.only)

    def note(self, name, passed, failed, seconds, said=""):
        """Adds to the tally and prints the stage's line."""
        self.passed += passed
        self.failed += failed
        verdict = "ok" if failed == 0 else "FAILED"
        counts = f"{passed} of {passed + failed}" if passed + failed != 1 else ""
        print(f"{verdict:7}{name:38}{counts:14}{seconds:6.0f} s", flush=True)
        if failed and said:
            print(said, flush=True)

    def command(self, name, arguments, environment=None):
        """Runs a command into its log; (exit code, what it said, seconds)."""
        log = LOGS / (re.sub(r"\W+", "-", name) + ".log")
        start = time.monotonic()
        with open(log, "w") as out:
            code = subprocess.run([str(a) for a in arguments], cwd=ROOT, stdout=out,
                                  stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                  env={**os.environ, **(environment or {})}).returncode
        return code, log.read_text(errors="replace"), time.monotonic() - start

    def one(self, name, arguments, environment=None):
        """A stage that counts as one."""
        if not self.wanted(name):
            return True
        code, said, seconds = self.command(name, arguments, environment)
        self.note(name, int(code == 0), int(code != 0), seconds, tail(said))
        return code == 0

    def counted(self, name, arguments, environment=None):
        """A stage that prints its own 'N passed, N failed'."""
        if not self.wanted(name):
            return
        code, said, seconds = self.command(name, arguments, environment)
        tally = re.findall(r"^(\d+) passed, (\d+) failed$", said, re.M)
        passed, failed = map(int, tally[-1]) if tally else (0, 1)
        self.note(name, passed, max(failed, int(code != 0)), seconds, tail(said))

    def build(self, preset, target=None):
        """Configures and builds a preset of CMakePresets.json."""
        name = f"{preset}: build"
        if not self.wanted(preset):
            return
        code, said, seconds = self.command(name + " configure", ["cmake", "--preset", preset])
        if code == 0:
            arguments = ["cmake", "--build", "--preset", preset, "-j", self.jobs]
            arguments += ["--target", target] if target else []
            code, said, more = self.command(name, arguments)
            seconds += more
        self.note(name, int(code == 0), int(code != 0), seconds, errors(said))
        if code != 0:
            self.unusable.add(preset)

    def tests(self, preset, arguments=(), name="tests", environment=None):
        """Runs the tests of a built preset through CTest."""
        name = f"{preset}: {name}"
        if not self.wanted(preset):
            return
        if preset in self.unusable:
            self.note(name, 0, 1, 0, "not run: the build failed")
            return
        report = LOGS / (re.sub(r"\W+", "-", name) + ".xml")
        report.unlink(missing_ok=True)
        code, said, seconds = self.command(
            name, ["ctest", "--test-dir", folder(preset), "-j", self.jobs, "--output-on-failure",
                   "--no-tests=error", "--output-junit", report, *arguments],
            {**SANITIZERS, **(environment or {})})
        passed, failed = tally_of(report)
        self.note(name, passed, max(failed, int(code != 0)), seconds, failures(said))


def folder(preset):
    return ROOT / ("build" if preset == "release" else f"build-{preset}")


def tally_of(report):
    """(passed, failed) of a JUnit report; tests that were skipped count as neither."""
    if not report.exists():
        return 0, 1
    suite = xml.etree.ElementTree.parse(report).getroot()
    number = {key: int(suite.get(key, "0")) for key in ("tests", "failures", "disabled", "skipped")}
    failed = number["failures"]
    return number["tests"] - failed - number["disabled"] - number["skipped"], failed


def tail(text, n=60):
    return "\n".join(text.splitlines()[-n:])


def errors(text, n=60):
    """The compiler's complaints out of a build log."""
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if "rror:" in line or "warning:" in line), None)
    return tail(text) if first is None else "\n".join(lines[first:first + n])


def failures(text, n=200):
    """What the failed tests said, without the lines of those that passed."""
    lines = [line for line in text.splitlines() if not re.search(r"Passed +[\d.]+ sec$| Start +\d+:", line)]
    return "\n".join(lines[-n:])


def no_globals(checks):
    """The libraries hold no mutable data."""
    if not checks.wanted("globals") or "release" in checks.unusable:
        return
    found, start = [], time.monotonic()
    for library in sorted(folder("release").glob("libib_*.a")):
        listing = subprocess.run(["objdump", "-t", str(library)], text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        for line in listing.splitlines():
            # A data object in a writable section: .data or .bss, but not .data.rel.ro.
            if re.search(r" O (\.data(?!\.rel\.ro)|\.bss|\.tbss|\.tdata|\*COM\*)", line):
                found.append(f"{library.name}: {line.split()[-1]} can change")
    checks.note("globals: none in the library", int(not found), int(bool(found)),
                time.monotonic() - start, "\n".join(found))


def fuzz(checks):
    """Every fuzz target for a minute, as many at a time as there are processors."""
    checks.build("fuzz")
    programs = sorted(path for path in (folder("fuzz") / "fuzz").glob("fuzz_*") if os.access(path, os.X_OK))
    if not checks.wanted("fuzz") or "fuzz" in checks.unusable:
        return

    def run(program):
        subject = program.name.removeprefix("fuzz_")
        found = LOGS / "fuzz" / subject  # new inputs go here, the corpus stays as it is
        found.mkdir(parents=True, exist_ok=True)
        corpus = ROOT / "fuzz" / "corpus" / subject
        arguments = [program, f"-max_total_time={FUZZ_SECONDS}", "-timeout=10", "-rss_limit_mb=4096",
                     f"-artifact_prefix={LOGS}/fuzz/", "-print_final_stats=1", found]
        dictionary = ROOT / "fuzz" / f"{subject}.dict"
        arguments += [f"-dict={dictionary}"] if dictionary.exists() else []
        arguments += [corpus] if corpus.is_dir() else []
        return subject, checks.command(f"fuzz-{subject}", arguments, SANITIZERS)

    with concurrent.futures.ThreadPoolExecutor(int(checks.jobs)) as pool:
        for subject, (code, said, seconds) in pool.map(run, programs):
            checks.note(f"fuzz: {subject}", int(code == 0), int(code != 0), seconds, tail(said))


def accuracy(checks):
    """The elementary functions against MPFR, function by function."""
    if not checks.wanted("accuracy"):
        return
    program = folder("release") / "test" / "fmath_accuracy"
    code, said, seconds = checks.command(
        "accuracy build", ["cmake", "--build", "--preset", "release", "--target", "fmath_accuracy"])
    if code != 0:
        checks.note("accuracy: build", 0, 1, seconds, errors(said))
        return
    source = (ROOT / "test" / "accuracy" / "fmath_accuracy.c").read_text()
    table = source[source.index("functions[]"):]
    names = re.findall(r'^    (?:UNARY\(|BINARY\(|\{")([\w.]+)"?,', table[:table.index("};")], re.M)

    def run(name):
        return name, checks.command(f"accuracy-{name}", [program, ACCURACY_ARGUMENTS, name])

    with concurrent.futures.ThreadPoolExecutor(int(checks.jobs)) as pool:
        for name, (code, said, seconds) in pool.map(run, names):
            good = code == 0 and "1 passed" in said
            checks.note(f"accuracy: {name}", int(good), int(not good), seconds, tail(said))


def valgrind(checks):
    """A few tests of the shipped build under valgrind."""
    if not checks.wanted("valgrind"):
        return
    program = ["valgrind", "--error-exitcode=9", "--leak-check=full", "--quiet", "--child-silent-after-fork=yes"]
    tests = sorted((folder("release") / "test").glob("test_base_*"))
    for module in ("num", "expr", "model", "results"):
        tests += sorted((folder("release") / "test").glob(f"test_{module}_*"))[:2]
    for test in tests:
        checks.one(f"valgrind: {test.name}", program + [test])
    checks.one("valgrind: ironbird run", program + [
        folder("release") / "ironbird", "run", ROOT / "examples/double_pendulum/model.yaml",
        "--until", "0.1", "--quiet", "--out", LOGS / "valgrind-run"])


def modelica(checks):
    """Modelica through the compiler Rumoca, a Python package, in a virtual environment of its own."""
    if not checks.wanted("modelica") or "release" in checks.unusable:
        return
    venv = folder("release") / "rumoca-venv"
    code, said, _ = checks.command("modelica venv", [sys.executable, "-m", "venv", venv])
    if code == 0:
        code, said, _ = checks.command("modelica install", [venv / "bin" / "python", "-m", "pip", "install", "--quiet",
                                                            "--only-binary", ":all:", RUMOCA])
    if code != 0:  # no network, or no wheel for this Python: nothing of ours is at fault
        print(f"skipped modelica: pip cannot install {RUMOCA} here\n{tail(said)}", flush=True)
        return
    checks.one("modelica: vehicles and their twins", [sys.executable, "test/cli/test_modelica.py"],
               {"IRONBIRD_RUMOCA": str(venv / "bin" / "python"), "IRONBIRD": str(folder("release") / "ironbird")})


def check(checks):
    """What must hold for every change."""
    python = sys.executable
    checks.one("layers", [python, "tools/check_layers.py"])
    checks.one("style", [python, "tools/check_style.py"])
    checks.one("format", [python, "tools/format.py"])
    checks.build("release")
    no_globals(checks)
    checks.tests("release")
    checks.one("tidy", [python, "tools/tidy.py", "build", "--jobs", checks.jobs])
    checks.build("asan")
    checks.tests("asan", ["-LE", "slow"])
    checks.build("hostile")
    checks.tests("hostile", ["-L", "^(base|num|expr|model|mechanics|results|plant|cli|fuzz)$", "-LE", "slow"])


def more(checks):
    """The other compiler, no optimisation, hidden processor features, threads, random inputs."""
    checks.build("release")
    checks.counted("bits: elementary functions", ["sh", "test/bits/run_bits.sh"])
    checks.tests("release", ["-L", "^bits$"], "models, AVX2 and FMA hidden", MASKED)
    checks.build("clang")
    checks.tests("clang", ["-LE", "slow"])
    checks.build("plain")
    checks.tests("plain", ["-LE", "slow"])
    checks.build("native", "ironbird")
    checks.tests("native", ["-L", "^bits$"], "models")
    checks.build("tsan")
    # Crashes on purpose end in the sanitizer's own handler.
    checks.tests("tsan", ["-LE", "slow|examples|docs", "-E", r"^(cli\.fmu_isolate|fcc\.serve)$"])
    modelica(checks)
    valgrind(checks)
    fuzz(checks)
    accuracy(checks)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("check", "more"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", nargs="*", help="stages whose names begin so")
    options = parser.parse_args()
    checks = Checks(options.jobs, options.only)
    start = time.monotonic()
    (check if options.what == "check" else more)(checks)
    print(f"{(time.monotonic() - start) / 60:.1f} minutes; logs in {LOGS.relative_to(ROOT)}")
    print(f"{checks.passed} passed, {checks.failed} failed")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
