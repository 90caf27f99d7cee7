#!/usr/bin/env python3
"""What a world costs: a mission's tick beside a bare C loop of the same physics, alone and with avionics; two
threads against one; JSBSim beside it, where installed. Prints figures and ratios of one run, and says
which bar each has to keep.

    python3 bench/world.py [--build FOLDER] [--install] [--repeats N]

Every ratio is the median over repeats in which the two take turns, so that what else the machine does
falls on both. JSBSim is a Python package; --install puts it into build/bench-venv.
"""

import argparse
import csv
import json
import math
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import aircraft

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


# ---- JSBSim -----------------------------------------------------------------------------------


def jsbsim(case, step, seconds):
    python = ROOT / 'build/bench-venv/bin/python'
    words = [python, BENCH / 'peers/jsbsim_peer.py', case, repr(step), str(seconds)]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def rows_of(build, file, folder, columns):
    """Rows of a run, of some columns."""
    subprocess.run([build / 'ironbird', 'run', '--quiet', file, '--out', folder / 'run'], check=True)
    with open(folder / 'run/results.csv', encoding='utf-8') as lines:
        return [[float(row[name]) for name in columns] for row in csv.DictReader(lines)]


def brick(build, repeats, folder):
    """Check-case 2 at steps of 1 ms, as a mission; the error is that of the rates at 1, 2 ... 30 s."""
    with open(ROOT / 'test/references/flight/torque_free_brick.csv', encoding='utf-8') as lines:
        wanted = [[float(row[f'{axis}_degps']) for axis in 'pqr'] for row in csv.DictReader(lines)][1:]

    def worst(rates):
        return max(abs(a - b) for row, other in zip(rates, wanted) for a, b in zip(row, other))

    columns = [f'brick.body.rate.{axis}' for axis in 'xyz']
    rows = rows_of(build, MISSIONS / 'brick.yaml', folder, columns)[1:]
    ours, theirs, gains = worst([[math.degrees(x) for x in row] for row in rows]), 0, []
    for _ in range(repeats):
        peer = jsbsim('brick', 1e-3, 30)
        found = fly(build, MISSIONS / 'brick.yaml', 30, 1, 1)
        gains.append(peer['cpu_s'] / peer['steps'] / (found['runs'][0][0] / found['ticks']))
        theirs = worst(peer['rates'])
    show(f'JSBSim {peer["version"]}, the brick: error of rates', theirs, 'deg/s')
    good = show('the brick as a mission: error of rates', ours, 'deg/s', 'smaller', ours < theirs)
    gain = statistics.median(gains)
    return good & show('... beside JSBSim, steps a second', gain, 'times', '>= 3.5', gain >= 3.5)


def flight(build, folder, step, seconds):
    """Where the aircraft is at the end, and the file of its model."""
    path = folder / f'aircraft_{step}.yaml'
    path.write_text(aircraft.model(step, seconds))
    return rows_of(build, path, folder, [f'hull.position.{axis}' for axis in 'xyz'])[-1], path


def fighter(build, repeats, folder):
    """An aircraft each, 10 s; the error is the distance to where the same program ends with a
    sixteenth of the step."""
    seconds, step, their_step = 10, 0.02, 1 / 120
    end, path = flight(build, folder, step, seconds)
    ours = math.dist(end, flight(build, folder, step / 16, seconds)[0])
    theirs = math.dist(jsbsim('f16', their_step, seconds)['position'],
                       jsbsim('f16', their_step / 16, seconds)['position'])
    _, same = flight(build, folder, 0.008, seconds)
    gains, steps = [], []
    for _ in range(repeats):
        peer = jsbsim('f16', their_step, 10 * seconds)
        for file, list_of in ((path, gains), (same, steps)):
            words = [build / 'bench/model_bench', file, str(10 * seconds), '1']
            run = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
            list_of.append(peer['cpu_s'] / run['run'])
    show('JSBSim, its F-16 at 120 Hz: error of 10 s', theirs, 'm')
    good = show('an aircraft with 18 tables, rk4 at 50 Hz: error of 10 s', ours, 'm', 'smaller', ours < theirs)
    gain = statistics.median(gains)
    good &= show('... beside JSBSim, seconds of flight a second', gain, 'times', '>= 5', gain >= 5)
    show('... and at 125 Hz', statistics.median(steps), 'times')
    return good


def beside_jsbsim(build, repeats, install):
    venv = ROOT / 'build/bench-venv'
    python = venv / 'bin/python'
    if install and not python.exists():
        subprocess.run([sys.executable, '-m', 'venv', venv], check=True)
    if install:
        subprocess.run([python, '-m', 'pip', 'install', '--quiet', 'jsbsim==1.3.3'], check=True)
    there = python.exists() and subprocess.run([python, '-c', 'import jsbsim'], check=False,
                                               capture_output=True).returncode == 0
    if not there:
        print('JSBSim is not installed (--install): left out')
        return True
    folder = pathlib.Path(tempfile.mkdtemp(prefix='ironbird-bench-'))
    try:
        return brick(build, repeats, folder) & fighter(build, repeats, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--build', type=pathlib.Path, default=ROOT / 'build')
    parser.add_argument('--install', action='store_true', help='install JSBSim into build/bench-venv')
    parser.add_argument('--repeats', type=int, default=11)
    given = parser.parse_args()
    build = given.build.resolve()
    good = beside_loop(build, given.repeats)
    good &= threads(build, given.repeats)
    good &= beside_jsbsim(build, given.repeats, given.install)
    sys.exit(0 if good else 1)


if __name__ == '__main__':
    main()
