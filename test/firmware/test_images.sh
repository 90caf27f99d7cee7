#!/usr/bin/env bash
# The committed images are those that the sources give, byte by byte, with the compiler that they were
# made with; other compilers are passed over.
set -euo pipefail
folder=$IRONBIRD_SOURCE/test/qemu/firmware
if ! command -v arm-none-eabi-gcc >/dev/null; then
    echo "no arm-none-eabi-gcc here"
    exit 77
fi
here=$(arm-none-eabi-gcc --version | head -1)
if [ "$here" != "$(cat "$folder/images/compiler.txt")" ]; then
    echo "the images were made with another compiler than $here"
    exit 77
fi
mkdir -p images
bash "$folder/build_images.sh" "$PWD/images"
for image in "$folder"/images/*.elf; do
    cmp "$image" "images/$(basename "$image")"
done
