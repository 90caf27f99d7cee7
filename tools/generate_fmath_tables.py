#!/usr/bin/env python3
"""Writes src/base/fmath_tables.h and src/base/fmath_tables.c.

Every constant and table of the elementary functions is evaluated here with mpmath at 2,000
bits and written as a hexadecimal literal, so that the C files hold no number typed by hand.
Run it from the root of the tree:

    python3 tools/generate_fmath_tables.py            writes the two files
    python3 tools/generate_fmath_tables.py --check    fails if they differ from what it would write

It does not choose the methods; the files that use the tables explain them.
"""

import os
import subprocess
import sys

import mpmath

mpmath.mp.prec = 2000
mpf = mpmath.mpf

HERE = os.path.dirname(os.path.abspath(__file__))
BASE = os.path.join(HERE, "..", "src", "base")

EXP_STEPS = 128  # 2^(i/128)
LOG_STEPS = 128  # 1 + i/128
LOG_SPLIT = 53  # from this index on the mantissa is halved: 1 + 53/128 is just below sqrt(2)
TRIG_STEPS = 128  # i/128 up to pi/4
ATAN_STEPS = 256  # i/256 up to 1
ASIN_STEPS = 128  # i/128 from 1/8 up to 1/2
ASIN_FIRST = 16
ASIN_LAST = 64
ASIN_TERMS = 7
TWO_OVER_PI_WORDS = 20


def nearest(x):
    """The double nearest to x (mpmath rounds to nearest, ties to even)."""
    with mpmath.workprec(53):
        return float(+x)


def grid(x, bits):
    """x rounded to a multiple of 2^-bits: a double with trailing zeros."""
    return float(mpmath.nint(mpmath.ldexp(x, bits)) / mpf(2) ** bits)


def literal(x):
    return float(x).hex()


def pair(x):
    """x as an unevaluated sum of two doubles."""
    hi = nearest(x)
    return hi, nearest(x - mpf(hi))


def row(values):
    return "    {" + ", ".join(literal(v) for v in values) + "},"


def split_constant(x, grids):
    """x as a sum of parts on ever finer grids, and a last rounded part."""
    parts = []
    rest = x
    for bits in grids:
        part = grid(rest, bits)
        parts.append(part)
        rest = rest - mpf(part)
    parts.append(nearest(rest))
    return parts


def constants():
    pi = mpmath.pi
    ln2 = mpmath.log(2)
    names = []

    def add(comment, **values):
        names.append((comment, list(values.items())))

    hi, lo = pair(pi)
    add("pi as a sum of two doubles", FM_PI_HI=hi, FM_PI_LO=lo)
    hi, lo = pair(pi / 2)
    add("pi/2 as a sum of two doubles", FM_PI_2_HI=hi, FM_PI_2_LO=lo)
    hi, lo = pair(pi / 4)
    add("pi/4 as a sum of two doubles", FM_PI_4_HI=hi, FM_PI_4_LO=lo)
    add("2/pi", FM_TWO_OVER_PI=nearest(2 / pi))
    a, b, c = split_constant(pi / 2, [32, 65])
    add(
        "pi/2 in parts of 33, 33 and 53 bits: n times either of the first two is exact for "
        "|n| < 2^20",
        FM_PI_2_PART_1=a,
        FM_PI_2_PART_2=b,
        FM_PI_2_PART_3=c,
    )
    add("128/ln 2", FM_EXP_STEPS_PER_UNIT=nearest(EXP_STEPS / ln2))
    a, b = split_constant(ln2 / EXP_STEPS, [42])
    add(
        "ln 2/128, the first part a multiple of 2^-42: n times it is exact for |n| < 2^18",
        FM_EXP_STEP_HI=a,
        FM_EXP_STEP_LO=b,
    )
    a, b = split_constant(ln2, [42])
    add(
        "ln 2, the first part a multiple of 2^-42: k times it is exact for |k| < 2^11",
        FM_LN2_HI=a,
        FM_LN2_LO=b,
    )
    return names


def exp_table():
    rows = [row(pair(mpf(2) ** (mpf(i) / EXP_STEPS))) for i in range(EXP_STEPS)]
    return rows


def log_table():
    """c is 1/F rounded to 10 bits after the point; -log c lies on the grid 2^-42 plus a rest."""
    rows = []
    for i in range(LOG_STEPS + 1):
        f = 1 + mpf(i) / LOG_STEPS
        if i >= LOG_SPLIT:
            f = f / 2
        c = grid(1 / f, 10)
        value = -mpmath.log(mpf(c))
        hi = grid(value, 42)
        rows.append(row((c, hi, nearest(value - mpf(hi)))))
    return rows


def trig_table():
    last = int(mpmath.ceil(mpmath.pi / 4 * TRIG_STEPS)) + 1
    rows = []
    for i in range(last + 1):
        t = mpf(i) / TRIG_STEPS
        rows.append("    {{" + row(pair(mpmath.sin(t)))[4:-1] + ", " + row(pair(mpmath.cos(t)))[4:-1] + "}},")
    return rows


def atan_table():
    return [row(pair(mpmath.atan(mpf(i) / ATAN_STEPS))) for i in range(ATAN_STEPS + 1)]


def asin_table():
    """asin(s + z) as a polynomial in z about s = i/128, less z itself."""
    rows = []
    for i in range(ASIN_FIRST, ASIN_LAST + 1):
        a = mpmath.taylor(mpmath.asin, mpf(i) / ASIN_STEPS, ASIN_TERMS)
        a[1] -= 1
        rest = ", ".join(literal(nearest(c)) for c in a[1:])
        rows.append("    {" + row(pair(a[0]))[4:-1] + ", {" + rest + "}},")
    return rows


