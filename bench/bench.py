#!/usr/bin/env python3
"""Ironbird beside other multibody programs: CPU seconds at equal error.

    python3 bench/bench.py [--install] [--quick] [--markdown FILE] [--lines FILE]

Runs the two benchmark families through Ironbird's own runner and through every peer that is
installed, finds each program's cheapest setting that reaches each error bound, times those settings
again side by side, and prints a table of CPU seconds and ratios. README.md in this folder says what
is measured, how, and why each peer is set as it is.

Nothing but the standard library is needed. Each run is a program of its own that prints one JSON
line: {"case", "n", "solver", "setting", "cpu_s", "points": [[t, x, y, z] * 20]}.
"""

import argparse
import csv
import glob
import importlib.util
import json
import math
import os
import platform
import resource
import shutil
import subprocess
import sys
import time

BENCH = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(BENCH)
BUILD = os.path.join(ROOT, 'build')
PROGRAMS = os.path.join(BUILD, 'bench')
VENV = os.path.join(BUILD, 'bench-venv')
CACHE = os.path.join(BUILD, 'bench-cache.json')
KNOWN = os.path.join(BENCH, 'peers', 'sweep.json')

CELLS = [('fourbar', 1), ('fourbar', 10), ('fourbar', 40), ('chain', 10), ('chain', 40),
         ('chain', 160)]
QUICK_CELLS = [('fourbar', 1), ('fourbar', 10), ('chain', 10)]
ERRORS = [5e-4, 1e-4, 4e-5, 1e-5, 1e-6]
CPU_CAP = 30  # a run that takes longer has lost the cell
REPEATS = 3
LONG_RUN = 5  # seconds from which one repeat is enough
SHORT_RUN = 0.05  # seconds below which the clock's own steps show, so that more repeats are needed
SHORT_REPEATS = 15
TINY_RUN = 0.01  # seconds below which even fifteen leave a third of doubt
TINY_REPEATS = 60
COARSE = 4  # rungs of a ladder from one coarse setting to the next
OURS = 'ironbird'


# ---- peers ------------------------------------------------------------------------------------


class Ladder:
    """One solver of a program and its settings from the loosest (rung 0) to the tightest.

    `setting` makes the text of a rung from its value. Four rungs double the value (`growth` 2) or
    divide it by ten (`growth` 1/10).
    """

    def __init__(self, solver, setting, start, growth, rungs):
        self.solver, self.setting, self.rungs = solver, setting, rungs
        self.start, self.growth = start, growth

    def text(self, rung):
        return self.setting(self.start * self.growth ** (rung / COARSE))


def steps(solver, start, doublings, extra=''):
    """Fixed steps: a whole number of them between two outputs."""
    return Ladder(solver, lambda value: f'steps={round(value)}{extra}', start, 2,
                  COARSE * doublings)


def tolerance(solver, start, decades, key='', extra=''):
    return Ladder(solver, lambda value: f'{key}{value:.3g}{extra}', start, 0.1, COARSE * decades)


def fixed_h(solver, start, halvings, case, extra=''):
    """Fixed steps for a program that is told the step."""
    interval = (5 if case == 'chain' else 10) / 20
    first = interval / start
    return Ladder(solver, lambda value: f'h={interval / round(value):.17g}{extra}', first, 2,
                  COARSE * halvings)


def limit_cpu():
    """Runs in the child: ends what is far beyond the cap."""
    resource.setrlimit(resource.RLIMIT_CPU, (3 * CPU_CAP, 3 * CPU_CAP))


class Program:
    """A program to measure: how it is called and what is worth trying."""

    def __init__(self, name, title, command, version, ladders):
        self.name, self.title, self.command = name, title, command
        self.version, self.ladders = version, ladders

    def run(self, case, n, solver, setting):
        """One run: a dictionary with cpu_s and error, infinite if it fails."""
        words = ([*self.command, case, str(n), setting, '0', solver] if self.name == OURS else
                 [*self.command, case, str(n), solver, setting])
        environment = dict(os.environ, OMP_NUM_THREADS='1', OPENBLAS_NUM_THREADS='1')
        result = {'peer': self.name, 'version': self.version, 'case': case, 'n': n,
                  'solver': solver, 'setting': setting, 'cpu_s': math.inf, 'error': math.inf}
        try:
            done = subprocess.run(words, capture_output=True, text=True, env=environment,
                                  preexec_fn=limit_cpu, timeout=40 * CPU_CAP, check=False)
            line = None if done.returncode else json.loads(done.stdout.strip().splitlines()[-1])
        except (subprocess.TimeoutExpired, ValueError, IndexError):
            line = None
        if line:
            result['cpu_s'] = line['cpu_s']
            result['error'] = largest_error(case, n, line['points'])
        return result


