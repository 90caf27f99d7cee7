#!/bin/sh
# The elementary functions give the same bits however they are compiled and run.
#
#   run_bits.sh [SOURCE_DIR]      the tree that holds src/ and test/; default: this script's own
#
# Builds fmath_bits.c with gcc and clang at -O0, -O2 and -O3 -march=native, the last also without
# -ffp-contract=off, and runs the -O2 builds a second time with AVX2 and FMA hidden from the C
# library. Every hash must equal that of gcc -O2.
# A compiler that is not installed is skipped, and said so.
set -u

source_dir=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
reference=
strict="-std=c17 -ffp-contract=off -fno-math-errno" # split into words where it is used

# compare LABEL FILE: the first file seen is the reference.
compare() {
    if [ -z "$reference" ]; then
        reference=$2
        echo "ok      $1 (reference)"
        passed=$((passed + 1))
    elif cmp -s "$reference" "$2"; then
        echo "ok      $1"
        passed=$((passed + 1))
    else
        echo "FAILED  $1: these functions differ:"
        diff "$reference" "$2" | sed -n 's/^> \([^ ]*\).*/        \1/p'
        failed=$((failed + 1))
    fi
}

# build_and_run COMPILER LABEL FLAGS...
build_and_run() {
    compiler=$1
    label=$2
    shift 2
    if ! "$compiler" "$@" -I"$source_dir/src" \
        -o "$work/$label" "$source_dir/test/bits/fmath_bits.c" "$source_dir"/src/base/fmath*.c -lm; then
        echo "FAILED  $label does not build"
        failed=$((failed + 1))
        return 1
    fi
    if ! "$work/$label" >"$work/$label.txt"; then
        echo "FAILED  $label does not run"
        failed=$((failed + 1))
        return 1
    fi
    compare "$label" "$work/$label.txt"
}

for compiler in gcc clang; do
    if ! command -v "$compiler" >/dev/null 2>&1; then
        echo "skipped $compiler: not installed"
        continue
    fi
    if build_and_run "$compiler" "$compiler-O2" $strict -O2; then
        GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-AVX2,-FMA \
            "$work/$compiler-O2" >"$work/$compiler-masked.txt"
        compare "$compiler-O2 with AVX2 and FMA masked" "$work/$compiler-masked.txt"
    fi
    build_and_run "$compiler" "$compiler-O0" $strict -O0
    build_and_run "$compiler" "$compiler-O3-native" $strict -O3 -march=native
    build_and_run "$compiler" "$compiler-O3-native-careless" -std=gnu17 -O3 -march=native
done

[ -n "$reference" ] || { echo "no compiler found"; failed=$((failed + 1)); }
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
