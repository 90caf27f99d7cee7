"""`ironbird fmu info` and `fmu check`: archives and descriptions, good and bad."""
import json
import os
import stat
import struct
import unittest
import warnings
import zipfile
import zlib

from cli_test import OSCILLATOR
from fmu_test import DESCRIPTION, FmuTest


class Info(FmuTest):
    def test_info(self):
        self.fmu()
        text = self.ironbird("fmu", "info", "tank.fmu").stdout
        for line in ("FMU: Tank, FMI 3.0", "Model Exchange: yes, tank", "Scheduled Execution: no",
                     "canGetAndSetFMUState", "default experiment: start 0, stop 2, step 0.5",
                     "continuous states: 1"):
            self.assertIn(line, text)
        self.assertNotIn("canSerializeFMUState", text)
        self.assertRegex(text, r"V +output +continuous +Float64 +m3 +1\n")
        self.assertRegex(text, r"accel +parameter +fixed +Float64\[3\] +0 0 9.81\n")

    def test_json(self):
        self.fmu()
        about = json.loads(self.ironbird("fmu", "info", "tank.fmu", "--json").stdout)
        self.assertEqual((about["name"], about["fmi"], about["states"]), ("Tank", "3.0", 1))
        self.assertIsNone(about["kinds"]["Scheduled Execution"])
        self.assertIs(about["kinds"]["Co-Simulation"]["canGetAndSetFMUState"], True)
        self.assertIs(about["kinds"]["Co-Simulation"]["hasEventMode"], False)
        self.assertIsNone(about["kinds"]["Co-Simulation"]["fixedInternalStepSize"])
        self.assertEqual(about["default_experiment"],
                         {"start": 0, "stop": 2, "step": 0.5, "tolerance": None})
        by_name = {variable["name"]: variable for variable in about["variables"]}
        self.assertEqual(by_name["accel"]["shape"], [3])
        self.assertEqual(by_name["V"]["unit"], "m3")
        self.assertEqual(by_name["der(V)"]["initial"], "calculated")

    def test_findings_are_warnings_to_info_and_errors_to_check(self):
        self.fmu(description=DESCRIPTION.replace('unit="m3"', 'unit="l"'))
        self.assertIn("warning: the unit 'l'", self.ironbird("fmu", "info", "tank.fmu").stderr)
        done = self.ironbird("fmu", "check", "tank.fmu", code=1)
        self.assertRegex(done.stderr, r"tank.fmu/modelDescription.xml:11:\d+: error: the unit 'l'")
        self.assertIn("^", done.stderr)

    def test_check(self):
        self.fmu()
        self.assertEqual(self.ironbird("fmu", "check", "tank.fmu").stdout,
                         "tank.fmu: ok (FMI 3.0, 4 variables)\n")
        self.fmu("bad.fmu", DESCRIPTION.replace('"{1}"', '"{1}" colour="red"'))
        answer = json.loads(self.ironbird("fmu", "check", "tank.fmu", "bad.fmu", "--json",
                                          code=1).stdout)
        self.assertEqual([file["ok"] for file in answer["files"]], [True, False])
        self.assertEqual(answer["files"][1]["diagnostics"][0]["line"], 2)


