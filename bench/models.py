#!/usr/bin/env python3
"""What a user waits for with models of their own: loading large ones, long expressions on the tape and
as machine code, welded bodies against a single one, and a stiff model by explicit and by stiff solvers to the
same error. Prints seconds and ratios of one run.

    python3 bench/models.py [--build FOLDER]
"""

import argparse
import csv
import json
import os
import random
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def chain(n):
    """n bodies on ball joints and hinges, with a measure and a force law each."""
    lines = ['ironbird: 1', 'gravity: [0, 0, -9.81]', 'bodies:']
    lines += [f'  b{i}: {{mass: 1, inertia: [0.1, 0.1, 0.1], position: [{i + 0.5}, 0, 0]}}' for i in range(n)]
    lines.append('joints:')
    for i in range(n):
        below = f'body2: b{i - 1}, ' if i else ''
        kind = 'revolute, axis: [0, 1, 0]' if i % 2 else 'spherical'
        lines.append(f'  j{i}: {{type: {kind}, body1: b{i}, {below}point: [{i}, 0, 0]}}')
    lines.append('measures:')
    lines += [f'  m{i}: {{type: displacement, body1: b{i}, component: z}}' for i in range(n)]
    lines.append('forces:')
    lines += [f"  f{i}: {{type: force, body1: b{i}, value: [0, 'sin(t) * m{i}', '-0.1 * m{i}']}}"
              for i in range(n)]
    return '\n'.join(lines + ['simulation: {end: 1}', ''])


def law(generator, terms):
    """A sum of products of three measures, as a fitted force law is."""
    def factor():
        return f'({generator.choice("xyz")} - {generator.uniform(-1, 1):.4f})'
    return ' + '.join(f'{generator.uniform(-1, 1):.4f} * {factor()} * {factor()} * {factor()}'
                      for _ in range(terms))


def heavy(terms):
    """A body under three fitted laws."""
    generator = random.Random(3)
    laws = ', '.join(f"'1e-4 * ({law(generator, terms)}) - {c}'" for c in 'xyz')
    measures = '\n'.join(f'  {c}: {{type: displacement, body1: b, component: {c}}}' for c in 'xyz')
    return (f'ironbird: 1\nbodies:\n  b: {{mass: 1, inertia: [1, 1, 1], position: [0.3, 0.2, 0.1]}}\n'
            f'measures:\n{measures}\nforces:\n  f: {{type: force, body1: b, value: [{laws}]}}\n'
            'simulation: {end: 20, step: 0.001, solver: rk4}\n')


def pendulum(parts):
    """A rod on a hinge, in one piece or welded of several."""
    lines = ['ironbird: 1', 'gravity: [0, 0, -9.81]', 'bodies:']
    lines += [f'  b{i}: {{mass: 1, inertia: [0.1, 0.1, 0.1], position: [{i + 1}, 0, 0]}}'
              for i in range(parts)]
    lines += ['joints:', '  hinge: {type: revolute, body1: b0, point: [0, 0, 0], axis: [0, 1, 0]}']
    lines += [f'  w{i}: {{type: fixed, body1: b{i}, body2: b{i - 1}, point: [{i + 0.5}, 0, 0]}}'
              for i in range(1, parts)]
    return '\n'.join(lines + ['simulation: {end: 20, step: 0.001, solver: rk4}', ''])


def governor(solver, rtol):
    """The flyball governor of the examples."""
    with open(os.path.join(ROOT, 'examples', 'a05_flyball_governor', 'model.yaml'), encoding='utf-8') as file:
        text = file.read()
    return text[:text.index('simulation:')] + (
        f'simulation: {{end: 10, output_step: 0.1, solver: {solver}, rtol: {rtol}, record: ["*.value"]}}\n')


class Bench:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder

    def write(self, name, text):
        path = os.path.join(self.folder, name + '.yaml')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    def time(self, path, seconds, repeats, native=False):
        words = [os.path.join(self.build, 'bench', 'model_bench'), path, str(seconds), str(repeats)]
        words += [os.path.join(self.folder, 'code')] if native else []
        return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)

    def governor_error(self, path):
        """Largest error against the reference, m and rad."""
        out = os.path.join(self.folder, 'governor')
        subprocess.run([os.path.join(self.build, 'ironbird'), 'run', '--quiet', path, '--out', out], check=True)
        with open(os.path.join(ROOT, 'test', 'references', 'A05_flyball_governor.csv'), encoding='utf-8') as file:
            wanted = list(csv.DictReader(line for line in file if not line.startswith('#')))
        with open(os.path.join(out, 'results.csv'), encoding='utf-8') as file:
            found = {round(float(row['time']), 6): row for row in csv.DictReader(file)}
        pairs = [(row, found[round(float(row['t']), 6)]) for row in wanted]
        return max(abs(float(row[name]) - float(other[name + '.value']))
                   for row, other in pairs for name in ('s', 'alpha', 'phi'))

    def governor(self, solver, most):
        """(rtol, error, seconds) of the loosest decade of rtol that keeps the error below `most`."""
        for decade in range(3, 12):
            rtol = f'1e-{decade}'
            path = self.write('governor', governor(solver, rtol))
            error = self.governor_error(path)
            if error <= most:
                return rtol, error, self.time(path, 10, 5)['run']
        raise SystemExit(f'{solver} does not reach {most}')

    def check(self, path):
        """Least seconds of `ironbird check`, the whole program."""
        least = float('inf')
        for _ in range(10):
            start = time.monotonic()
            subprocess.run([os.path.join(self.build, 'ironbird'), 'check', '--quiet', path], check=True)
            least = min(least, time.monotonic() - start)
        return least


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--build', default=os.path.join(ROOT, 'build'))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.build, folder)
        print('| what | seconds | ratio |\n| --- | --- | --- |')
        for n in (100, 1000):
            path = bench.write(f'chain{n}', chain(n))
            print(f'| `ironbird check`, {n} bodies | {bench.check(path):.3f} | |')
            found = bench.time(path, 0.001, 3)
            print(f'| load and create, {n} bodies | {found["load"] + found["create"]:.3f} | |')
        for terms in (30, 100, 400):
            path = bench.write(f'heavy{terms}', heavy(terms))
            tape, code = bench.time(path, 10, 5), bench.time(path, 10, 5, native=True)
            if tape['hash'] != code['hash']:
                raise SystemExit('tape and machine code disagree')
            print(f'| expressions of {3 * terms} terms, tape | {tape["run"]:.3f} | |')
            print(f'| the same as machine code | {code["run"]:.3f} | {tape["run"] / code["run"]:.1f} |')
        one = bench.time(bench.write('one', pendulum(1)), 20, 9)
        for parts in (2, 8):
            welded = bench.time(bench.write(f'welded{parts}', pendulum(parts)), 20, 9)
            print(f'| a pendulum welded of {parts} bodies, beside one body | {welded["run"]:.4f} | '
                  f'{welded["run"] / one["run"]:.2f} |')
        for most in (1e-7, 2e-9):
            stiff = bench.governor('stiff', most)
            for solver in ('stiff', 'dopri5', 'dop853'):
                rtol, error, seconds = bench.governor(solver, most)
                print(f'| flyball governor to {most:.0e}, `{solver}` at rtol {rtol} (error {error:.1e}) | '
                      f'{seconds:.3f} | {seconds / stiff[2]:.1f} |')


if __name__ == '__main__':
    main()