def mujoco_ladders(newest):
    """`ref`, the constraints' time constant in steps, trades stability against softness."""
    def ladders(case, n):
        if case == 'chain':
            start = 10 if n < 160 else 50  # 48 steps are the fewest that are stable there
            return ([steps('rk4', start, 8)] if newest else
                    [steps('rk4+hinges', start, 8), steps('rk4', start, 8)])
        found = [steps('rk4+newton', 10, 11, f',ref={ref}') for ref in (0.6, 0.5, 0.7, 1, 2)]
        found += [steps('euler+newton', 40, 11, f',ref={ref}') for ref in (2, 1.5)]
        if newest:
            found.append(steps('discrete+newton', 40, 11, ',ref=2'))
        return found
    return ladders


def hard_mujoco_ladders(case, _n):
    return [steps('rk4+newton+hard', 5, 8, ',ref=2')] if case == 'fourbar' else []


def simbody_ladders(case, _n):
    if case == 'chain':
        return [tolerance('rkm', 1e-2, 8, 'acc='), fixed_h('rkm', 0.0125, 8, case),
                tolerance('cpodes-adams', 1e-2, 8, 'acc=')]
    projected = ',ctol=1e-10,every=1'
    return [tolerance('rkm+line', 1e-4, 7, 'acc=', ',ctol=1e-12'),
            tolerance('rkm+line', 1e-4, 7, 'acc=', projected),
            fixed_h('rkm+line', 0.05, 8, case, projected),
            tolerance('rkf+line', 1e-4, 7, 'acc=', ',ctol=1e-12'),
            tolerance('cpodes-bdf+line', 1e-4, 7, 'acc=', ',ctol=1e-12')]


def exudyn_ladders(case, n):
    if case == 'chain':
        free = ',newton=modified,linear=sparse,tol='
        trees = [steps('tree+rk67', 12.5, 8), tolerance('tree+dopri5', 1e-2, 8, 'rtol='),
                 steps('tree+rk44', 25, 8)]
        bodies = [steps('bodies+galpha', 100, 8, free + tol) for tol in ('1e-5', '1e-7')]
        return trees + bodies if n < 160 else bodies
    linear = 'dense' if n == 1 else 'sparse'
    return [steps('planar+galpha', 50, 9, f',linear={linear},tol={tol}')
            for tol in ('1e-4', '1e-6')]


def ironbird_ladders(_case, _n):
    return [tolerance(solver, 1e-2, 11) for solver in ('dop853', 'dopri5')]


def compile_program(name, source, compiler, flags):
    """Compiles a peer's program when its source is newer; None when that fails."""
    program, source = os.path.join(PROGRAMS, name), os.path.join(BENCH, 'peers', source)
    if os.path.exists(program) and os.path.getmtime(program) >= os.path.getmtime(source):
        return program
    os.makedirs(PROGRAMS, exist_ok=True)
    command = [*compiler.split(), '-O2', *flags[0], source, '-o', program, *flags[1]]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        say(f'{name}: {error}')
        return None
    if done.returncode:
        say(f'{name}: does not compile: {done.stderr.strip().splitlines()[-1:]}')
        return None
    return program


def mujoco_package():
    """The folder of the Python package with MuJoCo's library and headers, or None."""
    folders = glob.glob(os.path.join(VENV, 'lib', 'python*', 'site-packages', 'mujoco'))
    spec = importlib.util.find_spec('mujoco')
    folders += list(spec.submodule_search_locations or []) if spec else []
    for folder in folders:
        library = glob.glob(os.path.join(folder, 'libmujoco.so.*'))
        if library and os.path.isdir(os.path.join(folder, 'include')):
            return folder, library[0]
    return None


def debian_version(package):
    if not shutil.which('dpkg-query'):
        return 'unknown'
    done = subprocess.run(['dpkg-query', '-W', '-f', '${Version}', package], capture_output=True,
                          text=True, check=False)
    return done.stdout.split(':')[-1].split('-')[0].split('+')[0] or 'unknown'