class Diff(FmuTest):
    def diff(self, changed, *options, code=1):
        self.fmu("a.fmu")
        self.fmu("b.fmu", changed)
        return self.ironbird("fmu", "diff", "a.fmu", "b.fmu", *options, code=code).stdout

    def test_same(self):
        # What changes with every export does not count.
        text = self.diff(DESCRIPTION.replace("{1}", "{2}").replace("by hand", "by foot"), code=0)
        self.assertEqual(text, "no difference\n")

    def test_differences(self):
        for before, after, message in [
                ('fmiVersion="3.0"', 'fmiVersion="3.0.1"', "fmu, FMI version: 3.0 -> 3.0.1"),
                ('needsCompletedIntegratorStep="true"', "",
                 "kind Model Exchange, needsCompletedIntegratorStep: true -> false"),
                ('stopTime="2"', 'stopTime="3"', "default experiment, stop: 2 -> 3"),
                ('<BaseUnit m="3"/>', '<BaseUnit m="3" factor="1e-3"/>',
                 "unit m3, in base units: m3 factor 1 offset 0 -> m3 factor 0.001 offset 0"),
                ('unit="m3" start="1"', 'start="1"', "variable V, unit: m3 -> (none)"),
                ('start="0 0 9.81"', 'start="0 0 9.8"', "variable accel, start: 0 0 9.81 -> 0 0 9.8"),
                ('valueReference="3" causality="parameter"',
                 'valueReference="4" causality="parameter"', "variable accel, valueReference: 3 -> 4"),
                ('name="accel" valueReference="3"', 'name="gravity" valueReference="3"',
                 "- variable accel: parameter Float64[3]")]:
            self.assertIn(before, DESCRIPTION)
            self.assertIn(message, self.diff(DESCRIPTION.replace(before, after)))
        text = self.diff(DESCRIPTION.replace('name="accel"', 'name="gravity"'))
        self.assertIn("+ variable gravity: parameter Float64[3]\n2 differences\n", text)
        without = DESCRIPTION.split("  <ModelExchange")[0] + "  <CoSimulation" + \
            DESCRIPTION.split("<CoSimulation")[1]
        self.assertIn("kind Model Exchange, modelIdentifier: tank -> (none)", self.diff(without))

    def test_json(self):
        answer = json.loads(self.diff(DESCRIPTION.replace('stopTime="2"', ""), "--json"))
        self.assertIs(answer["same"], False)
        self.assertEqual(answer["differences"], [
            {"what": "default experiment", "name": "", "member": "stop", "a": "2", "b": ""}])

    def test_usage(self):
        self.fmu()
        self.ironbird("fmu", "diff", "tank.fmu", code=2)
        self.ironbird("fmu", "diff", "tank.fmu", "missing.fmu", code=2)
        done = self.ironbird("fmu", "dif", "tank.fmu", "tank.fmu", code=2)
        self.assertIn("did you mean 'diff'?", done.stderr)


class Plain(FmuTest):
    """`ironbird info` and `check` know FMUs by their name."""

    def test_info(self):
        self.fmu()
        self.assertEqual(self.ironbird("info", "tank.fmu").stdout,
                         self.ironbird("fmu", "info", "tank.fmu").stdout)
        self.assertEqual(json.loads(self.ironbird("info", "tank.fmu", "--json").stdout)["name"], "Tank")

    def test_check(self):
        self.fmu()
        self.fmu("bad.fmu", DESCRIPTION.replace('unit="m3"', 'unit="l"'))
        self.write("model.yaml", OSCILLATOR)
        self.assertEqual(self.ironbird("check", "tank.fmu").stdout,
                         "tank.fmu: ok (FMI 3.0, 4 variables)\n")
        done = self.ironbird("check", "model.yaml", "tank.fmu", "bad.fmu", "--json", code=1)
        answer = json.loads(done.stdout)
        self.assertEqual([file["ok"] for file in answer["files"]], [True, True, False])


