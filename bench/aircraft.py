"""The aircraft that bench/world.py flies beside JSBSim's F-16: a rigid airframe of a fighter's size whose
coefficients are tables of angle of attack and sideslip or elevator, and curves of angle of attack for
the effects of rates and of aileron and rudder. The numbers are samples of smooth functions of our own.
"""

import math

ALPHA = [math.radians(x) for x in range(-10, 50, 5)]
BETA = [math.radians(x) for x in range(-30, 31, 5)]
ELEVATOR = [math.radians(x) for x in (-24, -12, 0, 12, 24)]

BY_ELEVATOR = {
    'cx': lambda a, e: -0.02 + 0.12 * a * math.sin(2.2 * a) - 0.08 * (e - 0.6 * a) ** 2,
    'cm': lambda a, e: -0.02 - 0.25 * a * (1 - 0.6 * a) - 0.55 * e * math.cos(a),
}
BY_SIDESLIP = {
    'cz': lambda a, b: -0.05 - 3.6 * math.sin(a) * math.cos(a) ** 2 * math.cos(b) - 0.3 * a * a,
    'cl': lambda a, b: -0.10 * b * (0.5 + math.sin(2 * a + 0.3)),
    'cn': lambda a, b: 0.18 * b * math.cos(1.7 * a) - 0.05 * b ** 3,
    'cl_aileron': lambda a, b: -0.06 * math.cos(1.2 * a) * math.cos(b),
    'cl_rudder': lambda a, b: 0.02 * math.cos(1.5 * a) * math.cos(b),
    'cn_aileron': lambda a, b: 0.01 * math.sin(2 * a + 0.2) * math.cos(b),
    'cn_rudder': lambda a, b: -0.045 * math.cos(1.3 * a) * math.cos(b),
}
CURVES = {
    'cxq': lambda a: 1.2 * math.sin(2 * a + 0.3),
    'czq': lambda a: -25 - 8 * math.sin(2 * a),
    'cmq': lambda a: -5.2 - 1.5 * math.cos(3 * a),
    'cyp': lambda a: 0.1 * math.sin(3 * a),
    'cyr': lambda a: 0.8 - 0.6 * a,
    'clp': lambda a: -0.36 + 0.15 * a,
    'clr': lambda a: 0.1 + 0.25 * a,
    'cnp': lambda a: 0.02 - 0.2 * a,
    'cnr': lambda a: -0.38 - 0.1 * math.cos(2 * a),
}
FLIES = """inputs: {elevator: -0.035, aileron: 0.002, rudder: 0}
gravity: [0, 0, 9.80665]
air: {density: 0.9046, sound_speed: 328.6}
bodies:
  hull: {mass: 9300, inertia: [12875, 75674, 85552, 0, 1331, 0], velocity: [150, 0, 12]}
forces:
  air:
    type: aerodynamic
    body1: hull
    reference_area: 27.87
    reference_length: 3.45
    reference_span: 9.144
    axes: body
    coefficients:
      CX: cx(alpha, elevator) + cxq(alpha) * q_hat
      CY: -1.15 * beta + 0.05 * aileron + 0.09 * rudder + cyp(alpha) * p_hat + cyr(alpha) * r_hat
      CZ: cz(alpha, beta) - 0.4 * elevator + czq(alpha) * q_hat
      Cl: cl(alpha, beta) + cl_aileron(alpha, beta) * aileron + cl_rudder(alpha, beta) * rudder + clp(alpha) * p_hat + clr(alpha) * r_hat
      Cm: cm(alpha, elevator) + cmq(alpha) * q_hat
      Cn: cn(alpha, beta) + cn_aileron(alpha, beta) * aileron + cn_rudder(alpha, beta) * rudder + cnp(alpha) * p_hat + cnr(alpha) * r_hat
"""


def numbers(values):
    return '[' + ', '.join(f'{value:.10g}' for value in values) + ']'


def table(name, function, second):
    rows = ', '.join(numbers(function(a, x) for x in second) for a in ALPHA)
    return f'  {name}: {{axes: [{numbers(ALPHA)}, {numbers(second)}], values: [{rows}]}}'


def curve(name, function):
    return f'  {name}: {{type: linear, x: {numbers(ALPHA)}, y: {numbers(map(function, ALPHA))}}}'


def model(step, seconds):
    """The model file, flown by rk4 with a step in seconds."""
    lines = ['ironbird: 1', 'name: aircraft', 'tables:']
    lines += [table(name, function, ELEVATOR) for name, function in BY_ELEVATOR.items()]
    lines += [table(name, function, BETA) for name, function in BY_SIDESLIP.items()]
    lines += ['splines:'] + [curve(name, function) for name, function in CURVES.items()]
    return '\n'.join(lines) + '\n' + FLIES + (
        f'simulation: {{end: {seconds}, output_step: {seconds}, solver: rk4, step: {step}, '
        'record: ["hull.position.*"]}\n')