def two_over_pi():
    bits = int(mpmath.floor(mpmath.ldexp(2 / mpmath.pi, 64 * (TWO_OVER_PI_WORDS - 1))))
    rows = []
    for w in range(TWO_OVER_PI_WORDS):
        word = (bits >> (64 * (TWO_OVER_PI_WORDS - 1 - w))) & (2**64 - 1)
        rows.append("    0x%016xu," % word)
    return rows


TABLES = [
    (
        "2^(i/128) as a sum of two doubles.",
        "struct fm_pair",
        "ib_fm_exp_table",
        exp_table,
    ),
    (
        "For a mantissa near 1 + i/128 (halved from i = FM_LOG_SPLIT on): its reciprocal c to ten\n"
        " * binary places, and -log c as a multiple of 2^-42 plus a rest.",
        "struct fm_log_entry",
        "ib_fm_log_table",
        log_table,
    ),
    (
        "sin(i/128) and cos(i/128), each as a sum of two doubles.",
        "struct fm_trig_entry",
        "ib_fm_trig_table",
        trig_table,
    ),
    (
        "atan(i/256) as a sum of two doubles.",
        "struct fm_pair",
        "ib_fm_atan_table",
        atan_table,
    ),
    (
        "asin(i/128 + z) - z for i = FM_ASIN_FIRST ... as a polynomial in z: the constant term as a\n"
        " * sum of two doubles, the others rounded.",
        "struct fm_asin_entry",
        "ib_fm_asin_table",
        asin_table,
    ),
    (
        "64 zeros and the first 1,216 binary places of 2/pi, most significant word first.",
        "uint64_t",
        "ib_fm_two_over_pi",
        two_over_pi,
    ),
]

MADE = "Made by tools/generate_fmath_tables.py: change that, not this file."


def packed(rows):
    """As many rows on a line as fit in 100 columns."""
    lines = []
    for entry in rows:
        if lines and len(lines[-1]) + 1 + len(entry.strip()) <= 100:
            lines[-1] += " " + entry.strip()
        else:
            lines.append(entry)
    return lines


def header(tables):
    out = [
        "/* Constants and tables of the reproducible elementary functions; private to fmath*.c.",
        " * Declares the tables of fmath_tables.c; holds no method and no code.",
        " * " + MADE,
        " */",
        "#ifndef IB_BASE_FMATH_TABLES_H",
        "#define IB_BASE_FMATH_TABLES_H",
        "",
        "#include <stdint.h>",
        "",
    ]
    for comment, values in constants():
        out.append("/* %s. */" % comment)
        out += ["#define %s (%s)" % (name, literal(v)) for name, v in values]
        out.append("")
    out += [
        "/* Index in ib_fm_log_table from which the mantissa is halved. */",
        "#define FM_LOG_SPLIT %d" % LOG_SPLIT,
        "",
        "/* An unevaluated sum hi + lo with |lo| at most half a unit in the last place of hi. */",
        "struct fm_pair {",
        "    double hi, lo;",
        "};",
        "",
        "struct fm_log_entry {",
        "    double c, hi, lo;",
        "};",
        "",
        "/* Index of the first row of ib_fm_asin_table. */",
        "#define FM_ASIN_FIRST %d" % ASIN_FIRST,
        "",
        "struct fm_asin_entry {",
        "    struct fm_pair at;",
        "    double term[%d]; /* of z, z^2, ... */" % ASIN_TERMS,
        "};",
        "",
        "struct fm_trig_entry {",
        "    struct fm_pair part[2]; /* sine, cosine */",
        "};",
        "",
    ]
    for comment, kind, name, _ in TABLES:
        out.append("/* %s */" % comment)
        out.append("extern const %s %s[%d];" % (kind, name, len(tables[name])))
        out.append("")
    out.append("#endif")
    return "\n".join(out) + "\n"


def source(tables):
    out = [
        "/* The tables of the reproducible elementary functions, evaluated at 2,000 bits and rounded",
        " * to nearest. fmath_tables.h says what each holds.",
        " * " + MADE,
        " */",
        '#include "base/fmath_tables.h"',
        "",
        "/* clang-format off */",
    ]
    for _, kind, name, _ in TABLES:
        out.append("")
        out.append("const %s %s[%d] = {" % (kind, name, len(tables[name])))
        out += packed(tables[name])
        out.append("};")
    return "\n".join(out) + "\n"


def formatted(text):
    """Wraps long comments and declarations as the tree's formatter does."""
    style = "{BasedOnStyle: LLVM, IndentWidth: 4, ColumnLimit: 100}"
    run = subprocess.run(
        ["clang-format", "--style=" + style], input=text, capture_output=True, text=True, check=True
    )
    return run.stdout


def main():
    tables = {name: make() for _, _, name, make in TABLES}
    files = {
        "fmath_tables.h": formatted(header(tables)),
        "fmath_tables.c": formatted(source(tables)),
    }
    bad = 0
    for name, text in files.items():
        path = os.path.normpath(os.path.join(BASE, name))
        if "--check" in sys.argv[1:]:
            with open(path, encoding="ascii") as f:
                if f.read() != text:
                    print("%s is not what tools/generate_fmath_tables.py writes" % name)
                    bad = 1
        else:
            with open(path, "w", encoding="ascii") as f:
                f.write(text)
    return bad


if __name__ == "__main__":
    sys.exit(main())
