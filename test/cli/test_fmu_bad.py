"""FMUs that answer badly: every status from every call, functions that are missing, libraries with
libraries, sizes that cannot be."""
import os
import shutil
import subprocess
import unittest

from cli_test import SOURCE
from fmu_test import FmuTest

COMPILER = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
PLATFORM = f"{os.uname().machine}-linux"

DESCRIPTION3 = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Status" instantiationToken="{{}}">
  <CoSimulation modelIdentifier="status" canHandleVariableCommunicationStepSize="true"/>
  <DefaultExperiment startTime="0" stopTime="1" stepSize="0.25"/>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
    <Float64 name="u" valueReference="1" causality="input" start="0"/>
    <Float64 name="y" valueReference="2" causality="output"/>{more}
  </ModelVariables>
  <ModelStructure><Output valueReference="2"/></ModelStructure>
</fmiModelDescription>
"""
DESCRIPTION2 = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Status" guid="{}">
  <CoSimulation modelIdentifier="status" canHandleVariableCommunicationStepSize="true"/>
  <DefaultExperiment startTime="0" stopTime="1" stepSize="0.25"/>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="1" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="y" valueReference="2" causality="output"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="2"/></Outputs>
    <InitialUnknowns><Unknown index="2"/></InitialUnknowns></ModelStructure>
</fmiModelDescription>
"""


class BadTest(FmuTest):
    def setUp(self):
        super().setUp()
        if not COMPILER:
            self.skipTest("no C compiler")

    def compile(self, name, source, *flags):
        target = self.folder / name
        subprocess.run([COMPILER, "-shared", "-fPIC", "-o", target, "-I",
                        SOURCE / "src/fmi/headers", source, *flags], check=True)
        content = target.read_bytes()
        target.unlink()
        return content

    def make(self, *flags, version=3, others=(), more=""):
        library = self.compile("status.so", SOURCE / "test/fmus/status.c", f"-DVERSION={version}",
                               *flags)
        platform = PLATFORM if version == 3 else PLATFORM.replace("x86_64-linux", "linux64")
        description = DESCRIPTION3.format(more=more) if version == 3 else DESCRIPTION2
        self.fmu("status.fmu", description, [
            (f"binaries/{platform}/status.so", library),
            *((f"binaries/{platform}/{name}", content) for name, content in others)])

    def run_fmu(self, *options, code=0):
        return self.ironbird("run", "status.fmu", "--out", "out", *options, code=code)


class EveryStatus(BadTest):
    CALLS = {3: ["EnterInitializationMode", "ExitInitializationMode", "SetFloat64", "GetFloat64", "DoStep",
                 "Terminate"],
             2: ["SetupExperiment", "EnterInitializationMode", "ExitInitializationMode", "SetReal",
                 "GetReal", "DoStep", "Terminate"]}

    def test_every_call(self):
        self.write("in.csv", "time,u\n0,1\n1,2\n")
        for version, calls in self.CALLS.items():
            for call in calls:
                # 0 OK, 1 Warning, 3 Error, 4 Fatal, 9: there is no such status.
                for status, word, code in [(1, "1 call|calls returned Warning", 0),
                                           (3, "returned Error", 3), (4, "returned Fatal", 3),
                                           (9, "returned a status that does not exist", 3)]:
                    if call == "Terminate" and code:
                        continue  # see test_terminate
                    with self.subTest(version=version, call=call, status=status):
                        self.make(f"-DFAIL={call}", f"-DSTATUS={status}", version=version)
                        done = self.run_fmu("--input", "in.csv", code=code)
                        if call == "Terminate":
                            continue
                        self.assertRegex(done.stderr, word)
                        self.assertIn("Status", done.stderr)
                        if code:
                            self.assertRegex(done.stderr, rf"fmi{version}{call} {word} at t = 0 s")

    def test_rows_are_kept(self):
        for version, call in ((3, "GetFloat64"), (2, "GetReal"), (3, "DoStep"), (2, "DoStep")):
            self.make(f"-DFAIL={call}", "-DSTATUS=3", "-DWHEN=3", version=version)
            done = self.run_fmu(code=3)
            self.assertRegex(done.stderr, rf"fmi{version}{call} returned Error at t = 0.5 s")
            rows = self.rows("out")[1]
            self.assertEqual([row[0] for row in rows], [0, 0.25, 0.5][:3 if call == "DoStep" else 2])

    def test_terminate(self):
        # All rows are there, but a run whose end fails has failed.
        for version in (2, 3):
            for status, word in ((3, "Error"), (4, "Fatal")):
                self.make("-DFAIL=Terminate", f"-DSTATUS={status}", version=version)
                done = self.run_fmu(code=3)
                self.assertIn(f"fmi{version}Terminate returned {word} at t = 1 s", done.stderr)
                self.assertEqual(len(self.rows("out")[1]), 5)


class Libraries(BadTest):
    def test_missing_functions_are_named(self):
        self.make("-DWITHOUT_STEP")
        self.assertIn("the library of status lacks fmi3DoStep [IB1032]", self.run_fmu(code=3).stderr)
        self.make("-DWITHOUT_STEP", "-DWITHOUT_INSTANTIATE")
        self.assertIn("lacks fmi3InstantiateCoSimulation, fmi3DoStep", self.run_fmu(code=3).stderr)

    def test_libraries_beside_the_main_one(self):
        helper_c = self.write("helper.c", "double helper(void) { return 1; }\n")
        deeper_c = self.write("deeper.c", "double deeper(void) { return 1; }\n")
        deeper = self.compile("libdeeper.so", deeper_c, "-Wl,-soname,libdeeper.so")
        (self.folder / "libdeeper.so").write_bytes(deeper)
        helper_c.write_text("double deeper(void);\ndouble helper(void) { return deeper(); }\n")
        helper = self.compile("libhelper.so", helper_c, "-Wl,-soname,libhelper.so",
                              f"-L{self.folder}", "-ldeeper")
        (self.folder / "libhelper.so").write_bytes(helper)
        flags = ["-DNEEDS_HELPER", f"-L{self.folder}", "-lhelper", "-Wl,-rpath-link", self.folder]
        self.make(*flags, others=[("libhelper.so", helper), ("libdeeper.so", deeper)])
        self.run_fmu()
        self.run_fmu("--isolate")
        self.make(*flags)
        done = self.run_fmu(code=3)
        self.assertRegex(done.stderr, "cannot be loaded: libhelper.so: cannot open shared object")


class Sizes(BadTest):
    def test_sizes_that_cannot_be(self):
        for size in ("5000000000", "18446744073709551615", "0"):
            self.make(more=f'\n    <Float64 name="big" valueReference="3" causality="parameter" '
                      f'start="1"><Dimension start="{size}"/></Float64>')
            done = self.ironbird("check", "status.fmu", code=1)
            self.assertRegex(done.stderr, r"modelDescription.xml:9:\d+: error: .*\[IB1023\]")
        # An array without elements is no reason not to run; one that fits into no memory is.
        self.run_fmu()
        self.make(more='\n    <Float64 name="big" valueReference="3" causality="parameter" start="1">'
                  '<Dimension start="5000000000"/></Float64>')
        self.ironbird("run", "status.fmu", "--out", "other", code=2)

    def test_two_sizes_whose_product_overflows(self):
        self.make(more='\n    <Float64 name="big" valueReference="3" causality="parameter" start="1">'
                  '<Dimension start="4294967296"/><Dimension start="4294967296"/></Float64>')
        done = self.ironbird("check", "status.fmu", code=1)
        self.assertIn("[IB1023]", done.stderr)


if __name__ == "__main__":
    unittest.main()