def find_newest_mujoco():
    package = mujoco_package()
    if not package:
        return []
    folder, library = package
    version = library.rsplit('.so.', 1)[1]
    program = compile_program(f'mujoco-{version}', 'mujoco.c', os.environ.get('CC', 'cc'),
                              (['-std=gnu17', '-I' + os.path.join(folder, 'include')],
                               [library, '-Wl,-rpath,' + folder, '-lm']))
    if not program:
        return []
    return [Program('mujoco', f'MuJoCo {version}', [program], version, mujoco_ladders(True)),
            Program('mujoco-hard', f'MuJoCo {version}, hardened', [program], version,
                    hard_mujoco_ladders)]


def find_debian_mujoco():
    if not os.path.exists('/usr/include/mujoco/mujoco.h'):
        return []
    version = debian_version('libmujoco-dev')
    program = compile_program(f'mujoco-{version}', 'mujoco.c', os.environ.get('CC', 'cc'),
                              (['-std=gnu17'], ['-lmujoco', '-lm']))
    if not program:
        return []
    return [Program('mujoco-2.2', f'MuJoCo {version}', [program], version, mujoco_ladders(False)),
            Program('mujoco-2.2-hard', f'MuJoCo {version}, hardened', [program], version,
                    hard_mujoco_ladders)]


def find_simbody():
    if not os.path.exists('/usr/include/simbody/Simbody.h'):
        return []
    version = debian_version('libsimbody-dev')
    program = compile_program(f'simbody-{version}', 'simbody.cpp', os.environ.get('CXX', 'c++'),
                              (['-std=c++17', '-isystem', '/usr/include/simbody'],
                               ['-lSimTKsimbody', '-lSimTKmath', '-lSimTKcommon']))
    return [Program('simbody', f'Simbody {version}', [program], version,
                    simbody_ladders)] if program else []


def find_exudyn():
    for python in (os.path.join(VENV, 'bin', 'python'), sys.executable):
        if not os.path.exists(python):
            continue
        done = subprocess.run(
            [python, '-c', 'import importlib.metadata as m; print(m.version("exudyn"))'],
            capture_output=True, text=True, check=False)
        if done.returncode == 0:
            version = done.stdout.strip()
            script = os.path.join(BENCH, 'peers', 'exudyn_bench.py')
            return [Program('exudyn', f'EXUDYN {version}', [python, script], version,
                            exudyn_ladders)]
    return []


FINDERS = [('MuJoCo, newest', find_newest_mujoco, '--install'),
           ('MuJoCo 2.2', find_debian_mujoco, 'the Debian package libmujoco-dev'),
           ('Simbody', find_simbody, 'the Debian package libsimbody-dev'),
           ('EXUDYN', find_exudyn, '--install')]


def find_ours():
    program = os.path.join(PROGRAMS, 'ironbird_bench')
    if not os.path.exists(program):
        say('build/bench/ironbird_bench is not built: peers only (make bench builds it)')
        return None
    return Program(OURS, 'Ironbird', [program], '', ironbird_ladders)


def install():
    """A virtual environment with the peers that come as Python packages."""
    if not os.path.exists(os.path.join(VENV, 'bin', 'python')):
        subprocess.run([sys.executable, '-m', 'venv', VENV], check=True)
    subprocess.run([os.path.join(VENV, 'bin', 'python'), '-m', 'pip', 'install', '--quiet',
                    '-r', os.path.join(BENCH, 'peers', 'requirements.txt')], check=True)


# ---- errors and the cache ---------------------------------------------------------------------


def say(text):
    print(text, file=sys.stderr, flush=True)


REFERENCES = {}


def reference(case, n):
    if (case, n) not in REFERENCES:
        path = os.path.join(BENCH, 'references', f'{case}_{n}.csv')
        with open(path, newline='', encoding='utf-8') as file:
            rows = list(csv.reader(file))[1:]
        REFERENCES[case, n] = [[float(value) for value in row] for row in rows]
    return REFERENCES[case, n]


def largest_error(case, n, points):
    """The largest distance to the reference over its times; infinite for anything unfinished."""
    expected = reference(case, n)
    if len(points) != len(expected):
        return math.inf
    worst = 0.0
    for point, right in zip(points, expected):
        if not all(isinstance(value, (int, float)) and math.isfinite(value) for value in point):
            return math.inf
        if abs(point[0] - right[0]) > 1e-6:
            return math.inf
        worst = max(worst, math.dist(point[1:4], right[1:4]))
    return worst


