"""Models that cannot be read, assembled or run, as a table: (title, text, ID, words).

The mark ¦ in a text stands before the character that the first error must point at; it is taken out
before the program sees the file. A text without a mark has an error without a line. The IDs of
files that are read but fail while they run are in RUNNING.
"""

BODIES = """\
ironbird: 1
bodies:
  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}
  c: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}
"""
PENDULUM = """\
ironbird: 1
gravity: [0, 0, -9.81]
bodies:
  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}
joints:
  j: {type: revolute, body1: b, point: [0, 0, 0], axis: [0, 1, 0]}
"""
MEASURE = "measures: {x: {type: displacement, body1: b, component: x}}\n"
TWICE = ("measures:\n  x: {type: displacement, body1: b, component: x}\n"
         "  y: {type: displacement, body1: b, component: x, offset: initial}\n")


def body(keys):
    return f"ironbird: 1\nbodies: {{b: {{{keys}}}}}\n"


def bomb():
    lines = ["ironbird: 1", "x0: &x0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"x{i}: &x{i} [{', '.join([f'*x{i - 1}'] * 10)}]" for i in range(1, 5)]
    return "\n".join(lines + ["x5: [" + ", ".join(["*x4"] * 7 + ["¦*x4"] + ["*x4"] * 2) + "]", ""])


FORM = [
    ("tab before a key", BODIES + "joints:\n¦\tj: {type: fixed, body1: b}\n", "IB0202", "spaces"),
    ("tab after spaces", BODIES + "joints:\n  j:\n  ¦\ttype: fixed\n", "IB0202", "spaces"),
    ("brace not closed", BODIES + "joints: {j: {type: fixed\n¦", "IB0201", "missing"),
    ("quote not closed", BODIES + "name: 'x\n¦", "IB0201", "quote"),
    ("lines out of line", "ironbird: 1\nbodies:\n  b:\n    mass: 1\n   ¦inertia: [1, 1, 1]\n", "IB0201",
     "same column"),
    ("second document", BODIES + "¦---\nironbird: 1\n", "IB0208", "second document"),
    ("empty file", "¦", "IB0208", "nothing in this file"),
    ("blank lines", "¦ \n\n", "IB0208", "nothing in this file"),
    ("comments only", "¦# nothing\n", "IB0208", "nothing in this file"),
    ("a word", "¦hello\n", "IB0212", "bodies"),
    ("a list", "¦- a\n", "IB0212", "bodies"),
    ("null", "¦~\n", "IB0212", "bodies"),
    ("other version", BODIES.replace("1", "¦2", 1), "IB0219", "version 2"),
    ("tag", BODIES.replace("mass: 1", "mass: ¦!!float 1", 1), "IB0209", ""),
    ("unknown section", BODIES + "¦jionts: {}\n", "IB0210", "did you mean 'joints'"),
    ("unknown key", body("mass: 1, inertia: [1, 1, 1], ¦colour: red"), "IB0210", "mass, inertia"),
    ("no space after the colon", body("¦mass:1, inertia: [1, 1, 1]"), "IB0210", "space"),
    ("duplicate section", BODIES + "gravity: [0, 0, 1]\n¦gravity: [0, 0, 2]\n", "IB0203", "twice"),
    ("duplicate body", BODIES + "  ¦b: {mass: 1, inertia: [1, 1, 1]}\n", "IB0203", "twice"),
    ("duplicate key", body("mass: 1, ¦mass: 2, inertia: [1, 1, 1]"), "IB0203", "twice"),
    ("misplaced at the top", BODIES + "¦mass: 3\n", "IB0210", "key of body"),
    ("misplaced setting", BODIES + "¦end: 3\n", "IB0210", "key of simulation"),
    ("key of another type", BODIES + "forces: {f: {type: force, body1: b, value: [0, 0, 1], "
     "¦stiffness: 3}}\n", "IB0214", "spring_damper"),
    ("list for a map", BODIES + "joints: ¦[1, 2]\n", "IB0212", "map"),
    ("list for a number", body("mass: ¦[1], inertia: [1, 1, 1]"), "IB0212", "number"),
    ("true for a number", body("mass: ¦true, inertia: [1, 1, 1]"), "IB0212", "number"),
    ("word for a number", body("mass: ¦heavy, inertia: [1, 1, 1]"), "IB0407", "heavy"),
    ("number for a list", body("mass: 1, inertia: ¦3"), "IB0224", "3 or 6"),
    ("two coordinates", body("mass: 1, inertia: [1, 1, 1], position: ¦[1, 2]"), "IB0224", ""),
    ("number too large", body("mass: ¦1e999, inertia: [1, 1, 1]"), "IB0216", "finite"),
    ("not a number", body("mass: ¦.nan, inertia: [1, 1, 1]"), "IB0216", "finite"),
    ("infinite", body("mass: 1, inertia: [1, ¦.inf, 1]"), "IB0216", "finite"),
    ("unit of another kind", body("mass: 3 ¦m, inertia: [1, 1, 1]"), "IB0218", "length"),
    ("unknown unit", body("mass: 3 ¦stone, inertia: [1, 1, 1]"), "IB0217", "stone"),
    ("no bodies", "ironbird: 1\nbodies: ¦{}\n", "IB0211", "at least one body"),
    ("bodies of nothing", "ironbird: 1\nbodies:¦\n", "IB0211", "at least one body"),
    ("bodies missing", "¦ironbird: 1\n", "IB0211", "bodies"),
    ("mass missing", "ironbird: 1\nbodies: {¦b: {inertia: [1, 1, 1]}}\n", "IB0211", "mass"),
    ("not yet: a key", BODIES + "¦functions: {}\n", "IB0213", "not yet"),
    ("not yet: a type", BODIES + "forces: {f: {type: ¦tyre, body1: b}}\n", "IB0213", "not yet"),
    ("control character", BODIES + "name: a¦\x00b\n", "IB0221", "control character"),
    ("alias bomb", bomb(), "IB0205", "1000000"),
    ("alias of itself", "ironbird: 1\nbodies: &b {x: ¦*b}\n", "IB0206", "itself"),
    ("alias of nothing", "ironbird: 1\nbodies: ¦*b\n", "IB0206", "anchor"),
    ("100,000 brackets", "ironbird: 1\nbodies: " + "[" * 63 + "¦[" + "[" * 100000, "IB0207", "64"),
    ("100,000 dashes", "ironbird: 1\nbodies:\n  " + "- " * 63 + "¦- " + "- " * 100000, "IB0207", "64"),
    ("expression 10,000 deep", BODIES + "parameters: {a: " + "(" * 1000 + "¦(" + "(" * 8999 + "1" +
     ")" * 10000 + "}\n", "IB0406", "1000"),
    ("functions 10,000 deep", BODIES + "parameters: {a: " + "sin(" * 1000 + "sin¦(" + "sin(" * 8999 +
     "1" + ")" * 10000 + "}\n", "IB0406", "1000"),
    ("comma cuts an expression", PENDULUM + "measures: {a: {type: angle, body1: b, orientation: "
     "[1, 0, 0, 0]}}\ndrivers: {d: {measure: a, motion: ¦step(t, 0, 0, 1, 1)}}\n", "IB0204", "quote"),
]

NAMES = [
    ("no such body", BODIES + "joints: {j: {type: fixed, body1: ¦bb}}\n", "IB0312", "'bb'"),
    ("no such point", BODIES + "joints: {j: {type: spherical, body1: b, point: ¦hub}}\n", "IB0310",
     "'hub'"),
    ("no such frame", body("mass: 1, inertia: [1, 1, 1], orientation: ¦axle"), "IB0311", "'axle'"),
    ("no such spline", BODIES + "forces: {f: {type: expression_force, body1: b, body2: c, force: "
     "¦curve(length)}}\n", "IB0407", "'curve'"),
    ("no such table", BODIES + "forces: {f: {type: expression_force, body1: b, body2: c, force: "
     "'¦lift(length, 1)'}}\n", "IB0407", "'lift'"),
    ("no such measure", BODIES + "drivers: {d: {measure: ¦x, motion: 0}}\n", "IB0313", "'x'"),
    ("no such measure in an expression", BODIES + "outputs: {o: 2 * ¦x}\n", "IB0407", "'x'"),
    ("joint named as a body", BODIES + "joints: {¦b: {type: fixed, body1: b}}\n", "IB0301", "twice"),
    ("input named as a parameter", BODIES + "parameters: {x: 1}\ninputs: {¦x: 2}\n", "IB0301", "twice"),
    ("parameters in a circle", BODIES + "parameters: {¦p: q + 1, q: 2 * r, r: p}\n", "IB0305",
     "p -> q -> r -> p"),
    ("parameter of itself", BODIES + "parameters: {¦p: p}\n", "IB0305", "p -> p"),
    ("dot in a name", "ironbird: 1\nbodies: {¦a.b: {mass: 1, inertia: [1, 1, 1]}}\n", "IB0303", "letter"),
    ("space in a name", "ironbird: 1\nbodies: {¦a b: {mass: 1, inertia: [1, 1, 1]}}\n", "IB0303", "letter"),
    ("name of other letters", "ironbird: 1\nbodies: {¦Rad\u00fc: {mass: 1, inertia: [1, 1, 1]}}\n",
     "IB0303", "letter"),
    ("number as a name", "ironbird: 1\nbodies: {¦1: {mass: 1, inertia: [1, 1, 1]}}\n", "IB0303", "letter"),
    ("empty name", "ironbird: 1\nbodies: {¦'': {mass: 1, inertia: [1, 1, 1]}}\n", "IB0303", "letter"),
    ("ground declared", "ironbird: 1\nbodies: {¦ground: {mass: 1, inertia: [1, 1, 1]}}\n", "IB0302", ""),
    ("t declared", BODIES + "parameters: {¦t: 1}\n", "IB0302", ""),
    ("sin declared", BODIES + MEASURE.replace("x:", "¦sin:", 1), "IB0302", ""),
    ("joint to itself", BODIES + "joints: {j: {type: fixed, body1: b, body2: ¦b}}\n", "IB0318", "body1"),
    ("joint of the ground", BODIES + "joints:\n  ¦j: {type: fixed, body1: ground}\n", "IB0318", "ground"),
    ("name of 100,000 letters", BODIES + "joints: {j: {type: fixed, body1: ¦" + "n" * 100000 + "}}\n",
     "IB0312", "there is no body"),
]

GEARED = ("measures:\n  p: {type: angle, body1: b, orientation: [1, 0, 0, 0]}\n  q: {type: angle, body1: c, "
          "orientation: [1, 0, 0, 0]}\n  x: {type: displacement, body1: b, component: x}\n"
          "  r: {type: distance, body1: b}\n")

PHYSICS = [
    ("negative mass", body("mass: ¦-1, inertia: [1, 1, 1]"), "IB0601", "negative"),
    ("zero mass", "ironbird: 1\nbodies: {¦b: {mass: 0, inertia: [1, 1, 1]}}\n", "IB0631", "no mass"),
    ("zero inertia", "ironbird: 1\nbodies: {¦b: {mass: 1, inertia: [0, 0, 0]}}\n", "IB0631", "inertia"),
    ("massless between ball joints", BODIES.replace("b: {mass: 1, inertia: [1, 1, 1]",
                                                    "¦b: {mass: 0, inertia: [0, 0, 0]") +
     "joints:\n  j: {type: spherical, body1: b, point: [0, 0, 0]}\n"
     "  k: {type: spherical, body1: b, body2: c, point: [2, 0, 0]}\n", "IB0631", "b: "),
    ("inertia beyond the triangle", body("mass: 1, inertia: ¦[1, 1, 3]"), "IB0602", "1, 1, 3"),
    ("negative inertia", body("mass: 1, inertia: ¦[1, 1, -1]"), "IB0602", "negative"),
    ("products too large", body("mass: 1, inertia: ¦[1, 1, 1, 5, 0, 0]"), "IB0602", "negative"),
    ("inertia overflows", body("mass: 1e308, inertia: ¦[1e308, 1e308, 1e308]"), "IB0602", "finite"),
    ("quaternion not of unit length", body("mass: 1, inertia: [1, 1, 1], orientation: ¦[1, 1, 0, 0]"),
     "IB0603", "1.41421"),
    ("quaternion of zeros", body("mass: 1, inertia: [1, 1, 1], orientation: ¦[0, 0, 0, 0]"), "IB0603", "0"),
    ("axis without length", BODIES + "joints: {j: {type: revolute, body1: b, point: [0, 0, 0], axis: "
     "¦[0, 0, 0]}}\n", "IB0605", "zero length"),
    ("plane of parallel vectors", BODIES + "measures: {a: {type: angle, body1: b, vector: [0, 0, 1], "
     "plane: ¦[[1, 0, 0], [2, 0, 0]]}}\n", "IB0605", "parallel"),
    ("joint far apart", BODIES + "joints:\n  ¦j: {type: spherical, body1: b, point1: [2, 0, 0], point2: "
     "[50, 0, 0]}\n  k: {type: fixed, body1: b}\n", "IB0632", "cannot be assembled"),
    ("joint beyond the tolerance", BODIES.replace("b:", "¦b:", 1) + "joints: {j: {type: spherical, "
     "body1: b, point1: [2, 0, 0], point2: [5, 0, 0]}}\n", "IB0633", "assembly_tolerance"),
    ("frames at right angles", BODIES + "joints:\n  ¦j: {type: fixed, body1: b, orientation1: "
     "[1, 0, 0, 0], orientation2: {z: [0, 1, 0]}}\n", "IB0632", "cannot be assembled"),
    ("universal joint of parallel axes", BODIES + "joints:\n  ¦j: {type: universal, body1: b, point: "
     "[0, 0, 0], axis1: [0, 0, 1], axis2: [0, 0, 2]}\n", "IB0632", "cannot be assembled"),
    ("fixed joint turned over", BODIES + "joints:\n  ¦j: {type: fixed, body1: b, orientation1: "
     "[1, 0, 0, 0], orientation2: [0, 1, 0, 0]}\n", "IB0635", "180 deg"),
    ("generic joint turned over", BODIES + "joints:\n  ¦j: {type: generic, body1: b, lock: [rx, ry, rz], "
     "orientation1: [1, 0, 0, 0], orientation2: [0, 0, 0, 1]}\n", "IB0635", "180 deg"),
    ("hinge turned over", BODIES + "joints:\n  ¦j: {type: revolute, body1: b, point: [0, 0, 0], "
     "axis1: [0, 0, 1], axis2: [0, 0, -1]}\n", "IB0635", "180 deg"),
    ("planar joint turned over", BODIES + "joints:\n  ¦j: {type: planar, body1: b, point: [0, 0, 0], "
     "axis1: [0, 0, 1], axis2: [0, 0, -1]}\n", "IB0635", "180 deg"),
    ("drive that points back", BODIES + "joints:\n  ¦j: {type: constant_velocity, body1: b, point: "
     "[0, 0, 0], axis1: [0, 0, 1], axis2: [0, 1, -1]}\n", "IB0635", "90 deg or more"),
    ("friction where nothing slides", BODIES + "joints: {j: {type: spherical, body1: b, point: [0, 0, 0], "
     "¦friction: {mu: 0.1}}}\n", "IB0214", "revolute, cylindrical, prismatic"),
    ("friction of no radius", BODIES + "joints: {j: {type: revolute, body1: b, point: [0, 0, 0], axis: "
     "[0, 0, 1], friction: ¦{mu: 0.1}}}\n", "IB0211", "friction needs 'radius'"),
    ("friction that drives", BODIES + "joints: {j: {type: prismatic, body1: b, axis: [0, 0, 1], friction: "
     "{mu: ¦-0.1}}}\n", "IB0607", "negative"),
    ("friction as a number", BODIES + "joints: {j: {type: prismatic, body1: b, axis: [0, 0, 1], friction: "
     "¦0.1}}\n", "IB0212", "friction: {mu: 0.1}"),
    ("gear of a displacement", BODIES + GEARED + "joints: {j: {type: gear, measure1: ¦x, measure2: "
     "p, ratio: 2}}\n", "IB0319", "rack_pinion"),
    ("gear of a distance", BODIES + GEARED + "joints: {j: {type: gear, measure1: p, measure2: ¦r, "
     "ratio: 2}}\n", "IB0319", "type distance"),
    ("gear of one angle", BODIES + GEARED + "joints: {j: {type: gear, measure1: p, measure2: ¦p, "
     "ratio: 2}}\n", "IB0319", "already"),
    ("gear of no ratio", BODIES + GEARED + "joints: {j: {type: gear, measure1: p, measure2: q, "
     "ratio: ¦0}}\n", "IB0607", "not be 0"),
    ("rack turned round", BODIES + GEARED + "joints: {j: {type: rack_pinion, measure1: ¦p, measure2: "
     "q, radius: 2}}\n", "IB0319", "displacement here"),
    ("screw without pitch", BODIES + "joints: {j: {type: screw, body1: b, point: [0, 0, 0], axis: "
     "[0, 0, 1], pitch: ¦0}}\n", "IB0607", "not be 0"),
    ("screw turned over", BODIES + "joints:\n  ¦j: {type: screw, body1: b, point: [0, 0, 0], axis1: "
     "[0, 0, 1], axis2: [0, 0, -1], pitch: 1}\n", "IB0635", "180 deg"),
    ("rod without length", BODIES + "joints: {j: {type: distance, body1: b, point1: [1, 0, 0], point2: "
     "¦[1, 0, 0]}}\n", "IB0607", "spherical"),
    ("rod of negative length", BODIES + "joints: {j: {type: distance, body1: b, point1: [1, 0, 0], "
     "point2: [0, 0, 0], length: ¦-1}}\n", "IB0607", "more than zero"),
    ("output without a measure", BODIES + "outputs: {o: ¦2 * t}\n", "IB0316", "no measure"),
    ("driver starts elsewhere", BODIES + MEASURE + "drivers:\n  ¦d: {measure: x, motion: 3.5 + t}\n",
     "IB0636", r"3\.5, .* is 1 "),
    ("two drivers on one measure", BODIES + MEASURE + "drivers:\n  d: {measure: x, motion: 1}\n"
     "  e: {measure: ¦x, motion: 1}\n", "IB0317", "'d'"),
    ("two drivers on one freedom", BODIES + TWICE + "drivers:\n  d: {measure: x, motion: 1 + t}\n"
     "  ¦e: {measure: y, motion: t}\n", "IB0643", "'d'"),
    ("two drivers that differ", BODIES + TWICE + "drivers:\n  d: {measure: x, motion: 1 + t}\n"
     "  ¦e: {measure: y, motion: 2 * t}\n", "IB0643", "'d'"),
    ("driver against a joint", PENDULUM + "measures: {y: {type: displacement, body1: b, component: y}}\n"
     "drivers:\n  ¦d: {measure: y, motion: t}\n", "IB0643", "joints do not leave free"),
    ("driver of a velocity", BODIES + "measures: {v: {type: velocity, body1: b, component: x}}\n"
     "drivers: {d: {measure: ¦v, motion: t}}\n", "IB0315", "velocity"),
    ("motion of a measure", BODIES + MEASURE + "drivers: {d: {measure: x, motion: 1 + ¦x}}\n", "IB0413",
     "not of the state"),
    ("driver of a distance of nothing", BODIES + "measures: {r: {type: distance, body1: b, point1: "
     "[0, 0, 0]}}\ndrivers:\n  ¦d: {measure: r, motion: t}\n", "IB0643", ""),
    ("ramp backwards", BODIES + MEASURE + "drivers: {d: {measure: x, motion: t, ramp: ¦-1}}\n", "IB0607",
     "negative"),
    ("limits of an input", BODIES + "inputs: {¦u: {start: 3, min: 0, max: 1}}\n", "IB0606", ""),
    ("contact that starts inside", BODIES + "forces:\n  ¦f: {type: contact, body1: b, radius: 0.5, stiffness: "
     "1e5, point2: [0, 0, -0.3]}\n", "IB0644", r"f: it starts 0\.2 m deep"),
    ("contact with edges", BODIES + "tables: {edges: {axes: [[0, 1], [0, 1]], values: [[0, 0], [0, 1]]}}\n"
     "forces: {f: {type: contact, body1: b, stiffness: 1, surface: ¦edges}}\n", "IB0607", "type: cubic"),
    ("contact with no table", BODIES + "forces: {f: {type: contact, body1: b, stiffness: 1, surface: ¦hill}}\n",
     "IB0330", "no table 'hill'"),
    ("rotor that spins twice", BODIES + "forces: {f: {type: rotor, body1: b, axis: [0, 0, 1], speed: 1, "
     "k_thrust: 1, spin: ¦2}}\n", "IB0607", "neither 1 nor -1"),
    ("buoyancy without gravity", BODIES + "forces: {¦f: {type: buoyancy, body1: b, volume: 1, density: 1}}\n",
     "IB0214", "without 'gravity'"),
    ("bushing that is not symmetric", BODIES + "forces: {f: {type: bushing, body1: b, point: [0, 0, 0], "
     "stiffness: ¦[[1, 2, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], "
     "[0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]}}\n", "IB0607", "not symmetric"),
    ("bushing of three numbers", BODIES + "forces: {f: {type: bushing, body1: b, point: [0, 0, 0], "
     "stiffness: ¦[1, 2, 3]}}\n", "IB0224", "6 numbers"),
    ("torsion spring without an axis", BODIES + "forces: {¦f: {type: torsion_spring, body1: b, stiffness: "
     "3}}\n", "IB0211", "'axis'"),
    ("motor named like a measure", BODIES + MEASURE + "forces: {¦x: {type: motor, command: 1, tau_up: 1}}\n",
     "IB0301", "used twice"),
    ("motor without time", BODIES + "forces: {m: {type: motor, command: 1, tau_up: ¦0}}\n", "IB0607",
     "greater than 0"),
    ("motor in a motion", BODIES + MEASURE + "forces: {m: {type: motor, command: 1, tau_up: 1}}\n"
     "drivers: {d: {measure: x, motion: ¦m}}\n", "IB0413", "not of the state"),
    ("acceleration in a force", BODIES + "measures: {a: {type: acceleration, body1: b, component: x}}\n"
     "forces: {f: {type: force, body1: b, value: [¦a, 0, 0]}}\n", "IB0413", ""),
]

SIMULATION = [
    (f"simulation: {before}{value}", BODIES + f"simulation: {{{before}¦{value}}}\n", identity, words)
    for before, value, identity, words in [
        ("end: ", "0", "IB0607", "1 ns"), ("end: ", "-1", "IB0607", "1 ns"),
        ("end: ", "1e308", "IB0607", "1 ns"), ("end: ", "1e-10", "IB0607", "1 ns"),
        ("end: ", "soon", "IB0407", "soon"), ("end: 5 ", "m", "IB0218", "length"),
        ("output_step: ", "0", "IB0607", "1 ns"), ("output_step: ", "-1", "IB0607", "1 ns"),
        ("output_step: ", "1e-12", "IB0607", "1 ns"), ("rtol: ", "0", "IB0607", "between 0 and 1"),
        ("rtol: ", "1e-30", "IB0607", "least is 1e-14"),
        ("solver: stiff, rtol: ", "1e-13", "IB0607", "least is 1e-12 with solver: stiff"),
        ("rtol: ", "1", "IB0607", "between 0 and 1"), ("rtol: ", "-1", "IB0607", "between 0 and 1"),
        ("atol: ", "0", "IB0607", "greater than 0"), ("solver: rk4, step: ", "0", "IB0607", "1 ns"),
        ("solver: rk4, step: ", "-1", "IB0607", "1 ns"), ("solver: ", "rk45", "IB0215", "'rk4'"),
        ("solver: rk4, step: ", "adaptive", "IB0607", "error control"), ("rho_infinity: ", "2", "IB0607", "0 and 1"),
        ("alpha: ", "0.3", "IB0607", "and 0"), ("assembly_tolerance: ", "-1", "IB0607", "greater than 0"),
    ]]

# The first error of a run that starts: exit code 3, rows up to there are kept. A number instead of
# the mark is the least count of rows.
RUNNING = [
    ("log of a negative", BODIES + MEASURE + "forces: {f: {type: expression_force, body1: b, axis: "
     "[1, 0, 0], force: ¦log(0.5 - t) + x}}\nsimulation: {end: 1}\n", "IB0701", r"f: .* t = 0\.5.* log of", 40),
    ("division by zero", BODIES + MEASURE + "forces: {f: {type: force, body1: b, value: [0, 1, "
     "¦1 / (0.5 - t) + x]}}\nsimulation: {end: 1, solver: rk4}\n", "IB0701", r"t = 0\.5 s: 1 / 0", 40),
    ("root in an output", BODIES + MEASURE + "outputs: {o: ¦sqrt(0.5 - t) + x}\nsimulation: {end: 1}\n",
     "IB0701", "o: .*sqrt of -", 40),
    ("root in a motor's command", BODIES + "forces: {m: {type: motor, command: ¦sqrt(0.5 - t), tau_up: 1}}\n"
     "simulation: {end: 1}\n", "IB0701", "m: .*sqrt of -", 40),
    ("root in a motor's command, implicit", BODIES + "forces: {m: {type: motor, command: ¦sqrt(0.5 - t), "
     "tau_up: 1}}\nsimulation: {end: 1, solver: hht}\n", "IB0701", "m: .*sqrt of -", 40),
    ("root in a motion", BODIES + MEASURE + "drivers: {d: {measure: x, motion: ¦1 + sqrt(t)}}\n", "IB0701",
     "d: .* t = 0 s", 0),
    ("step too large, implicit", PENDULUM.replace("9.81", "981").replace("j:", "¦j:") +
     "simulation: {solver: generalized_alpha, step: 0.5, output_step: 0.5}\n", "IB0705", "smaller", 1),
    ("step too large, explicit", BODIES.replace("b:", "¦b:", 1) + "forces: {f: {type: spring_damper, "
     "body1: b, stiffness: 1e9, damping: 10, free_length: 0.5}}\n"
     "simulation: {solver: rk4, step: 0.1, output_step: 0.1}\n", "IB0705", "smaller", 2),
    ("motion without bounds", BODIES.replace("b:", "¦b:", 1) + MEASURE + "forces: {f: {type: "
     "expression_force, body1: b, axis: [1, 0, 0], force: exp(x)}}\n", "IB0704", "b: .* t = ", 2),
    ("motion without bounds, implicit", BODIES.replace("b:", "¦b:", 1) + MEASURE + "forces: {f: {type: "
     "expression_force, body1: b, axis: [1, 0, 0], force: exp(x)}}\n"
     "simulation: {solver: generalized_alpha}\n", "IB0705", "b: ", 2),
    ("motion without bounds, fixed steps", BODIES + MEASURE + "forces: {f: {type: expression_force, "
     "body1: b, axis: [1, 0, 0], force: ¦x * x * x}}\nsimulation: {solver: rk4}\n", "IB0701", "f: ", 2),
    ("driver that jumps", PENDULUM + "measures: {a: {type: angle, body1: b, orientation: {z: [0, 1, 0]}}}\n"
     "drivers:\n  ¦d: {measure: a, motion: 'step(t, 0.5, 0, 0.5, 1, \"hard\")'}\nsimulation: {end: 1}\n",
     "IB0704", r"d: .* 0\.5 s.* jump", 40),
    ("rotor without a speed", BODIES + "forces: {f: {type: rotor, body1: b, axis: [0, 0, 1], speed: "
     "¦sqrt(0.5 - t), k_thrust: 1}}\nsimulation: {end: 1}\n", "IB0701", "f: .*sqrt of -", 40),
    ("bushing turned round", BODIES.replace("position: [1, 0, 0]", "angular_velocity: [0, 0, 4]", 1) +
     "forces:\n  ¦f: {type: bushing, body1: b, point: [0, 0, 0], stiffness: [9, 9, 9, 0.1, 0.1, 0.1]}\n",
     "IB0709", r"f: .* t = 0\.7.* 168 degrees", 40),
    ("force without a direction", BODIES + "forces:\n  ¦f: {type: spring_damper, body1: b, point1: "
     "[0, 0, 0], stiffness: 100, free_length: 1}\n", "IB0702", "f: .* coincide at t = 0 s", 0),
    ("constant force without a direction", BODIES + "forces:\n  ¦f: {type: expression_force, body1: b, "
     "point1: [0, 0, 0], force: 3}\n", "IB0702", "f: .* coincide at t = 0 s", 0),
    ("rate of a distance of nothing", BODIES + "measures: {¦r: {type: distance_rate, body1: b, point1: "
     "[0, 0, 0]}}\noutputs: {o: r}\n", "IB0707", "r: .* t = 0 s .*coincide", 0),
    ("rate of a distance of nothing in a law", BODIES + "measures: {¦r: {type: distance_rate, body1: b, "
     "point1: [0, 0, 0]}}\nforces: {f: {type: force, body1: b, value: [r, 0, 0]}}\n", "IB0707",
     "r: .* t = 0 s .*coincide", 0),
    ("angle of a vector along its axis", BODIES + "measures: {¦a: {type: angle, body1: b, vector: "
     "[0, 0, 1], plane: [[1, 0, 0], [0, 1, 0]]}}\noutputs: {o: a}\n", "IB0707", "a: .* t = 0 s .*along", 0),
    ("rate of an angle along its axis", BODIES + "measures: {¦a: {type: angular_rate, body1: b, vector: "
     "[0, 0, 1], plane: [[1, 0, 0], [0, 1, 0]]}}\noutputs: {o: a}\n", "IB0707", "a: .* t = 0 s", 0),
    ("channel that overflows", BODIES.replace("position", "velocity: [1e200, 0, 0], position") +
     "simulation: {record: ['energy.kinetic']}\n", "IB0708", "energy.kinetic", 0),
    ("gravity of 1e308", BODIES + "gravity: [0, 0, 1e308]\n", "IB0708", "b.position.z", 1),
    ("friction that jams", "ironbird: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
     "  b: {mass: 0.1, inertia: [1, 1, 1], velocity: [0.1, 0, 0]}\n"
     "  c: {mass: 10, inertia: [1, 1, 1], position: [0.3, 0, 0.3], velocity: [0.1, 0, 0]}\njoints:\n"
     "  ¦rail: {type: prismatic, body1: b, axis: [1, 0, 0], friction: {mu: 1.5}}\n"
     "  face: {type: prismatic, body1: c, body2: b, axis: [1, 0, 1]}\n", "IB0718",
     "rail: at t = 0 s its friction cannot be resolved", 0),
]

# What looks strange and is fine: the run ends with exit code 0.
FINE = [
    ("output_step beyond the end", BODIES + "simulation: {end: 1, output_step: 20}\n", 2),
    ("step beyond the end", BODIES + "simulation: {end: 1, output_step: 1, solver: rk4, step: 5}\n", 2),
    ("step beyond the end, implicit", BODIES + "simulation: {end: 1, output_step: 1, "
     "solver: generalized_alpha, step: 5}\n", 2),
    ("output_step that does not divide the end", BODIES + "simulation: {end: 1, output_step: 0.3}\n", 5),
    ("no gravity, joints or forces", BODIES + "simulation: {end: 0.1}\n", 11),
    ("sections of nothing", BODIES + "joints:\nforces:\nmeasures:\nsimulation: {end: 0.1}\n", 11),
    ("spring of coincident points", BODIES + "forces: {f: {type: spring_damper, body1: b, point1: "
     "[0, 0, 0], stiffness: 100, damping: 3}}\nsimulation: {end: 0.1}\n", 11),
    ("rate of nothing behind a condition", BODIES + "measures: {r: {type: distance_rate, body1: b, "
     "point1: [0, 0, 0]}}\noutputs: {o: 'if_else(t > 9, r, 0)'}\nsimulation: {end: 0.1}\n", 11),
    ("10,000 terms", BODIES + MEASURE + "outputs: {o: " + " + ".join(["x"] * 10000) +
     "}\nsimulation: {end: 0.1}\n", 11),
    ("10,000 minus signs", BODIES + "parameters: {p: \"" + "-" * 10000 + "1\"}\nsimulation: {end: 0.1}\n", 11),
    ("name of 100 letters", "ironbird: 1\nbodies: {" + "n" * 100 + ": {mass: 1, inertia: [1, 1, 1]}}\n"
     "simulation: {end: 0.1}\n", 11),
    ("model named in other letters", BODIES + "name: '\u00c4rger \U0001f680 \"x\"'\nsimulation: {end: 0.1}\n", 11),
    ("body far away", BODIES.replace("[1, 0, 0]", "[1e200, 0, 0]") + "simulation: {end: 0.1}\n", 11),
    ("massless body that is held", BODIES.replace("b: {mass: 1, inertia: [1, 1, 1]",
                                                  "b: {mass: 0, inertia: [0, 0, 0]") +
     "gravity: [0, 0, -9.81]\njoints:\n  j: {type: fixed, body1: b, body2: c}\n"
     "  k: {type: revolute, body1: b, point: [0, 0, 0], axis: [0, 1, 0]}\nsimulation: {end: 0.1}\n", 11),
    ("massless cross of a cardan joint", BODIES.replace("b: {mass: 1, inertia: [1, 1, 1]",
                                                        "b: {mass: 0, inertia: [0, 0, 0]") +
     "gravity: [0, 0, -9.81]\njoints:\n  j: {type: revolute, body1: b, point: [1, 0, 0], axis: [0, 1, 0]}\n"
     "  k: {type: revolute, body1: c, body2: b, point: [1, 0, 0], axis: [0, 0, 1]}\nsimulation: {end: 0.1}\n",
     11),
    ("star of 100 joints", "ironbird: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
     "  hub: {mass: 10, inertia: [1, 1, 1]}\n" +
     "".join(f"  b{i}: {{mass: 1, inertia: [1, 1, 1], position: [{i + 1}, 0, 0]}}\n" for i in range(100)) +
     "joints:\n" + "".join(f"  j{i}: {{type: revolute, body1: b{i}, body2: hub, point: [{i / 10}, 0, 0], "
                           "axis: [0, 1, 0]}\n" for i in range(100)) + "simulation: {end: 0.1}\n", 11),
    ("mechanisms apart from each other", "ironbird: 1\ngravity: [0, 0, -9.81]\nbodies:\n" +
     "".join(f"  b{i}: {{mass: 1, inertia: [1, 1, 1], position: [{i + 1}, 0, 0]}}\n" for i in range(20)) +
     "joints:\n" + "".join(f"  j{i}: {{type: revolute, body1: b{i}, point: [{i}, 0, 0], axis: [0, 1, 0]}}\n"
                           for i in range(0, 20, 2)) + "simulation: {end: 0.1}\n", 11),
    ("10,000 bodies", "ironbird: 1\nbodies:\n" + "".join(
        f"  b{i}: {{mass: 1, inertia: [1, 1, 1], position: [{i}, 0, 0]}}\n" for i in range(10000)) +
     "simulation: {end: 0.01, record: ['b9999.*']}\n", 2),
    ("both ends of a line: CR LF", BODIES.replace("\n", "\r\n") + "simulation: {end: 0.1}\r\n", 11),
    ("byte order mark", "\ufeff" + BODIES + "simulation: {end: 0.1}\n", 11),
]
