#!/usr/bin/env bash
# Installs what a task needs and the machine lacks, through the distribution's package manager.
#   tools/setup.sh run|check|more     to build and run; to test as well; to test everything
# Says what is missing and why before it installs. Needs no network when nothing is missing. Works as
# root, or with sudo.
set -euo pipefail

level=${1:-run}
missing=()

# need PACKAGE WHY TEST...: notes the package when the test command fails.
need() {
    local package=$1 why=$2
    shift 2
    if ! "$@" >/dev/null 2>&1; then
        missing+=("$package")
        printf '  %-22s %s\n' "$package" "$why"
    fi
}

library() {
    command -v pkg-config >/dev/null && pkg-config --exists "$1"
}

# A compiler can be there without its sanitizer runtime or the C library's headers.
can_compile() {
    printf 'int main(void) { return 0; }\n' | "$1" -x c "${@:2}" -o /dev/null -
}

can_include() {
    printf '#include <%s>\nint main(void) { return 0; }\n' "$1" | gcc -x c -fsyntax-only -
}

echo "Checking the tools for: $level"
need gcc "the C compiler" command -v gcc
need libc6-dev "the C library's headers" can_include stdio.h
need make "runs these tasks" command -v make
need cmake "configures the build" command -v cmake
need pkg-config "finds libraries" command -v pkg-config
need libyaml-dev "reads model files" library yaml-0.1
need libexpat1-dev "reads the descriptions of FMUs" library expat
need libzip-dev "unpacks FMUs" library libzip
need scdoc "formats the man pages" command -v scdoc
if [ "$level" != run ]; then
    need python3 "runs the test scripts" command -v python3
    need libcmocka-dev "runs the unit tests" library cmocka
    need clang-format "checks the layout of the sources" command -v clang-format
    need clang-tidy "checks the sources for mistakes" command -v clang-tidy
    need librsvg2-bin "makes PNG pictures" command -v rsvg-convert
    need qemu-system-arm "runs firmware" command -v qemu-system-arm
    need libasan8 "finds memory errors" can_compile gcc -fsanitize=address,undefined
fi
if [ "$level" = more ]; then
    need clang "the second compiler" command -v clang
    need libclang-rt-14-dev "its sanitizers and fuzzer" can_compile clang -fsanitize=address
    need libtsan2 "finds data races" can_compile gcc -fsanitize=thread
    need valgrind "finds memory errors in the shipped build" command -v valgrind
    need python3-venv "installs the Modelica compiler for its tests" python3 -c 'import ensurepip'
    need gcc-arm-none-eabi "compiles the tests' firmware" command -v arm-none-eabi-gcc
    need libmpfr-dev "checks the elementary functions" can_include mpfr.h
fi

if [ ${#missing[@]} -eq 0 ]; then
    echo "Everything is there."
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "There is no apt-get here: install these by your system's means (Debian's names above)." >&2
    exit 2
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "Run as root, or install sudo, or install the packages above yourself." >&2
        exit 2
    fi
    as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# apt ACTION...: tries three times, shows the log only when all fail.
apt() {
    local try
    for try in 1 2 3; do
        if "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" >"$log" 2>&1 </dev/null; then
            return 0
        fi
        sleep $((try * 2))
    done
    cat "$log" >&2
    return 1
}
echo "Installing ${#missing[@]} packages with apt-get ..."
apt update || echo "The package lists could not be refreshed; trying with those at hand." >&2
apt install -y --no-install-recommends "${missing[@]}"
echo "Installed: ${missing[*]}"
