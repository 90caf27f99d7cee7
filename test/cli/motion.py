"""FMUs for Model Exchange from test/fmus/motion*.c: built once a model and version, described to order."""
import os
import pathlib
import shutil
import subprocess

from cli_test import SOURCE
from fmu_test import FmuTest

COMPILER = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
MODELS = ["decay", "vdp", "ball", "robertson", "driven"]
STATES = {"decay": ["x"], "vdp": ["x", "v"], "ball": ["h", "v"], "robertson": ["y1", "y2", "y3"],
          "driven": ["x"]}
STARTS = {"decay": [1], "vdp": [2, 0], "ball": [1, 0], "robertson": [1, 0, 0], "driven": [0]}
INDICATORS = {"ball": 1, "driven": 2}
MODES = {name: i for i, name in enumerate(
    "good ticks pulse endless standing past nothing short end step_end step fail flat sizes".split())}
STEPS_WANTED = {"driven"}


class MotionTest(FmuTest):
    libraries = {}

    def setUp(self):
        super().setUp()
        if not COMPILER:
            self.skipTest("no C compiler")

    @classmethod
    def motion_library(cls, model, version):
        if (model, version) not in cls.libraries:
            target = pathlib.Path(f"motion{version}_{model}.so").absolute()
            subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", "-o", target,
                            f"-DMODEL={MODELS.index(model)}", "-I", SOURCE / "src/fmi/headers",
                            SOURCE / f"test/fmus/motion{version}.c", "-lm"], check=True)
            cls.libraries[model, version] = target.read_bytes()
        return cls.libraries[model, version]

    def motion(self, model, version=3, directional=False, dependencies=True, change=lambda text: text):
        """Writes MODEL.fmu."""
        text = (describe3 if version == 3 else describe2)(model, directional, dependencies)
        platform = "x86_64-linux" if version == 3 else "linux64"
        return self.fmu(f"{model}.fmu", change(text),
                        [(f"binaries/{platform}/motion.so", self.motion_library(model, version))])

    def simulate(self, model, *options, code=0):
        """Runs it by Model Exchange: what was printed, and the columns by name."""
        done = self.ironbird("run", f"{model}.fmu", "--kind", "me", "--out", "out", *options, code=code)
        header, rows = self.rows("out")
        return done, {name: [row[i] for row in rows] for i, name in enumerate(header)}


def describe3(model, directional, dependencies):
    states = STATES[model]
    flags = ' providesDirectionalDerivatives="true"' if directional else ""
    if model in STEPS_WANTED:
        flags += ' needsCompletedIntegratorStep="true"'
    variables, structure = [], []
    for i, (name, start) in enumerate(zip(states, STARTS[model])):
        variables.append(f'<Float64 name="{name}" valueReference="{1 + i}" causality="output" '
                         f'initial="exact" start="{start}"/>')
        variables.append(f'<Float64 name="der({name})" valueReference="{11 + i}" derivative="{1 + i}"/>')
        structure.append(f'<Output valueReference="{1 + i}"/>')
    known = f' dependencies="{" ".join(str(1 + i) for i in range(len(states)))}"' if dependencies else ""
    structure += [f'<ContinuousStateDerivative valueReference="{11 + i}"{known}/>'
                  for i in range(len(states))]
    structure += [f'<InitialUnknown valueReference="{11 + i}"/>' for i in range(len(states))]
    for i in range(INDICATORS.get(model, 0)):
        variables.append(f'<Float64 name="z{i}" valueReference="{61 + i}"/>')
        structure.append(f'<EventIndicator valueReference="{61 + i}"/>')
    outputs = '<Output valueReference="41"/><Output valueReference="42"/><Output valueReference="43"/>'
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="{model}" instantiationToken="{{motion}}">
  <ModelExchange modelIdentifier="motion"{flags}/>
  <DefaultExperiment startTime="0" stopTime="1" tolerance="1e-8" stepSize="0.1"/>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
    {''.join(variables)}
    <Float64 name="p0" valueReference="21" causality="parameter" variability="fixed" start="{PARAMETERS[model][0]}"/>
    <Float64 name="p1" valueReference="22" causality="parameter" variability="fixed" start="{PARAMETERS[model][1]}"/>
    <Float64 name="p2" valueReference="23" causality="parameter" variability="fixed" start="{PARAMETERS[model][2]}"/>
    <Float64 name="u" valueReference="31" causality="input" start="0"/>
    <Int32 name="ud" valueReference="32" causality="input" start="0"/>
    <Float64 name="y" valueReference="41" causality="output"/>
    <Int32 name="events" valueReference="42" causality="output"/>
    <Int32 name="steps" valueReference="43" causality="output"/>
    <Int32 name="mode" valueReference="51" causality="parameter" start="0"/>
  </ModelVariables>
  <ModelStructure>{outputs}{''.join(sorted(structure, key=ORDER))}</ModelStructure>
