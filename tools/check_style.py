#!/usr/bin/env python3
"""Measures the sources against the house's rules (docs/developing.md) and reports what breaks them.

Lengths of files and functions; unfinished work; calls that a library must not make, or whose results
change between machines; names that other translation units see. With --report prints the figures.
"""
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

FILE_MOST, FILE_MEDIAN = 1000, 350
FUNCTION_MOST, FUNCTION_P90, FUNCTION_MEDIAN = 120, 50, 15
# The one giant allowed: a dispatch over every operation.
GIANTS = {"src/expr/tape.c"}

# Their last bits depend on the C library and the processor: base/fmath has its own.
LIBM = ("sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 "
        "log10 log1p pow hypot cbrt fma fmod remainder floor ceil round trunc rint nearbyint "
        "lround erf erfc tgamma lgamma").split()
# Either of 0 and -0 may come out: comparisons say what is meant. Plots may use them.
EITHER_ZERO = ["fmin", "fmax"]
# The library neither prints nor exits, and reads and writes numbers whatever the locale.
LIBRARY = "printf puts putchar exit _exit abort setlocale strtod strtof atof perror rand srand".split()
STREAMS = ("stdout", "stderr")
# The process that hosts an FMU ends itself: nothing of the program's own may run on the way.
# So does the plugin, inside an emulator whose host has gone or says so.
MAY_EXIT = ("src/fmi/isolate.c", "qemu/plugin/turn.c")
SHARED_PREFIX = {"src": ("ib_",), "qemu": ("ib_",), "cli": ("ib_", "cli_", "main")}

UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
FUNCTION_HEAD = re.compile(r"^([A-Za-z_][\w\s\*]*?)\b(\w+)\s*\(")
# IB_KERNEL: static inline, always inlined.
KEYWORDS = {"if", "for", "while", "switch", "typedef", "return", "else"}


def blank(text):
    """The text with comments and strings blanked, line for line."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)


def functions(text):
    """(line, name, is static, lines) of every function defined in blanked, formatted text."""
    lines = text.split("\n")
    found, i = [], 0
    while i < len(lines):
        match = FUNCTION_HEAD.match(lines[i])
        start = i
        i += 1
        if not match or match.group(1).split()[0] in KEYWORDS:
            continue
        # The head ends with the line that opens the body; a semicolon or '=' first: no function.
        end = start
        while end + 1 < len(lines) and not re.search(r"[{;=]", lines[end]):
            end += 1
        if not re.match(r"[^;={]*\{", "".join(lines[start:end + 1])):
            continue
        if lines[end].count("{") != lines[end].count("}"):
            while end + 1 < len(lines) and not lines[end].startswith("}"):
                end += 1
        found.append((start + 1, match.group(2), bool({"static", "IB_KERNEL"} & set(match.group(1).split())), end - start + 1))
        i = end + 1
    return found


def check_c(path, messages, lengths):
    """Checks one C file of src, qemu or cli."""
    name = str(path.relative_to(ROOT))
    folder = name.split("/")[0]
    text = blank(path.read_text())
    for line, function, is_static, n in functions(text):
        lengths.append(n)
        if n > FUNCTION_MOST and name not in GIANTS:
            messages.append(f"{name}:{line}: {function} has {n} lines; at most {FUNCTION_MOST}")
        if not is_static and not function.startswith(SHARED_PREFIX[folder]):
            messages.append(f"{name}:{line}: {function} is shared but lacks the prefix "
                            f"{SHARED_PREFIX[folder][0]}")
    if folder == "cli":
        return
    banned = list(LIBRARY)
    if not path.name.startswith("fmath"):
        banned += LIBM + ([] if name.startswith("src/results/") else EITHER_ZERO)
    if name in MAY_EXIT:
        banned = [word for word in banned if word != "_exit"]
    for match in re.finditer(r"(?<![\w.>])(%s)\s*\(" % "|".join(banned), text):
        line = text.count("\n", 0, match.start()) + 1
        messages.append(f"{name}:{line}: {match.group(1)}() may not be called here")
    for match in re.finditer(r"\b(%s)\b" % "|".join(STREAMS), text):
        line = text.count("\n", 0, match.start()) + 1
        messages.append(f"{name}:{line}: the library does not print: {match.group(1)}")


def check_text(path, messages):
    """Checks that hold for every source, whatever its language."""
    name = path.relative_to(ROOT)
    text = path.read_text(errors="replace")
    n = text.count("\n")
    if n > FILE_MOST:
        messages.append(f"{name}: {n} lines; at most {FILE_MOST}")
    if path != pathlib.Path(__file__).resolve():
        for match in UNFINISHED.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            messages.append(f"{name}:{line}: unfinished: {match.group(1)}")
    return n


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main():
    messages, lengths, sizes = [], [], []
    folders = ("src", "qemu", "include", "cli", "test", "fuzz", "bench", "tools", "examples", "cmake")
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".c", ".h", ".def", ".py", ".sh", ".cmake"):
                continue
            n = check_text(path, messages)
            if folder in ("src", "qemu", "cli") and path.suffix in (".c", ".h"):
                sizes.append(n)
                check_c(path, messages, lengths)
    if lengths:
        figures = (("median file", statistics.median(sizes), FILE_MEDIAN),
                   ("median function", statistics.median(lengths), FUNCTION_MEDIAN),
                   ("90 % of functions", percentile(lengths, 0.9), FUNCTION_P90))
        for what, value, most in figures:
            if value > most:
                messages.append(f"{what}: {value:g} lines; at most {most}")
        if "--report" in sys.argv[1:]:
            for what, value, most in figures:
                print(f"{what}: {value:g} lines (at most {most})")
            print(f"longest function: {max(lengths)}; longest file: {max(sizes)}")
    for message in messages:
        print(message)
    print(f"{len(sizes)} files, {len(lengths)} functions, {len(messages)} against the rules")
    sys.exit(1 if messages else 0)


if __name__ == "__main__":
    main()