def key_of(program, case, n, solver, setting):
    return ' '.join([program.name, program.version, case, str(n), solver, setting])


class Cache:
    """What earlier sweeps found: errors are exact, times only guide the search."""

    def __init__(self, fresh):
        self.entries = {}
        for path in () if fresh else (KNOWN, CACHE):
            if os.path.exists(path):
                with open(path, encoding='utf-8') as file:
                    self.entries.update(json.load(file))
        self.lines = None

    def run(self, program, case, n, solver, setting):
        key = key_of(program, case, n, solver, setting)
        if program.name == OURS or key not in self.entries:
            found = program.run(case, n, solver, setting)
            if found['cpu_s'] < SHORT_RUN:
                again = [program.run(case, n, solver, setting)['cpu_s'] for _ in range(3)]
                found['cpu_s'] = (found['cpu_s'] + sum(again)) / 4
            self.report(found)
            if program.name == OURS:
                return found['cpu_s'], found['error']
            self.entries[key] = [number(found['cpu_s']), number(found['error'])]
            self.save()
        return tuple(math.inf if value is None else value for value in self.entries[key])

    def report(self, found):
        if self.lines:
            line = {key: number(value) for key, value in found.items()}
            self.lines.write(json.dumps(line) + '\n')
            self.lines.flush()
        say(f"  {found['peer']} {found['case']} {found['n']} {found['solver']} {found['setting']}: "
            f"{found['cpu_s']:.4g} s, error {found['error']:.3g}")

    def save(self):
        os.makedirs(BUILD, exist_ok=True)
        with open(CACHE + '.new', 'w', encoding='utf-8') as file:
            json.dump(self.entries, file, indent=0, sort_keys=True)
        os.replace(CACHE + '.new', CACHE)


def number(value):
    """JSON has no infinity; four digits are all that a time or an error is worth."""
    if isinstance(value, float):
        return float(f'{value:.4g}') if math.isfinite(value) else None
    return value


# ---- the search -------------------------------------------------------------------------------


class Search:
    """The cheapest settings of one program in one cell."""

    def __init__(self, program, case, n, cache):
        self.program, self.case, self.n, self.cache = program, case, n, cache
        self.runs = {}  # (solver, setting): (cpu, error)
        for ladder in program.ladders(case, n):
            self.climb(ladder)

    def run(self, ladder, rung):
        setting = ladder.text(rung)
        found = self.cache.run(self.program, self.case, self.n, ladder.solver, setting)
        self.runs[ladder.solver, setting] = found
        return found

    def cheapest(self, error):
        """CPU seconds of the cheapest run so far that reaches the error."""
        return min((cpu for cpu, reached in self.runs.values() if reached <= error),
                   default=math.inf)

    def climb(self, ladder):
        """Coarse rungs from loose to tight, then finer ones below each first success."""
        errors, last = {}, None
        for rung in range(0, ladder.rungs + 1, COARSE):
            cpu, error = self.run(ladder, rung)
            errors[rung] = error
            if error <= min(ERRORS) or 1.8 * cpu > CPU_CAP and math.isfinite(cpu):
                break
            if self.hopeless(last, cpu, error):
                break
            if math.isfinite(cpu):
                last = (cpu, error)
        for bound in ERRORS:
            self.refine(ladder, errors, bound)

    def hopeless(self, last, cpu, error):
        """Whether going on cannot win: too dear already, or too slow in getting better."""
        open_bounds = [bound for bound in ERRORS if error > bound]
        if not math.isfinite(cpu):
            return False
        if all(cpu > 1.1 * self.cheapest(bound) for bound in open_bounds):
            return True
        if not last or not last[1] < 1e-2 or not error < 1e-2:
            return False  # not yet where the error tells anything
        if error > 0.9 * last[1]:
            return cpu > 1
        gain, growth = math.log(last[1] / error), max(cpu / last[0], 1.3)
        return all(cpu * growth ** (math.log(error / bound) / gain) >
                   1.5 * min(CPU_CAP, 1.5 * self.cheapest(bound)) for bound in open_bounds)

    def refine(self, ladder, errors, bound):
        """Halves the distance between the last coarse failure and the first success, twice."""
        passing = [rung for rung in sorted(errors) if rung % COARSE == 0 and errors[rung] <= bound]
        if not passing or passing[0] == 0:
            return
        low, high = passing[0] - COARSE, passing[0]
        while high - low > 1:
            middle = (low + high) // 2
            if middle not in errors:
                low_cpu = self.runs.get((ladder.solver, ladder.text(low)), (0, 0))[0]
                if math.isfinite(low_cpu) and low_cpu > 1.1 * self.cheapest(bound):
                    return
                errors[middle] = self.run(ladder, middle)[1]
            if errors[middle] <= bound:
                high = middle
            else:
                low = middle

    def candidates(self, error):
        """Up to three settings that reach the error, the cheapest first; one if it takes long."""
        good = sorted((cpu, key) for key, (cpu, reached) in self.runs.items()
                      if reached <= error and cpu <= CPU_CAP)
        least = good[0][0] if good else 0
        many, width = (1, 1.0) if least > LONG_RUN else (3, 1.5) if least < SHORT_RUN else (2, 1.3)
        return [key for cpu, key in good if cpu <= width * least][:many]

    def best_error(self):
        """The smallest error of any run and its time."""
        reached = [(error, cpu) for cpu, error in self.runs.values() if math.isfinite(error)]
        return min(reached, default=(math.inf, math.inf))


