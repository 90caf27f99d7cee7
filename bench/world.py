#!/usr/bin/env python3
"""What a world costs: a mission's tick beside a bare C loop of the same physics, alone and with avionics; two
threads against one. Prints figures and ratios of one run, and says which bar each has to keep.

    python3 bench/world.py [--build FOLDER] [--repeats N]

Every ratio is the median over repeats in which the two take turns, so that what else the machine does
falls on both.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BENCH = ROOT / 'bench'
MISSIONS = BENCH / 'missions'


def show(what, value, unit, bar=None, good=None):
    verdict = '' if good is None else '   ok' if good else '   MISSED'
    print(f'{what:66} {value:10.4g} {unit:8}' + (f' {bar}' if bar else '') + verdict, flush=True)
    return good is not False


def fly(build, mission, seconds, repeats, *threads):
    """Of each repeat the seconds of the mission with each number of threads; without any of the bare
    loop and of the mission."""
    words = [build / 'bench/world_bench', mission, seconds, repeats, *threads]
    done = subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def rate(found, column):
    """Millions of ticks a second, at best."""
    return 1e-6 * found['ticks'] / min(run[column] for run in found['runs'])


def ratio(found, over, under):
    return statistics.median(run[over] / run[under] for run in found['runs'])


def beside_loop(build, repeats):
    bare = fly(build, MISSIONS / 'bare.yaml', 200, repeats)
    show('the bare C loop', rate(bare, 0), 'M/s')
    show('a bare body as a mission', rate(bare, 1), 'M/s')
    part = ratio(bare, 0, 1)
    good = show('... beside the loop', part, 'times', '>= 0.36', part >= 0.36)
    good &= show('... how far apart they end', bare['apart'], 'm', '<= 1e-6', bare['apart'] <= 1e-6)
    avionics = fly(build, MISSIONS / 'avionics.yaml', 200, repeats)
    show('with inertial unit, receiver, engine, bus and computer', rate(avionics, 1), 'M/s')
    part = ratio(avionics, 0, 1)
    return good & show('... beside the loop', part, 'times', '>= 0.11', part >= 0.11)


def threads(build, repeats):
    found = fly(build, ROOT / 'examples/constellation/mission.yaml', 10, repeats, 1, 2)
    show('64 vehicles, one thread', 64 * rate(found, 0), 'M/s')
    gain = ratio(found, 0, 1)
    return show('... two threads against one', gain, 'times', '>= 1.8', gain >= 1.8)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--build', type=pathlib.Path, default=ROOT / 'build')
    parser.add_argument('--repeats', type=int, default=11)
    given = parser.parse_args()
    build = given.build.resolve()
    good = beside_loop(build, given.repeats)
    good &= threads(build, given.repeats)
    sys.exit(0 if good else 1)


if __name__ == '__main__':
    main()
