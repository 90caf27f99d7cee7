"""What the tests of FMUs share: descriptions and archives to order."""
import pathlib
import zipfile

from cli_test import CliTest

DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Tank" instantiationToken="{1}"
    description="a tank" generationTool="by hand">
  <ModelExchange modelIdentifier="tank" needsCompletedIntegratorStep="true"/>
  <CoSimulation modelIdentifier="tank" canGetAndSetFMUState="true"
      canHandleVariableCommunicationStepSize="true"/>
  <UnitDefinitions><Unit name="m3"><BaseUnit m="3"/></Unit></UnitDefinitions>
  <DefaultExperiment startTime="0" stopTime="2" stepSize="0.5"/>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
    <Float64 name="V" valueReference="1" causality="output" initial="exact" unit="m3" start="1"/>
    <Float64 name="der(V)" valueReference="2" derivative="1"/>
    <Float64 name="accel" valueReference="3" causality="parameter" start="0 0 9.81">
      <Dimension start="3"/></Float64>
  </ModelVariables>
  <ModelStructure>
    <Output valueReference="1"/>
    <ContinuousStateDerivative valueReference="2"/>
    <InitialUnknown valueReference="2"/>
  </ModelStructure>
</fmiModelDescription>
"""


class FmuTest(CliTest):
    """Temporary folders of FMUs go into one that must be empty at the end."""

    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "tmp a b#c%20ü"
        self.temporary.mkdir()

    def tearDown(self):
        self.assertEqual(list(self.temporary.iterdir()), [], "temporary folders are left")
        super().tearDown()

    def ironbird(self, *arguments, code=0, env=None, **options):
        environment = {"TMPDIR": str(self.temporary), **(env or {})}
        if code == 3:  # after Fatal an instance must not be freed, so what it allocated is lost
            environment.setdefault("ASAN_OPTIONS", "detect_leaks=0")
        return super().ironbird(*arguments, code=code, env=environment, **options)

    def archive(self, name, entries, compression=zipfile.ZIP_DEFLATED):
        """Writes an archive; entries are (name or ZipInfo, content)."""
        path = self.folder / name
        with zipfile.ZipFile(path, "w", compression) as file:
            for entry, content in entries:
                file.writestr(entry, content, compress_type=compression)
        return path

    def fmu(self, name="tank.fmu", description=DESCRIPTION, others=(), **options):
        return self.archive(name, [("modelDescription.xml", description), *others], **options)
