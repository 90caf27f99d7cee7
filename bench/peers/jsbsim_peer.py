#!/usr/bin/env python3
"""JSBSim's side of bench/world.py: the torque-free brick of NASA/TM-2015-218675 (check-case 2), or JSBSim's own
F-16 in an open-loop glide from 150 m/s at 3,048 m. One line of JSON: processor seconds and what it flew.

    python3 jsbsim_peer.py brick|f16 STEP SECONDS
"""

import json
import math
import os
import pathlib
import sys
import tempfile
import time

import jsbsim

FOOT = 0.3048
BEST = 4  # Adams and Bashforth's of order 3: the most exact here of those there are, and no slower
BRICK = """<?xml version="1.0"?>
<fdm_config name="brick" version="2.0" release="ALPHA">
  <metrics>
    <wingarea unit="FT2">0.2222222</wingarea><wingspan unit="FT">0.3333333</wingspan>
    <chord unit="FT">0.6666667</chord><htailarea unit="FT2">0</htailarea><htailarm unit="FT">0</htailarm>
    <vtailarea unit="FT2">0</vtailarea><vtailarm unit="FT">0</vtailarm>
    <location name="AERORP" unit="IN"><x>0</x><y>0</y><z>0</z></location>
  </metrics>
  <mass_balance>
    <ixx unit="SLUG*FT2">0.001894220</ixx><iyy unit="SLUG*FT2">0.006211019</iyy>
    <izz unit="SLUG*FT2">0.007194665</izz>
    <ixy unit="SLUG*FT2">0</ixy><ixz unit="SLUG*FT2">0</ixz><iyz unit="SLUG*FT2">0</iyz>
    <emptywt unit="LBS">5</emptywt>
    <location name="CG" unit="IN"><x>0</x><y>0</y><z>0</z></location>
  </mass_balance>
  <ground_reactions/>
  <aerodynamics/>
</fdm_config>
"""


def brick(fdm):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'brick')
        path.mkdir()
        (path / 'brick.xml').write_text(BRICK)
        fdm.set_aircraft_path(folder)
        fdm.load_model('brick', True)
    fdm['ic/h-sl-ft'] = 30000
    # Over the turning Earth; inertial they are 10, 20 and 30 degrees a second.
    for name, rate in (('p', 9.995821927), ('q', 20), ('r', 30)):
        fdm[f'ic/{name}-rad_sec'] = math.radians(rate)


def f16(fdm):
    fdm.load_model('f16')
    fdm['ic/h-sl-ft'] = 3048 / FOOT
    fdm['ic/u-fps'], fdm['ic/w-fps'] = 150 / FOOT, 12 / FOOT


def main():
    case, step, seconds = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    say = os.dup(1)
    os.dup2(2, 1)  # JSBSim prints a greeting
    fdm = jsbsim.FGFDMExec(None)
    fdm.set_debug_level(0)
    fdm.set_dt(step)
    {'brick': brick, 'f16': f16}[case](fdm)
    fdm.set_dt(step)
    fdm.run_ic()
    for kind in ('rate', 'position'):
        for motion in ('rotational', 'translational'):
            fdm[f'simulation/integrator/{kind}/{motion}'] = BEST
    rates, took = [], 0
    for _ in range(seconds):
        begun = time.process_time()
        for _ in range(round(1 / step)):
            fdm.run()
        took += time.process_time() - begun
        rates.append([math.degrees(fdm[f'velocities/{axis}i-rad_sec']) for axis in 'pqr'])
    position = [FOOT * fdm[f'position/eci-{axis}-ft'] for axis in 'xyz']
    line = json.dumps({'version': jsbsim.__version__, 'steps': seconds * round(1 / step), 'cpu_s': took,
                       'rates': rates, 'position': position})
    os.write(say, line.encode())


if __name__ == '__main__':
    main()
