#!/usr/bin/env python3
"""Holds every #include and every library link to the order of the modules (docs/developing.md).

A module sees the modules below it, each through its one header, <module>/<module>.h, and the headers
which that one re-exports. Inside a module any of its own headers may be included.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What each module sees directly. What those see, it sees too.
SEES = {
    "base": [],
    "num": ["base"],
    "environment": ["num"],
    "expr": ["num"],
    "model": ["expr"],
    "mechanics": ["expr"],
    "results": ["expr"],
    "fmi": ["num"],
    "avionics": ["environment"],
    "fcc": ["avionics"],
    "firmware": ["base"],
    "plant": ["mechanics", "model", "fmi"],
    "network": ["plant", "results"],
    "export": ["plant"],
    "world": ["plant", "fcc", "results", "environment"],
}

# The module that implements each public header. ironbird.h is for users alone.
PUBLIC = {
    "base.h": "base", "model.h": "model", "system.h": "plant", "plant.h": "plant",
    "results.h": "results", "fmu.h": "fmi", "fcc.h": "fcc", "world.h": "world",
    "network.h": "network",
}

# Folders outside src, and the modules they see. The generator writes what mechanics compiles.
OUTSIDE = {
    "cli": list(SEES),
    "bench": list(SEES),
    "fuzz": list(SEES),
    "tools": ["expr"],
}

# The parts of emulated boards are under another licence: they see their own headers alone.
APART = "qemu"
# But for this folder, which is shared with the module that runs them.
SHARED, SHARED_WITH = "qemu/wire/", "firmware"

# What the generator writes has to fit this header of mechanics.
WRITES = {"tools/generate_elements.h": ["mechanics/element.h"]}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def closure(modules):
    """The modules with everything below them."""
    seen, todo = set(), list(modules)
    while todo:
        module = todo.pop()
        if module not in seen:
            seen.add(module)
            todo += SEES[module]
    return seen


def reexported(module):
    """Headers of the module that its one header includes."""
    header = ROOT / "src" / module / f"{module}.h"
    return set(INCLUDE.findall(header.read_text())) if header.exists() else set()


def fault(path, target, own, visible):
    """Why the file may not include the target, or None."""
    parts = target.split("/")
    if len(parts) == 1:
        return None if (path.parent / target).exists() else "no such file beside it"
    if parts[0] == "ironbird":
        if own == "ironbird":
            return None
        if parts[1] == "ironbird.h":
            return "ironbird.h is for users" if own in SEES else None
        owner = PUBLIC.get(parts[1])
        if owner is None:
            return "no module is named for this public header in tools/check_layers.py"
        return None if owner in visible or owner == own else f"belongs to {owner}, which is not below"
    if own == "ironbird":
        return "a public header includes public headers only"
    if parts[0] == own:
        return None
    if target.startswith(SHARED) and (own == SHARED_WITH or SHARED_WITH in visible):
        return None
    if parts[0] == APART:
        return f"belongs to {APART}, which stands apart"
    if parts[0] not in SEES:
        # Headers that tests share live below test/.
        in_tests = path.is_relative_to(ROOT / "test") and (ROOT / "test" / target).is_file()
        return None if in_tests else "no such module"
    if parts[0] not in visible:
        return f"{parts[0]} is not below"
    if parts[1] != f"{parts[0]}.h" and target not in reexported(parts[0]):
        return f"only {parts[0]}/{parts[0]}.h shows this module"
    return None


def check_file(path, own, visible):
    """Messages about one file's includes."""
    messages = []
    text = path.read_text(errors="replace")
    for match in INCLUDE.finditer(text):
        if match.group(1) in WRITES.get(str(path.relative_to(ROOT)), []):
            continue
        reason = fault(path, match.group(1), own, visible)
        if reason:
            line = text.count("\n", 0, match.start(1)) + 1
            messages.append(f'{path.relative_to(ROOT)}:{line}: includes "{match.group(1)}": {reason}')
    return messages


def c_files(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in (".c", ".h"))


def check_sources():
    messages, count = [], 0
    for path in c_files(ROOT / "src"):
        module = path.relative_to(ROOT / "src").parts[0]
        count += 1
        if module not in SEES:
            messages.append(f"{path.relative_to(ROOT)}: module '{module}' has no place in the order")
            continue
        messages += check_file(path, module, closure(SEES[module]))
    for path in c_files(ROOT / "include"):
        count += 1
        messages += check_file(path, "ironbird", set())
    for folder, modules in OUTSIDE.items():
        for path in c_files(ROOT / folder):
            count += 1
            messages += check_file(path, folder, closure(modules))
    for path in c_files(ROOT / APART):
        count += 1
        messages += check_file(path, APART, set())
    # A test sees its own module whole, and what that module sees.
    for path in c_files(ROOT / "test"):
        count += 1
        folder = path.parent.name
        own = folder if folder in SEES or folder == APART else None
        visible = closure(SEES.get(folder, [])) if own else set(SEES)
        messages += check_file(path, own, visible)
    for path in c_files(ROOT / "examples"):
        count += 1
        for target in INCLUDE.findall(path.read_text()):
            messages.append(f'{path.relative_to(ROOT)}: includes "{target}": examples use <ironbird/...>')
    return messages, count


def check_links():
    """The same for the libraries that CMake links."""
    messages = []
    text = (ROOT / "cmake" / "modules.cmake").read_text()
    for module, links in re.findall(r"^ib_module\((\w+)([^)]*)\)", text, re.M):
        for other in re.findall(r"\bib_(\w+)", links):
            if module not in SEES or other not in closure(SEES[module]):
                messages.append(f"cmake/modules.cmake: {module} links {other}, which is not below")
    return messages


def main():
    messages, count = check_sources()
    messages += check_links()
    for message in messages:
        print(message)
    print(f"{count} files, {len(messages)} against the order")
    sys.exit(1 if messages else 0)


if __name__ == "__main__":
    main()
