#!/usr/bin/env python3
"""The two benchmark families simulated by EXUDYN, one run per call:

    exudyn_bench.py chain|fourbar N SOLVER SETTING

prints one JSON line: version, CPU seconds of the solver call alone, and the observed point at 20
equally spaced times.

SOLVER is a model and an integrator joined by '+':
  planar  the fourbar of two-dimensional rigid bodies and revolute joints
  tree    the chain as one kinematic tree in minimal coordinates, three revolutes a ball joint
  bodies  the chain of free rigid bodies and spherical joints
with the implicit galpha (generalised alpha, index 3) and trapezoid (index 2), and for the tree the
explicit rk44, rk67, dopri5.
SETTING is a comma-separated list: steps=STEPS BETWEEN OUTPUTS, rho=SPECTRAL RADIUS,
newton=full|modified, tol=NEWTON TOLERANCE, linear=dense|eigen|sparse, rtol=TOLERANCE (dopri5 with
step control).
"""

import json
import math
import os
import sys
import time

import numpy

sys.exudynFast = True  # the build without range checks
import exudyn as exu  # noqa: E402
from exudyn.utilities import *  # noqa: E402,F403

POINTS = 20
GRAVITY = 9.81


def planar_fourbar(mbs, n):
    """Cranks and couplers as planar bodies; returns the sensor of the first crank's tip."""
    ground = mbs.AddObject(ObjectGround())
    inertia = 1 / 12

    def body(x, y, angle, velocity):
        node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[x, y, angle],
                                           initialVelocities=velocity))
        index = mbs.AddObject(ObjectRigidBody2D(mass=1, inertia=inertia, nodeNumber=node))
        mass_marker = mbs.AddMarker(MarkerBodyMass(bodyNumber=index))
        mbs.AddLoad(LoadMassProportional(markerNumber=mass_marker, loadVector=[0, -GRAVITY, 0]))
        return index

    def joint(body_a, point_a, body_b, point_b):
        markers = [mbs.AddMarker(MarkerBodyPosition(bodyNumber=b, localPosition=[*p, 0]))
                   for b, p in ((body_a, point_a), (body_b, point_b))]
        mbs.AddObject(RevoluteJoint2D(markerNumbers=markers))

    # all bodies lie along their own x axis; cranks point up and turn clockwise at 1 rad/s
    cranks = [body(i, 0.5, math.pi / 2, [0.5, 0, -1]) for i in range(n + 1)]
    for i, crank in enumerate(cranks):
        joint(ground, (i, 0), crank, (-0.5, 0))
    for i in range(n):
        coupler = body(i + 0.5, 1, 0, [1, 0, 0])
        joint(cranks[i], (0.5, 0), coupler, (-0.5, 0))
        joint(cranks[i + 1], (0.5, 0), coupler, (0.5, 0))
    return mbs.AddSensor(SensorBody(bodyNumber=cranks[0], localPosition=[0.5, 0, 0],
                                    outputVariableType=exu.OutputVariableType.Position,
                                    storeInternal=True, writeToFile=False))


# The chain hangs along -z of the link frames; the first frame is turned by -60 degrees about y.
LENGTH, MASS = 0.1, 0.1
LINK_INERTIA = [MASS * LENGTH**2 / 12, MASS * LENGTH**2 / 12, MASS * LENGTH**2 / 24]
START_TURN = -math.pi / 3
# 1 rad/s about the vertical, in the first link's frame
START_RATE = [math.sin(math.pi / 3), 0, math.cos(math.pi / 3)]


def start_rotation():
    cosine, sine = math.cos(START_TURN), math.sin(START_TURN)
    return numpy.array([[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]])


def tree_chain(mbs, n):
    """One kinematic tree: each ball joint is revolutes z, x, y with two massless links between."""
    types, offsets, turns, masses, centres, inertias = [], [], [], [], [], []
    identity, zero = numpy.eye(3), numpy.zeros((3, 3))
    for i in range(n):
        types += [exu.JointType.RevoluteZ, exu.JointType.RevoluteX, exu.JointType.RevoluteY]
        offsets += [[0, 0, -LENGTH if i else 0], [0, 0, 0], [0, 0, 0]]
        turns += [start_rotation() if i == 0 else identity, identity, identity]
        masses += [0, 0, MASS]
        centres += [[0, 0, 0], [0, 0, 0], [0, 0, -LENGTH / 2]]
        inertias += [zero, zero, numpy.diag(LINK_INERTIA)]
    size = 3 * n
    rates = [START_RATE[2], START_RATE[0], START_RATE[1]] + [0] * (size - 3)
    node = mbs.AddNode(NodeGenericODE2(numberOfODE2Coordinates=size,
                                       referenceCoordinates=[0] * size,
                                       initialCoordinates=[0] * size, initialCoordinates_t=rates))
    tree = mbs.AddObject(ObjectKinematicTree(
        nodeNumber=node, jointTypes=types, linkParents=list(range(-1, size - 1)),
        jointTransformations=exu.Matrix3DList(turns), jointOffsets=exu.Vector3DList(offsets),
        linkInertiasCOM=exu.Matrix3DList(inertias), linkCOMs=exu.Vector3DList(centres),
        linkMasses=masses, gravity=[0, 0, -GRAVITY]))
    return mbs.AddSensor(SensorKinematicTree(objectNumber=tree, linkNumber=size - 1,
                                             localPosition=[0, 0, -LENGTH],
                                             outputVariableType=exu.OutputVariableType.Position,
                                             storeInternal=True, writeToFile=False))