def wanted_repeats(times):
    if not times:
        return TINY_REPEATS
    spent = sum(times) / len(times)
    limits = ((TINY_RUN, TINY_REPEATS), (SHORT_RUN, SHORT_REPEATS), (LONG_RUN, REPEATS))
    return next((repeats for limit, repeats in limits if spent < limit), 1)


def typical(times):
    """The least of the times; of many short ones the mean: a clock may move in steps of 4 ms."""
    return sum(times) / len(times) if len(times) > REPEATS else min(times)


class Timing:
    """Times the chosen settings again, every setting of a cell within the same minutes."""

    def __init__(self, cache):
        self.cache, self.best = cache, {}

    def measure(self, searches):
        wanted = {}
        for search in searches:
            for error in ERRORS:
                for solver, setting in search.candidates(error):
                    wanted[search.program.name, solver, setting] = search
        for _ in range(TINY_REPEATS):
            for (name, solver, setting), search in wanted.items():
                key = (name, search.case, search.n, solver, setting)
                times, error = self.best.get(key, ([], math.inf))
                if len(times) >= wanted_repeats(times):
                    continue
                found = search.program.run(search.case, search.n, solver, setting)
                self.cache.report(found)
                self.best[key] = ([*times, found['cpu_s']], found['error'])

    def winner(self, search, error):
        """(CPU seconds, solver, setting) of the cheapest timed setting that reaches the error."""
        place = (search.program.name, search.case, search.n)
        found = [(typical(times), *key[3:]) for key, (times, reached) in self.best.items()
                 if key[:3] == place and reached <= error]
        return min((won for won in found if won[0] <= CPU_CAP), default=None)


# ---- the table --------------------------------------------------------------------------------