</fmiModelDescription>
"""


def ORDER(element):
    return ["<Out", "<Con", "<Ini", "<Eve"].index(element[:4])


PARAMETERS = {"decay": [1, 0, 0], "vdp": [1, 0, 0], "ball": [9.81, 0.7, 0], "robertson": [0, 0, 0],
              "driven": [0, 0, 0]}


def describe2(model, directional, dependencies):
    states = STATES[model]
    flags = ' providesDirectionalDerivative="true"' if directional else ""
    if model not in STEPS_WANTED:
        flags += ' completedIntegratorStepNotNeeded="true"'
    variables = ['<ScalarVariable name="time" valueReference="0" causality="independent" '
                 'variability="continuous"><Real/></ScalarVariable>']
    n = len(states)
    for i, (name, start) in enumerate(zip(states, STARTS[model])):
        variables.append(f'<ScalarVariable name="{name}" valueReference="{1 + i}" causality="output" '
                         f'initial="exact"><Real start="{start}"/></ScalarVariable>')
    for i, name in enumerate(states):
        variables.append(f'<ScalarVariable name="der({name})" valueReference="{11 + i}">'
                         f'<Real derivative="{2 + i}"/></ScalarVariable>')
    for i in range(3):
        variables.append(f'<ScalarVariable name="p{i}" valueReference="{21 + i}" causality="parameter" '
                         f'variability="fixed"><Real start="{PARAMETERS[model][i]}"/></ScalarVariable>')
    variables += [
        '<ScalarVariable name="u" valueReference="31" causality="input"><Real start="0"/></ScalarVariable>',
        '<ScalarVariable name="ud" valueReference="32" causality="input" variability="discrete">'
        '<Integer start="0"/></ScalarVariable>',
        '<ScalarVariable name="y" valueReference="41" causality="output"><Real/></ScalarVariable>',
        '<ScalarVariable name="events" valueReference="42" causality="output" variability="discrete">'
        '<Integer/></ScalarVariable>',
        '<ScalarVariable name="steps" valueReference="43" causality="output" variability="discrete">'
        '<Integer/></ScalarVariable>',
        '<ScalarVariable name="mode" valueReference="51" causality="parameter" variability="fixed">'
        '<Integer start="0"/></ScalarVariable>']
    known = f' dependencies="{" ".join(str(2 + i) for i in range(n))}"' if dependencies else ""
    outputs = [*range(2, 2 + n), 2 * n + 7, 2 * n + 8, 2 * n + 9]
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="{model}" guid="{{motion}}"
    numberOfEventIndicators="{INDICATORS.get(model, 0)}">
  <ModelExchange modelIdentifier="motion"{flags}/>
  <DefaultExperiment startTime="0" stopTime="1" tolerance="1e-8" stepSize="0.1"/>
  <ModelVariables>{''.join(variables)}</ModelVariables>
  <ModelStructure>
    <Outputs>{''.join(f'<Unknown index="{i}"/>' for i in outputs)}</Outputs>
    <Derivatives>{''.join(f'<Unknown index="{2 + n + i}"{known}/>' for i in range(n))}</Derivatives>
    <InitialUnknowns>{''.join(f'<Unknown index="{2 + n + i}"/>' for i in range(n))}</InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>
"""