def body_chain(mbs, n):
    """Free rigid bodies and spherical joints."""
    sine, cosine = math.sin(math.pi / 3), math.cos(math.pi / 3)
    ground = mbs.AddObject(ObjectGround())
    previous, previous_point, last = ground, [0, 0, 0], None
    for i in range(n):
        distance = LENGTH * (i + 0.5)
        link = mbs.CreateRigidBody(
            inertia=RigidBodyInertia(mass=MASS, com=[0, 0, 0],
                                     inertiaTensor=numpy.diag(LINK_INERTIA)),
            referencePosition=[sine * distance, 0, -cosine * distance],
            referenceRotationMatrix=start_rotation(),
            initialVelocity=[0, sine * distance, 0], initialAngularVelocity=[0, 0, 1],
            gravity=[0, 0, -GRAVITY])
        markers = [mbs.AddMarker(MarkerBodyPosition(bodyNumber=b, localPosition=p))
                   for b, p in ((previous, previous_point), (link, [0, 0, LENGTH / 2]))]
        mbs.AddObject(SphericalJoint(markerNumbers=markers))
        previous, previous_point, last = link, [0, 0, -LENGTH / 2], link
    return mbs.AddSensor(SensorBody(bodyNumber=last, localPosition=previous_point,
                                    outputVariableType=exu.OutputVariableType.Position,
                                    storeInternal=True, writeToFile=False))


MODELS = {'planar': planar_fourbar, 'tree': tree_chain, 'bodies': body_chain}
SOLVERS = {
    'galpha': exu.DynamicSolverType.GeneralizedAlpha,
    'trapezoid': exu.DynamicSolverType.TrapezoidalIndex2,
    'rk44': exu.DynamicSolverType.RK44,
    'rk67': exu.DynamicSolverType.RK67,
    'dopri5': exu.DynamicSolverType.DOPRI5,
}

LINEAR_SOLVERS = {
    'dense': exu.LinearSolverType.EXUdense,
    'eigen': exu.LinearSolverType.EigenDense,
    'sparse': exu.LinearSolverType.EigenSparse,
}


def settings_for(integrator, setting, interval):
    """EXUDYN's settings from this program's; the step and the outputs are set with them."""
    settings = exu.SimulationSettings()
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = interval
    integration = settings.timeIntegration
    integration.verboseMode = 0
    integration.numberOfSteps = POINTS * int(setting.get('steps', 1))
    integration.endTime = POINTS * interval
    integration.automaticStepSize = 'rtol' in setting
    integration.adaptiveStep = False
    if 'rtol' in setting:
        integration.relativeTolerance = float(setting['rtol'])
        integration.absoluteTolerance = float(setting['rtol'])
        integration.initialStepSize = 1e-4
        integration.numberOfSteps = 1  # the largest step is the output interval
    integration.newton.useModifiedNewton = setting.get('newton', 'full') == 'modified'
    if 'tol' in setting:
        integration.newton.relativeTolerance = float(setting['tol'])
        integration.newton.absoluteTolerance = 1e-2 * float(setting['tol'])
    integration.generalizedAlpha.spectralRadius = float(setting.get('rho', 0.9))
    settings.linearSolver.solverType = LINEAR_SOLVERS[setting.get('linear', 'dense')]
    settings.parallel.numberOfThreads = 1
    return settings


def one_go(mbs, settings, solver_type, sensor, interval):
    """Fixed steps that meet the output times: one call of the solver, the sensor stores."""
    before = time.process_time()
    mbs.SolveDynamic(settings, solverType=solver_type)
    cpu = time.process_time() - before
    rows = {}
    for row in mbs.GetSensorStoredData(sensor).tolist():
        index = round(row[0] / interval)
        if abs(row[0] / interval - index) < 1e-9:
            rows[index] = row[:4]
    return cpu, [rows[i] for i in range(1, POINTS + 1)]


def segments(mbs, settings, solver_type, sensor, interval):
    """Steps of the solver's own choice: one call per output interval, each from the last's end."""
    cpu, points = 0, []
    for i in range(POINTS):
        settings.timeIntegration.startTime = i * interval
        settings.timeIntegration.endTime = (i + 1) * interval
        before = time.process_time()
        mbs.SolveDynamic(settings, solverType=solver_type, updateInitialValues=True)
        cpu += time.process_time() - before
        points.append([(i + 1) * interval, *mbs.GetSensorStoredData(sensor).tolist()[-1][1:4]])
    return cpu, points


def main():
    if len(sys.argv) != 5:
        print('usage: exudyn_bench.py chain|fourbar N SOLVER SETTING', file=sys.stderr)
        return 2
    case, n, solver, setting_text = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
    model, integrator = solver.split('+')
    setting = dict(pair.split('=') for pair in setting_text.split(','))
    interval = (5 if case == 'chain' else 10) / POINTS

    # the program's own output is one JSON line: what the library prints goes to standard error
    out = os.dup(1)
    os.dup2(2, 1)
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    sensor = MODELS[model](mbs, n)
    mbs.Assemble()
    settings = settings_for(integrator, setting, interval)
    run = segments if 'rtol' in setting else one_go
    cpu, points = run(mbs, settings, SOLVERS[integrator], sensor, interval)
    result = {'version': exu.__version__, 'case': case, 'n': n, 'solver': solver,
              'setting': setting_text, 'cpu_s': cpu, 'points': points}
    os.write(out, (json.dumps(result) + '\n').encode())
    return 0


if __name__ == '__main__':
    sys.exit(main())