class Archives(FmuTest):
    def check(self, name, code=0):
        return self.ironbird("fmu", "check", name, code=code)

    def refused(self, name, message, code=1):
        done = self.check(name, code=code)
        self.assertRegex(done.stderr, message)
        self.assertRegex(done.stderr, r"\[IB1\d{3}\]|\[IB0101\]")
        self.assertEqual(done.stdout, "")

    def test_stored_and_any_order(self):
        self.fmu(compression=zipfile.ZIP_STORED)
        self.check("tank.fmu")
        self.archive("order.fmu", [("resources/größe/ß.txt", "x" * 100000), ("documentation/", ""),
                                   ("modelDescription.xml", DESCRIPTION)])
        self.check("order.fmu")

    def test_no_zip(self):
        self.write("text.fmu", "no archive at all\n" * 10)
        self.write("empty.fmu", "")
        self.refused("text.fmu", "no zip archive")
        self.refused("empty.fmu", "no zip archive|no modelDescription")
        self.refused("missing.fmu", "missing.fmu", code=2)
        (self.folder / "folder.fmu").mkdir()
        self.refused("folder.fmu", "folder.fmu", code=2)

    def test_truncated(self):
        whole = self.fmu(others=[("resources/x", os.urandom(5000))]).read_bytes()
        for length in range(0, len(whole), 331):
            (self.folder / "short.fmu").write_bytes(whole[:length])
            self.refused("short.fmu", "no zip archive|truncated|no modelDescription")

    def test_damaged(self):
        data = os.urandom(5000)
        whole = bytearray(self.fmu(others=[("resources/x", data)]).read_bytes())
        at = whole.find(data[:50])
        self.assertGreater(at, 0)
        whole[at + 10] ^= 1
        (self.folder / "bad.fmu").write_bytes(whole)
        self.refused("bad.fmu", "'resources/x' is damaged: CRC")

    def test_no_description(self):
        self.archive("bare.fmu", [("modeldescription.xml", DESCRIPTION)])
        self.refused("bare.fmu", "no modelDescription.xml")

    def test_zip_slip(self):
        for name in ("../evil", "resources/../../evil", "/evil", "..\\evil", "C:/evil",
                     "resources/..", "a/./../../evil"):
            self.archive("slip.fmu", [("modelDescription.xml", DESCRIPTION), (name, "evil")])
            self.refused("slip.fmu", "lies outside the FMU's folder")
        self.assertEqual([p.name for p in self.folder.rglob("*evil*")], [])

    def test_links(self):
        link = zipfile.ZipInfo("resources/link")
        link.create_system = 3
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        self.archive("link.fmu", [(link, "/etc/passwd"), ("modelDescription.xml", DESCRIPTION)])
        self.refused("link.fmu", "'resources/link' is a link")

    def test_bombs(self):
        # A gigabyte that the directory claims for an entry of a few bytes.
        path = self.fmu(others=[("resources/bomb", b"x" * 100)])
        whole = bytearray(path.read_bytes())
        at = whole.rfind(b"PK\1\2")
        struct.pack_into("<I", whole, at + 24, 1 << 30)
        (self.folder / "bomb.fmu").write_bytes(whole)
        self.refused("bomb.fmu", "resources/bomb' would unpack to more|inconsistent|no zip archive")
        # One that is larger than it says.
        content = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = content.compress(b"\0" * 100_000_000) + content.flush()
        path = self.fmu(others=[("resources/bomb", packed)], compression=zipfile.ZIP_STORED)
        whole = bytearray(path.read_bytes())
        local, central = whole.find(b"resources/bomb") - 30, whole.rfind(b"PK\1\2")
        struct.pack_into("<H", whole, local + 8, 8)
        struct.pack_into("<H", whole, central + 10, 8)
        (self.folder / "liar.fmu").write_bytes(whole)
        self.refused("liar.fmu", "resources/bomb' (has not the size|is damaged)")

    def test_duplicates(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.fmu("equal.fmu", others=[("resources/a", "same"), ("resources/a", "same")])
            self.fmu("other.fmu", others=[("resources/a", "same"), ("resources/a", "else")])
            self.fmu("folder.fmu", others=[("resources/a", "same"), ("resources/a/b", "else")])
        self.check("equal.fmu")
        self.refused("other.fmu", "'resources/a' is there twice, with different contents")
        self.refused("folder.fmu", "is both a file and a folder")

    def test_untidy_names(self):
        self.archive("untidy.fmu", [("./modelDescription.xml", DESCRIPTION),
                                    ("resources\\a\\b.txt", "x")])
        done = self.check("untidy.fmu")
        self.assertEqual(done.stderr.count("warning:"), 2)
        self.assertIn("'resources/a/b.txt'", done.stderr)

    def test_names_that_are_no_text(self):
        path = self.fmu(others=[("resources/aaaa", "x")])
        whole = path.read_bytes().replace(b"resources/aaaa", b"resources/\xff\xfe\xfd\xfc")
        (self.folder / "latin.fmu").write_bytes(whole)
        self.refused("latin.fmu", "not UTF-8")

    def test_descriptions(self):
        self.fmu("bad.fmu", DESCRIPTION.replace("</ModelVariables>", ""))
        self.refused("bad.fmu", r"bad.fmu/modelDescription.xml:\d+:\d+: error: malformed XML")
        bomb = '<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">' + "".join(
            f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9)) + "]>"
        self.fmu("dtd.fmu", DESCRIPTION.replace("<fmiModel", bomb + "<fmiModel", 1))
        self.refused("dtd.fmu", "document type declaration")
        self.fmu("one.fmu", DESCRIPTION.replace('fmiVersion="3.0"', 'fmiVersion="1.0"'))
        self.refused("one.fmu", "this is FMI '1.0'; FMI 2.0 and 3.0 are supported")
        self.fmu("none.fmu", DESCRIPTION.replace('fmiVersion="3.0"', 'fmiVersion=""'))
        self.refused("none.fmu", "this is FMI ''; FMI 2.0 and 3.0 are supported")

    def test_stale_folders_are_swept(self):
        stale = self.temporary / "ironbird-fmu-abcdef"
        (stale / "resources").mkdir(parents=True)
        (stale / ".lock").write_text("")
        other = self.temporary / "ironbird-other"
        other.mkdir()
        self.fmu()
        self.check("tank.fmu")
        self.assertFalse(stale.exists())
        other.rmdir()


if __name__ == "__main__":
    unittest.main()