def processor():
    try:
        with open('/proc/cpuinfo', encoding='utf-8') as file:
            for line in file:
                if line.startswith('model name'):
                    return line.split(':', 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def short(value):
    return f'{value:.2g}' if value < 10 else f'{value:.0f}'


def lost(search):
    """What a program that loses a cell did reach."""
    error, cpu = search.best_error()
    if not math.isfinite(error):
        return 'fails'
    return f'lost ({error:.2g} in {short(cpu)} s)'


def cell_table(case, n, searches, timing):
    """Markdown lines of one case: a row a program, a column an error bound."""
    ours = next((search for search in searches if search.program.name == OURS), None)
    lines = [f'### {case} N = {n}', '',
             '| program | ' + ' | '.join(f'{error:.0e}' for error in ERRORS) + ' |',
             '| --- |' + ' --- |' * len(ERRORS)]
    for search in searches:
        row = []
        for error in ERRORS:
            won = timing.winner(search, error)
            mine = timing.winner(ours, error) if ours else None
            if not won:
                row.append(lost(search))
            elif mine and search is not ours:
                row.append(f'{short(won[0])} ({short(won[0] / mine[0])}×)')
            else:
                row.append(short(won[0]))
        lines.append(f'| {search.program.title} | ' + ' | '.join(row) + ' |')
    return lines + ['']


def settings_table(cells, timing):
    lines = ['## Settings that won', '', '| case | program | error | solver | setting |',
             '| --- | --- | --- | --- | --- |']
    for (case, n), searches in cells:
        for search in searches:
            for error in ERRORS:
                won = timing.winner(search, error)
                if won:
                    lines.append(f'| {case} {n} | {search.program.title} | {error:.0e} | '
                                 f'{won[1] or "default"} | `{won[2]}` |')
    return lines + ['']


def least_ratios(cells, timing):
    """For each peer the least ratio to Ironbird over the cells that both reach."""
    ratios = {}
    for (case, n), searches in cells:
        ours = next((search for search in searches if search.program.name == OURS), None)
        for search in searches if ours else []:
            for error in ERRORS:
                won, mine = timing.winner(search, error), timing.winner(ours, error)
                if won and search is not ours:
                    ratio = won[0] / mine[0] if mine else 0.0
                    ratios.setdefault(search.program.title, []).append((ratio, case, n, error))
    lines = ['## Least ratios', ''] if ratios else []
    for title, found in ratios.items():
        ratio, case, n, error = min(found)
        lines.append(f'- {title}: {short(ratio)}× at {case} {n}, {error:.0e}; behind Ironbird in '
                     f'{sum(r > 1 for r, *_ in found)} of the {len(found)} cells it reaches')
    return lines + ['']


def document(cells, timing, left_out):
    lines = ['# CPU seconds at equal error', '',
             f'{processor()}, {platform.system()} {platform.machine()}. CPU seconds of the '
             'integration, one thread, least of '
             f'{REPEATS} runs ({LONG_RUN} s and more: one run; under {SHORT_RUN} s: mean '
             f'of {SHORT_REPEATS}, under {TINY_RUN} s of {TINY_REPEATS}); in parentheses the ratio '
             'to Ironbird. "lost": the error is not reached with any solver and setting tried within '
             f'{CPU_CAP} s; in parentheses the least error reached.', '']
    if left_out:
        lines += ['Not installed, so left out: ' + ', '.join(left_out) + '.', '']
    for (case, n), searches in cells:
        lines += cell_table(case, n, searches, timing)
    return lines + least_ratios(cells, timing) + settings_table(cells, timing)


def main():
    parser = argparse.ArgumentParser(description='Ironbird beside other multibody programs.')
    parser.add_argument('--install', action='store_true',
                        help='make build/bench-venv with the peers that are Python packages')
    parser.add_argument('--quick', action='store_true', help='three small cases only')
    parser.add_argument('--markdown', metavar='FILE', help='write the table there too')
    parser.add_argument('--lines', metavar='FILE', help='write one JSON line per run there')
    parser.add_argument('--cells', metavar='CASES', help='only these, such as chain:40,fourbar:1')
    parser.add_argument('--peers', metavar='NAMES', help='only these, separated by commas')
    parser.add_argument('--fresh', action='store_true', help='forget what earlier sweeps found')
    parser.add_argument('--sweep-only', action='store_true',
                        help='search the settings into build/bench-cache.json and stop')
    arguments = parser.parse_args()
    begin = time.time()
    if arguments.install:
        install()

    programs, left_out = [find_ours()], []
    for title, find, remedy in FINDERS:
        found = find()
        programs += found
        if not found:
            left_out.append(title)
            say(f'left out: {title} (needs {remedy})')
    programs = [program for program in programs if program and (
        not arguments.peers or program.name in arguments.peers.split(','))]

    cache = Cache(arguments.fresh)
    if arguments.lines:
        cache.lines = open(arguments.lines, 'w', encoding='utf-8')
    timing, cells = Timing(cache), []
    wanted = QUICK_CELLS if arguments.quick else CELLS
    if arguments.cells:
        wanted = [(case, int(n)) for case, n in
                  (word.split(':') for word in arguments.cells.split(','))]
    for case, n in wanted:
        say(f'{case} {n}: searching')
        searches = [Search(program, case, n, cache) for program in programs
                    if program.ladders(case, n)]
        if not arguments.sweep_only:
            say(f'{case} {n}: timing')
            timing.measure(searches)
            cells.append(((case, n), searches))
    if cache.lines:
        cache.lines.close()
    if not arguments.sweep_only:
        text = '\n'.join(document(cells, timing, left_out))
        print(text)
        if arguments.markdown:
            with open(arguments.markdown, 'w', encoding='utf-8') as file:
                file.write(text)
    say(f'done in {(time.time() - begin) / 60:.1f} minutes')
    return 0


if __name__ == '__main__':
    sys.exit(main())
