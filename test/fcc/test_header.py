#!/usr/bin/env python3
"""include/ironbird/fcc.h alone: C and C++, pedantic, for every compiler that is here, the firmware's too."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("IRONBIRD_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
HEADER = SOURCE / "include/ironbird/fcc.h"
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
COMPILERS = [
    ["gcc", "-std=c11", "-x", "c"], ["gcc", "-std=c17", "-x", "c", "-ffreestanding"], ["gcc", "-m32", "-std=c11", "-x", "c", "-ffreestanding"],
    ["clang", "-std=c11", "-x", "c"], ["g++", "-std=c++11", "-x", "c++"], ["g++", "-std=c++20", "-x", "c++"],
    ["clang++", "-std=c++11", "-x", "c++"],
    ["arm-none-eabi-gcc", "-std=c11", "-x", "c", "-mcpu=cortex-m4", "-mthumb", "-ffreestanding"],
]
PROGRAM = """
#include <ironbird/fcc.h>
uint32_t ib_fcc_abi(void) { return IB_FCC_ABI; }
int32_t ib_fcc_tick(const ib_fcc_in *in, ib_fcc_out *out, void *state) {
    (void)state;
    out->n_fin = in->n_fin;
    return 0;
}
"""


def main():
    text = HEADER.read_text()
    includes = re.findall(r"^\s*#\s*include\s*(\S+)", text, re.M)
    faults = [f"includes {name}" for name in includes if name not in ("<stdint.h>", "<stdbool.h>")]
    faults += ["holds a pointer in a frame"] if re.search(r"^    \w+ \*\w+;", text, re.M) else []
    tried = 0
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program.c"
        program.write_text(PROGRAM)
        for compiler in COMPILERS:
            if not shutil.which(compiler[0]):
                continue
            done = subprocess.run([*compiler, *STRICT, f"-I{SOURCE / 'include'}", str(program)],
                                  capture_output=True, text=True)
            tried += 1
            if done.returncode:
                faults.append(f"{' '.join(compiler)}:\n{done.stderr}")
    print("\n".join(faults) or f"good with {tried} compilers")
    sys.exit(1 if faults or tried == 0 else 0)


if __name__ == "__main__":
    main()
