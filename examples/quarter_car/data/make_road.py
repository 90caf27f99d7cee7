#!/usr/bin/env python3
"""Writes road.txt: a road profile as a survey leaves it, one height every 0.1 m.

The roughness has the spectrum of ISO 8608, G(n) = G0 (n / 0.1)^-2 with G0 = 64e-6 m^3 (class B), n from
0.02 to 4 cycles a metre, phases from a fixed sequence; on it a hump 40 mm high at 36 m and a pothole
30 mm deep at 60 m. The first five metres are faded in, so that a car may start in balance.
"""
import math
import pathlib

SPACING, LENGTH = 0.1, 120.0
G0 = 64e-6


def phases(n, state=20240229):
    """Numbers in [0, 2 pi) from a fixed linear congruential sequence."""
    for _ in range(n):
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        yield 2 * math.pi * (state >> 11) / 2**53


def bump(x, centre, width):
    """Half a cosine wave of height one between centre -+ width/2."""
    s = (x - centre) / width
    return 0.5 * (1 + math.cos(2 * math.pi * s)) if abs(s) < 0.5 else 0.0


def main():
    step = 0.02
    frequencies = [step * (i + 1) for i in range(200)]
    waves = [(n, math.sqrt(2 * G0 * (n / 0.1) ** -2 * step), phase)
             for n, phase in zip(frequencies, phases(len(frequencies)))]
    lines = ["# distance [m]  height [m]"]
    for i in range(round(LENGTH / SPACING) + 1):
        x = i * SPACING
        rough = sum(a * math.sin(2 * math.pi * n * x + phase) for n, a, phase in waves)
        fade = min(1.0, x / 5) ** 2 * (3 - 2 * min(1.0, x / 5))
        height = fade * rough + 0.04 * bump(x, 36, 4) - 0.03 * bump(x, 60, 0.8)
        lines.append(f"{x:8.1f}  {height + 0.0:9.4f}")
    (pathlib.Path(__file__).resolve().parent / "road.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
