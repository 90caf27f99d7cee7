#!/usr/bin/env python3
"""What running an FMU costs: nanoseconds a step above the FMU's own calls, alone and isolated, memory of
long runs, FMPy beside it, and the time that a large description takes. Prints figures and ratios of
one run, and says which bar each has to keep.

    python3 bench/fmi.py [--build FOLDER] [--install] [--steps N]

FMPy is a Python package; --install puts it into build/bench-venv. Without it its row is left out.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BENCH = ROOT / 'bench'

BUILD_DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0"><BuildConfiguration modelIdentifier="decay">
<SourceFileSet language="C11"><SourceFile name="decay.c"/></SourceFileSet>
</BuildConfiguration></fmiBuildDescription>
"""

# Run by FMPy's Python: seconds of simulate_fmu, which reads and unpacks nothing within the clock.
FMPY = """
import json, sys, time
import fmpy
path, steps = sys.argv[1], int(sys.argv[2])
folder = fmpy.extract(path)
description = fmpy.read_model_description(path)
least = None
for _ in range(3):
    begun = time.perf_counter()
    result = fmpy.simulate_fmu(folder, model_description=description, start_time=0,
                               stop_time=steps * 1e-3, step_size=1e-3, output_interval=1e-3,
                               fmi_type='CoSimulation', output=['x'])
    took = time.perf_counter() - begun
    least = took if least is None or took < least else least
print(json.dumps({'seconds': least, 'rows': len(result), 'x': float(result['x'][-1]),
                  'version': fmpy.__version__}))
"""


def pack(path, library=None):
    """The FMU as source, or with a library for this machine."""
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.write(BENCH / 'fmus/decay.xml', 'modelDescription.xml')
        if library:
            archive.write(library, f'binaries/{os.uname().machine}-linux/decay.so')
        else:
            archive.writestr('sources/buildDescription.xml', BUILD_DESCRIPTION)
            archive.write(BENCH / 'fmus/decay.c', 'sources/decay.c')


def complete_library(folder):
    """The FMU's library with every function of FMI 3, as FMPy wants it: those that it has not fail."""
    text = (BENCH / 'fmus/decay.c').read_text()
    names = re.findall(r'^FMI3\((\w+),', (ROOT / 'src/fmi/functions.def').read_text(), re.M)
    others = [name for name in names if f'fmi3{name}(' not in text]
    (folder / 'others.c').write_text(''.join(f'int fmi3{name}(void) {{ return 3; }}\n' for name in others))
    subprocess.run([os.environ.get('CC', 'cc'), '-shared', '-fPIC', '-O2', '-o', folder / 'decay.so', '-I',
                    ROOT / 'src/fmi/headers', BENCH / 'fmus/decay.c', folder / 'others.c'], check=True)
    return folder / 'decay.so'


def large_description(n):
    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             '<fmiModelDescription fmiVersion="3.0" modelName="Large" instantiationToken="{1}">',
             '<CoSimulation modelIdentifier="large"/>',
             '<UnitDefinitions><Unit name="m"><BaseUnit m="1"/></Unit></UnitDefinitions>',
             '<ModelVariables>',
             '<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>']
    lines += [f'<Float64 name="part[{i}].sub.x" valueReference="{i + 1}" description="variable {i}" '
              f'unit="m" causality="{("output", "local")[i % 2]}"/>' for i in range(n)]
    lines += ['</ModelVariables>', '<ModelStructure>']
    lines += [f'<Output valueReference="{i + 1}" dependencies=""/>' for i in range(0, n, 2)]
    lines += [f'<InitialUnknown valueReference="{i + 1}"/>' for i in range(0, n, 2)]
    return '\n'.join(lines + ['</ModelStructure>', '</fmiModelDescription>'])


def peak(command):
    """Peak memory in MB and seconds of a program."""
    code = ('import resource, subprocess, sys\n'
            'subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n'
            'print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)')
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, '-c', code, *map(str, command)], check=True,
                          capture_output=True, text=True)
    return int(done.stdout) / 1024, time.perf_counter() - begun


