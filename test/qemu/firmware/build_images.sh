#!/usr/bin/env bash
# Builds the test firmware into the folder given, or into test/qemu/firmware/images:
#   test/qemu/firmware/build_images.sh [FOLDER]
# The images are committed so that flying them needs no ARM compiler; test_images.sh compares.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/images}
cd "$here/source"
build() {
    local name=$1 source=$2
    shift 2
    arm-none-eabi-gcc -mthumb -O1 -ffreestanding -nostdlib -fno-common -Wall -Wextra -Werror \
        -Wl,--build-id=none -T link.ld "$@" start.c "$source" -o "$out/$name.elf"
    arm-none-eabi-strip --strip-debug "$out/$name.elf"
}
arm-none-eabi-gcc --version | head -1 >"$out/compiler.txt"
build devices devices.c -mcpu=cortex-m4
build counter counter.c -mcpu=cortex-m4
build hardfault faults.c -mcpu=cortex-m4 -DCASE=1
build lockup faults.c -mcpu=cortex-m4 -DCASE=2
build no_handler faults.c -mcpu=cortex-m4 -DCASE=5
build endless_boot faults.c -mcpu=cortex-m4 -DCASE=3
build silent faults.c -mcpu=cortex-m4 -DCASE=4
build other_core counter.c -mcpu=cortex-m33