def show(what, value, unit, bar=None, good=None):
    verdict = '' if good is None else '   ok' if good else '   MISSED'
    print(f'{what:58} {value:10.3g} {unit:8}' + (f' {bar}' if bar else '') + verdict, flush=True)
    return good is not False


def steps(build, folder, n):
    fmu = folder / 'decay.fmu'
    pack(fmu)
    line = subprocess.run([build / 'bench/fmi_bench', fmu, str(n), '5', folder / 'x.csv'], check=True,
                          capture_output=True, text=True).stdout
    t = json.loads(line)
    good = show('a bare call of fmi3DoStep', t['bare'], 'ns')
    show('... and of fmi3GetFloat64', t['bare_get'], 'ns')
    above = t['run'] - t['bare']
    good &= show('a step without recording, above the bare call', above, 'ns', '<= 200', above <= 200)
    above = t['row'] - t['bare']
    show('a step with a row handed on, above the bare call', above, 'ns')
    above = t['csv'] - t['bare']
    good &= show('a step with one variable into a CSV file, above', above, 'ns', '<= 1000', above <= 1000)
    good &= show('a step of an isolated FMU', t['isolated'], 'ns', '<= 20000', t['isolated'] <= 20000)
    good &= show('... with one variable into a CSV file', t['isolated_csv'], 'ns', '<= 20000',
                 t['isolated_csv'] <= 20000)
    show('isolated against in process, with CSV', t['isolated_csv'] / t['csv'], 'times')
    show('with CSV against bare calls with get', t['csv'] / t['bare_get'], 'times')
    return good, t


def memory(build, folder):
    program = build / 'ironbird'
    few, _ = peak([program, 'run', folder / 'decay.fmu', '--stop', '10', '--out', folder / 'few', '--quiet'])
    many, _ = peak([program, 'run', folder / 'decay.fmu', '--stop', '1000', '--out', folder / 'many',
                    '--quiet'])
    show('peak memory of 10,000 recorded steps', few, 'MB')
    return show('peak memory of a million recorded steps', many, 'MB', '<= 1.2 of it', many <= 1.2 * few)


def beside_fmpy(folder, ours, install):
    venv = ROOT / 'build/bench-venv'
    python = venv / 'bin/python'
    if install and not python.exists():
        subprocess.run([sys.executable, '-m', 'venv', venv], check=True)
    if install:
        subprocess.run([python, '-m', 'pip', 'install', '--quiet', 'fmpy'], check=True)
    there = python.exists() and subprocess.run([python, '-c', 'import fmpy'], check=False,
                                               capture_output=True).returncode == 0
    if not there:
        print('FMPy is not installed (--install): left out')
        return True
    pack(folder / 'binary.fmu', complete_library(folder))
    n = 20000
    done = subprocess.run([python, '-c', FMPY, folder / 'binary.fmu', str(n)], check=True,
                          capture_output=True, text=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    each = 1e9 * theirs['seconds'] / n
    show(f'FMPy {theirs["version"]}: a step with one variable recorded', each, 'ns')
    return show('FMPy against Ironbird with CSV', each / ours['csv'], 'times', '>= 20',
                each / ours['csv'] >= 20)


def large(build, folder):
    path = folder / 'large.fmu'
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.writestr('modelDescription.xml', large_description(100000))
    least = min(peak([build / 'ironbird', 'check', path])[1] for _ in range(3))
    return show('`check` of 100,000 variables, the whole program', least, 's', '<= 1', least <= 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--build', type=pathlib.Path, default=ROOT / 'build')
    parser.add_argument('--install', action='store_true', help='install FMPy into build/bench-venv')
    parser.add_argument('--steps', type=int, default=1000000)
    given = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix='ironbird-bench-'))
    try:
        good, ours = steps(given.build.resolve(), folder, given.steps)
        good &= memory(given.build.resolve(), folder)
        good &= large(given.build.resolve(), folder)
        good &= beside_fmpy(folder, ours, given.install)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(0 if good else 1)


if __name__ == '__main__':
    main()
