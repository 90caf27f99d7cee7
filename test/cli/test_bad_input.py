"""Bad input, from the careless to the hostile: one line of cause at the right place, the exit code
that cli.md promises, and never a crash, a hang or a NaN in the results."""
import csv
import fcntl
import json
import locale
import math
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

from bad_input import models
from cli_test import CliTest, PROGRAM

# A check that finds something has done its work: 1. A run that cannot start: 2.
REFUSE = (("check", 1), ("run", 2))
TIMEOUT = int(os.environ.get("IRONBIRD_TIMEOUT", "120"))
PANIC = re.compile(r"Sanitizer|runtime error:|Assertion|core dumped|Segmentation|stack smashing|\(null\)"
                   r"|(?m:^\S.*[^'.]\bnan\b)")
ERROR = re.compile(r"^(?:(?P<place>[^ ].*?): )?error: (?P<text>.*) \[(?P<id>IB\d{4})\]$")

INPUTS = """\
ironbird: 1
parameters: {k: 100, two: 2 * k}
inputs: {push: 0, small: {start: 0, min: -1, max: 1}, place: 0}
bodies:
  mass: {mass: 1, inertia: [1, 1, 1]}
  car: {mass: 1, inertia: [1, 1, 1], position: [0, 1, 0]}
joints:
  rail: {type: prismatic, body1: mass, axis: [1, 0, 0]}
  road: {type: prismatic, body1: car, axis: [1, 0, 0]}
measures:
  x: {type: displacement, body1: mass, component: x}
  y: {type: displacement, body1: car, component: x}
forces:
  motor: {type: expression_force, body1: mass, axis: [1, 0, 0], force: push + 0 * small - k * x}
drivers:
  d: {measure: y, motion: place}
outputs:
  sum: x + y
simulation: {end: 1, output_step: 0.25}
"""


def take_mark(text):
    """The text without its mark ¦, and the line and column where it was."""
    at = text.find("¦")
    if at < 0:
        return text, None
    before = re.split("\r\n|\n", text[:at])
    # A byte order mark is no character of the text.
    return text[:at] + text[at + 1:], (len(before), len(before[-1].lstrip("\ufeff")) + 1)


class BadInput(CliTest):
    """What every run of the program must keep to, however bad its input."""

    def run_program(self, *arguments, code, text=True, **options):
        environment = {**os.environ, "LC_ALL": "C.UTF-8", **options.pop("env", {})}
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=options.pop("cwd", self.folder),
                              env=environment, capture_output=True, timeout=TIMEOUT, check=False, **options)
        error = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, code, f"{str(arguments)[:200]}:\n{error[:2000]}")
        self.check_error_output(error)
        self.check_results()
        return error if text else done

    def check_error_output(self, error):
        self.assertNotRegex(error, PANIC)
        self.assertLess(len(error), 100000)
        for line in error.splitlines():
            self.assertLess(len(line), 2000, line[:200])

    def check_results(self):
        """Whatever is in a folder of results can be read, and is finite."""
        for path in self.folder.glob("out/*/results.csv"):
            data = path.read_bytes()
            self.assertTrue(not data or data.endswith(b"\r\n"), path)
            table = list(csv.reader(data.decode().splitlines()))
            last = -math.inf
            for row in table[1:]:
                self.assertEqual(len(row), len(table[0]))
                numbers = [float(field) for field in row]
                self.assertTrue(all(map(math.isfinite, numbers)), row)
                self.assertGreater(numbers[0], last)
                last = numbers[0]
            run = json.loads((path.parent / "run.json").read_text())
            self.assertEqual(run["rows"], len(table[1:]))
            json.loads((path.parent / "channels.json").read_text())

    def first_error(self, error):
        for line in error.splitlines():
            found = ERROR.match(line)
            if found:
                return found
        return self.fail(f"no error line in:\n{error[:2000]}")

    def expect(self, error, place, identity, words):
        found = self.first_error(error)
        self.assertEqual((found["place"], found["id"]), (place, identity), found[0][:500])
        self.assertRegex(found["text"], words or ".")

    def refuse_model(self, title, text, identity, words):
        """check and run refuse it alike, and leave nothing behind."""
        text, mark = take_mark(text)
        with self.subTest(title):
            (self.folder / "m.yaml").write_bytes(text.encode())
            place = f"m.yaml:{mark[0]}:{mark[1]}" if mark else "m.yaml"
            for command, code in REFUSE:
                self.expect(self.run_program(command, "m.yaml", code=code), place, identity, words)
            self.assertFalse((self.folder / "out").exists())


class Models(BadInput):
    def test_form(self):
        for case in models.FORM:
            self.refuse_model(*case)

    def test_names(self):
        for case in models.NAMES:
            self.refuse_model(*case)

    def test_physics(self):
        for case in models.PHYSICS:
            self.refuse_model(*case)

    def test_simulation(self):
        for case in models.SIMULATION:
            self.refuse_model(*case)

    def test_running(self):
        for title, text, identity, words, least in models.RUNNING:
            text, mark = take_mark(text)
            place = f"m.yaml:{mark[0]}:{mark[1]}" if mark else "ironbird"
            with self.subTest(title):
                self.write("m.yaml", text)
                error = self.run_program("run", "m.yaml", code=3)
                self.expect(error, place, identity, words)
                folder = self.folder / "out/m"
                if folder.exists():
                    run = self.run_json("out/m")
                    self.assertEqual(run["status"], "failed")
                    self.assertGreaterEqual(run["rows"], least)
                    self.assertIn(f"{run['rows']} row", error)
                    shutil.rmtree(folder)
                else:
                    self.assertEqual(least, 0)

    def test_fine(self):
        for title, text, rows in models.FINE:
            with self.subTest(title):
                (self.folder / "m.yaml").write_bytes(text.encode())
                self.run_program("check", "m.yaml", code=0)
                self.run_program("run", "m.yaml", code=0)
                self.assertEqual(self.run_json("out/m")["rows"], rows)

    def test_places_behind_line_ends_and_marks(self):
        """Lines and columns are those of an editor, whatever the file's line ends."""
        text = "ironbird: 1\nbodies:\n  b: {mass: ¦-1, inertia: [1, 1, 1]}\n"
        for variant in (text.replace("\n", "\r\n"), "\ufeff" + text, "\ufeff" + text.replace("\n", "\r\n")):
            self.refuse_model(repr(variant), variant, "IB0601", "negative")

    def test_other_encodings(self):
        text = models.BODIES
        for data, place, words in [
                (text.encode("utf-16"), "m.yaml:1:1", "UTF-16"),
                (b"ironbird: 1\nname: M\xfcller\n", "m.yaml:2:8", "UTF-8"),
                (b"\x00" * 10000, "m.yaml:1:1", "control character"),
                (pathlib.Path(PROGRAM).read_bytes()[:100000], "m.yaml:1:1", "control character")]:
            with self.subTest(data[:20]):
                (self.folder / "m.yaml").write_bytes(data)
                for command, code in (*REFUSE, ("info", 2)):
                    self.expect(self.run_program(command, "m.yaml", code=code), place, "IB0221", words)

    def test_noise(self):
        """Bytes without any sense, from a fixed sequence."""
        state = 1
        for length in (1, 2, 3, 10, 100, 1000, 10000):
            noise = bytearray()
            for _ in range(length):
                state = (state * 1103515245 + 12345) % 2 ** 31
                noise.append(state >> 16 & 255)
            for alphabet in (bytes(range(256)), b"{}[]:,-?*&!|>'\"%@`#\n  ab01.~"):
                data = bytes(alphabet[byte % len(alphabet)] for byte in noise)
                with self.subTest(data[:30]):
                    (self.folder / "m.yaml").write_bytes(data)
                    (self.folder / "t.csv").write_bytes(data)
                    self.run_program("check", "m.yaml", code=1)
                    self.run_program("info", "t.csv", code=2)
                    self.run_program("compare", "t.csv", "t.csv", code=2)

    def test_every_prefix_of_a_model(self):
        """A file that was cut anywhere is refused or right, in the blink of an eye."""
        text = INPUTS
        for length in range(0, len(text), 37):
            self.write("m.yaml", text[:length])
            done = subprocess.run([PROGRAM, "check", "m.yaml"], cwd=self.folder, capture_output=True,
                                  timeout=TIMEOUT, check=False)
            self.assertIn(done.returncode, (0, 1), text[:length])
            self.check_error_output(done.stderr.decode())

    def test_all_errors_in_one_go(self):
        self.write("m.yaml", "ironbird: 1\nbodies:\n  b: {mass: -1, inertia: [1, 1, 9]}\n"
                             "joints:\n  j: {type: fixed, body1: bb}\nforcs: {}\n")
        error = self.run_program("check", "m.yaml", code=1)
        for place in ("3:13", "3:26", "5:27", "6:1"):
            self.assertRegex(error, rf"(?m)^m\.yaml:{place}: error: ")

    def test_countless_errors_end(self):
        self.write("m.yaml", models.BODIES + "joints:\n" + "".join(
            f"  j{i}: {{type: fixed, body1: nobody{i}}}\n" for i in range(5000)))
        self.assertIn("[IB0220]", self.run_program("check", "m.yaml", code=1))

    def test_large_file(self):
        with open(self.folder / "m.yaml", "wb") as file:
            file.truncate(100 << 20)
        for name in ("m.yaml", "/dev/zero"):
            self.expect(self.run_program("run", name, code=2), "ironbird", "IB0104", "larger than")

    def test_no_file(self):
        (self.folder / "folder").mkdir()
        for name, words in [("", "no such file"), ("missing.yaml", "no such file"), ("folder", "it is a folder"),
                            ("m.yaml/", "not a folder"), ("n" * 5000, "too long"), ("-", "no such file")]:
            self.write("m.yaml", models.BODIES)
            for command in ("check", "run"):
                self.expect(self.run_program(command, name, code=2), "ironbird", "IB0101", words)

    def test_quaternion_off_a_little(self):
        """Silent below 1e-6, a note below 1e-3."""
        for w, note in [("1.0000001", False), ("1.0005", True)]:
            self.write("m.yaml", models.body(f"mass: 1, inertia: [1, 1, 1], orientation: [{w}, 0, 0, 0]"))
            self.assertEqual("[IB0604]" in self.run_program("check", "m.yaml", code=0), note)


class Splines(BadInput):
    def refuse(self, spline, place, identity, words, files=()):
        for name, data in files:
            (self.folder / name).write_bytes(data)
        text = models.BODIES + f"splines:\n  s: {{{spline}}}\n"
        text, mark = take_mark(text)
        place = place or f"m.yaml:{mark[0]}:{mark[1]}"
        with self.subTest(spline + str(files)[:100]):
            self.write("m.yaml", text)
            for command, code in REFUSE:
                self.expect(self.run_program(command, "m.yaml", code=code), place, identity, words)

    def test_values(self):
        for spline, identity, words in [
                ("x: [0, 1, ¦1], y: [1, 2, 3]", "IB0501", "increase"),
                ("x: [0, 2, ¦1], y: [1, 2, 3]", "IB0501", "increase"),
                ("x: [0, ¦.nan, 1], y: [1, 2, 3]", "IB0216", "finite"),
                ("x: [0, 1, 2], y: [1, ¦1e999, 3]", "IB0216", "finite"),
                ("x: [0, 1, 2], y: ¦[1, 2]", "IB0502", "2 values, x has 3"),
                ("x: ¦[0], y: [1]", "IB0502", ""),
                ("x: ¦[], y: []", "IB0502", "")]:
            self.refuse(spline, None, identity, words)

    def test_files(self):
        for data, place, identity, words in [
                (b"0 1\n1 2\n1 3\n", "t.txt:3:1", "IB0501", "increase"),
                (b"0 1\n1 nan\n2 3\n", "t.txt:2:3", "IB0503", ""),
                (b"0 1\n1 2 3\n2 3\n", "t.txt:2", "IB0503", "column"),
                (b"0 1\n1\n2 3\n", "t.txt:2", "IB0503", "column"),
                (b"x y\n0 1\n1 2\n", "t.txt:1:1", "IB0503", ""),
                (b"0 1\n", "m.yaml:6:13", "IB0502", "two points"),
                (b"", "m.yaml:6:13", "IB0502", "two points"),
                (b"\x00\x01\xff\xfe" * 100, "t.txt:1", "IB0503", "")]:
            with self.subTest(data[:30]):
                (self.folder / "t.txt").write_bytes(data)
                self.write("m.yaml", models.BODIES + "splines:\n  s: {file: t.txt}\n")
                found = self.first_error(self.run_program("check", "m.yaml", code=1))
                self.assertEqual(found["id"], identity, found[0])
                self.assertTrue(found["place"].startswith(place), found[0])
                self.assertRegex(found["text"], words or ".")

    def test_no_file(self):
        (self.folder / "folder").mkdir()
        self.refuse("file: ¦missing.txt", None, "IB0101", "missing.txt")
        self.refuse("file: ¦folder", None, "IB0101", "folder")
        self.refuse("file: ¦/dev/zero", None, "IB0104", "larger")
        self.refuse("file: t.txt, columns: [0, 7]", "t.txt:1:1", "IB0503", "no column 7", [("t.txt", b"0 1\n1 2\n")])
        self.refuse("file: t.txt, header_lines: ¦-1", None, "IB0216", "whole number", [("t.txt", b"0 1\n1 2\n")])


class Options(BadInput):
    def setUp(self):
        super().setUp()
        self.write("m.yaml", INPUTS)

    def refuse(self, arguments, place, identity, words):
        with self.subTest(str(arguments)[:200]):
            self.expect(self.run_program("run", "m.yaml", *arguments, code=2), place, identity, words)
            self.assertFalse((self.folder / "out").exists())

    def test_set(self):
        for value, place, identity, words in [
                ("kk=3", "--set kk:1:1", "IB0314", "no parameter 'kk'"),
                ("rail=3", "--set rail:1:1", "IB0314", "'rail' is a joint, .* expressions of parameters"),
                ("motor.force=3", "--set motor.force:1:1", "IB0314", "is a force.*write 'force: p'"),
                ("sum=1", "--set sum:1:1", "IB0314", "an output"), ("d=1", "--set d:1:1", "IB0314", "a driver"),
                ("simulation.rtoll=3", "--set simulation.rtoll:1:12", "IB0210", "did you mean 'rtol'"),
                ("simulation.rtol=3", "--rtol:1:6", "IB0607", "between 0 and 1"),
                ("k=80cm", "--set k:1:5", "IB0217", "a space is missing .*write 80 cm"),
                ("push=3", "--set push:1:1", "IB0314", "a runtime input, not a parameter.*--input"),
                ("x=3", "--set x:1:1", "IB0314", "not a parameter"),
                ("bodies.mass.mass=3", "--set bodies.mass.mass:1:1", "IB0314", "'mass' is a body"),
                ("k=abc", "--set k:1:3", "IB0407", "abc"), ("k=3 +", "--set k:1:5", "IB0403", "missing"),
                ("k=1,5", "--set k:1:4", "IB0404", r"1\.5"), ("k=1e999", "--set k:1:3", "IB0216", "finite"),
                ("k=1/0", "--set k:1:4", "IB0411", "finite"), ("k=nan", "--set k:1:3", "IB0407", "nan"),
                ("k=t", "--set k:1:3", "IB0413", "constant"), ("k=x", "--set k:1:3", "IB0413", "constant"),
                ("k=[1, 2]", "--set k:1:3", "IB0402", ""), ("k='5'", "--set k:1:3", "IB0409", ""),
                ("k=k", "m.yaml:2:14", "IB0305", "k -> k"),
                ("k=two", "m.yaml:2:14", "IB0305", "k -> two -> k"),
                ("k=" + "(" * 10000, "--set k:1:1003", "IB0406", "1000"),
                ("k", "ironbird", "IB0901", "NAME=VALUE"), ("k=", "ironbird", "IB0901", "NAME=VALUE"),
                ("=3", "ironbird", "IB0901", "NAME=VALUE"), ("", "ironbird", "IB0901", "NAME=VALUE")]:
            self.refuse(["--set", value], place, identity, words)

    def test_settings(self):
        for option, value, place, identity, words in [
                ("solver", "rk45", "--solver:1:8", "IB0215", "did you mean 'rk4'"),
                ("rtol", "2", "--rtol:1:6", "IB0607", "between 0 and 1"),
                ("rtol", "tiny", "--rtol:1:6", "IB0407", "tiny"),
                ("step", "0", "--step:1:6", "IB0607", "1 ns"),
                ("step", "2ms", "--step:1:7", "IB0217", "write 2 ms"),
                ("step", "2 m", "--step:1:8", "IB0218", "length")]:
            self.refuse([f"--{option}", value], place, identity, words)

    def test_until(self):
        for value in ("0", "-1", "1e-12", "soon", "nan", "inf", "1e300", "5 parsec", "", "1 ms 5", "1/3", "0x10"):
            with self.subTest(value):
                done = subprocess.run([PROGRAM, "run", "m.yaml", f"--until={value}"], cwd=self.folder,
                                      capture_output=True, text=True, timeout=TIMEOUT, check=False)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"error: --until '.*' .*\[IB0901\]")

    def test_record(self):
        for value, words in [("", "''"), ("[", r"'\['"), ("nothing.*", "nothing"),
                             ("mass.pos.x", "did you mean 'mass.position.x'"), ("*a" * 3000, r"\*a")]:
            self.refuse(["--record", value], "ironbird", "IB0904", words)
        self.write("m.yaml", INPUTS.replace("output_step", "record: ['x.*', '['], output_step"))
        self.expect(self.run_program("run", "m.yaml", code=2), "m.yaml:19:30", "IB0904", "x")

    def test_out(self):
        self.write("file", "")
        for value, words in [("", "no such"), ("file", "'file' is no folder"), ("file/x", "'file' is no folder"),
                             ("/dev/null", "is no folder"), ("/proc/none", ""), ("n" * 300, "too long"),
                             ("n" * 5000, "too long")]:
            self.refuse(["--out", value], "ironbird", "IB0102", words)
        self.refuse(["--out", "."], ".", "IB0802", "no earlier run wrote")
        self.refuse(["--out", "/"], "/", "IB0802", "no earlier run wrote")

    def test_others_files_among_ours(self):
        self.run_program("run", "m.yaml", code=0)
        (self.folder / "out/m/thesis.doc").write_text("mine")
        self.expect(self.run_program("run", "m.yaml", code=2), "out/m", "IB0802", "thesis.doc")
        self.assertEqual((self.folder / "out/m/thesis.doc").read_text(), "mine")
        self.assertEqual(self.run_json("out/m")["status"], "done")

    def test_foreign_run_json(self):
        """A list of files that reaches out of the folder removes nothing."""
        victim = self.write("victim.txt", "mine")
        (self.folder / "out/m").mkdir(parents=True)
        (self.folder / "out/m/run.json").write_text(json.dumps(
            {"program": "ironbird", "files": ["../../victim.txt", str(victim), "run.json", 3, None]}))
        self.run_program("run", "m.yaml", code=0)
        self.assertEqual(victim.read_text(), "mine")
        for text in ("", "[" * 100000, "{\"program\": \"ironbird\", \"files\": {}}", "\x00", "{}"):
            (self.folder / "out/m/run.json").write_text(text)
            done = subprocess.run([PROGRAM, "run", "m.yaml"], cwd=self.folder, capture_output=True, text=True,
                                  timeout=TIMEOUT, check=False)
            self.assertIn(done.returncode, (0, 2))
            self.check_error_output(done.stderr)
            shutil.rmtree(self.folder / "out/m", ignore_errors=True)
            (self.folder / "out/m").mkdir(parents=True)


class Tables(BadInput):
    """--input: runtime inputs from a CSV file."""

    def setUp(self):
        super().setUp()
        self.write("m.yaml", INPUTS)

    def test_refused(self):
        for text, place, words in [
                ("", "i.csv", "empty"),
                ("push\n1\n2\n", "i.csv:1:1", "first column must be 'time', not 'push'"),
                ("push,time\n1,0\n", "i.csv:1:1", "first column"),
                ("0,1\n1,2\n", "i.csv:1:1", "first column"),
                ("time;push\n0;1\n", "i.csv:1:1", "commas separate"),
                ("time\tpush\n0\t1\n", "i.csv:1:1", "commas separate"),
                ("time\n0\n1\n", "i.csv:1:5", "no column beside"),
                ("time,push\n", "i.csv:1", "no row"),
                ("time,pusch\n0,1\n", "i.csv:1:6", "did you mean 'push'"),
                ("time,sum\n0,1\n", "i.csv:1:6", "no input 'sum'"),
                ("time,push,\n0,1,\n", "i.csv:1:11", "no input"),
                ("time,push,push\n0,1,1\n", "i.csv:1:11", "two columns"),
                ("time,push\n0,1\n0,2\n", "i.csv:3:1", "not later"),
                ("time,push\n1,1\n0,2\n", "i.csv:3:1", "not later"),
                ("time,push\n0,1\n1e-12,2\n", "i.csv:3:1", "not later"),
                ("time,push\n0,one\n", "i.csv:2:3", "number"),
                ("time,push\n0,\n", "i.csv:2:3", "number"),
                ("time,push\n0,1e999\n", "i.csv:2:3", "finite"),
                ("time,push\n0,0x10\n", "i.csv:2:3", "number"),
                ("time,push\n1e308,1\n", "i.csv:2:1", "too large"),
                ("time,push\n0\n", "i.csv:2:2", "fewer"),
                ("time,push\n0,1,2\n", "i.csv:2:5", "more"),
                ("time,push\n0,\"1\n", "i.csv:2:3", "quote"),
                ("time,small\n0,0\n1,1.5\n", "i.csv:3:3", "-1 to 1"),
                ("time," + "n" * 100000 + "\n0,1\n", "i.csv:1:6", "no input"),
                ("time,push\n0," + "1" * 100000 + "\n", "i.csv:2:3", "number")]:
            with self.subTest(text[:50]):
                self.write("i.csv", text)
                self.expect(self.run_program("run", "m.yaml", "--input", "i.csv", code=2), place, "IB0903", words)
                self.assertFalse((self.folder / "out").exists())

    def test_no_table(self):
        for name, identity in [("missing.csv", "IB0101"), (".", "IB0101"), ("/dev/null", "IB0903"),
                               ("/dev/zero", "IB0903"), (PROGRAM, "IB0903"), ("m.yaml", "IB0903")]:
            with self.subTest(name):
                error = self.run_program("run", "m.yaml", "--input", os.path.abspath(name) if name == PROGRAM
                                         else name, code=2)
                self.assertEqual(self.first_error(error)["id"], identity)

    def test_taken(self):
        for text in ("\ufefftime,push\r\n0,1\r\n", "t,push\n0,1", "Time (s), push \n0, 1 \n", "# note\ntime,push\n\n0,1\n",
                     "\"time\",\"push\"\n\"0\",\"1\"\n", "time,push\n-5,1\n99,2\n"):
            with self.subTest(text):
                self.write("i.csv", text)
                self.run_program("run", "m.yaml", "--input", "i.csv", code=0)
                header, rows = self.rows("out/m")
                self.assertEqual(rows[0][header.index("motor.value")], 1)

    def test_jump_beyond_a_driver(self):
        self.write("i.csv", "time,place\n0,0\n0.3,0.0005\n0.6,0.5\n")
        error = self.run_program("run", "m.yaml", "--input", "i.csv", code=3)
        self.expect(error, "m.yaml:16:3", "IB0637", r"0\.5, .* 0\.0005, .*0\.001")
        self.assertIn("i.csv:4:1: note", error)
        self.assertEqual(self.run_json("out/m")["rows"], 3)

    def test_huge_value(self):
        self.write("i.csv", "time,push\n0.5,1e308\n")
        self.expect(self.run_program("run", "m.yaml", "--input", "i.csv", code=3), "m.yaml:5:3", "IB0704", "mass")


class Readers(BadInput):
    """plot, info and compare on what is no results, and on results that were cut."""

    def test_not_results(self):
        self.write("m.yaml", models.BODIES)
        (self.folder / "folder").mkdir()
        self.write("words.csv", "these are\nwords\n")
        self.write("ragged.csv", "time,a\n0,1\n1\n2,3\n")
        self.write("text.csv", "time,a\n0,1\n1,one\n2,3\n")
        self.write("back.csv", "time,a\n0,1\n1,2\n0.5,3\n")
        for name, place, identity in [
                ("missing", "missing", "IB0101"), ("folder", "folder/results.csv", "IB0101"),
                ("m.yaml", "m.yaml:1:1", "IB0803"), ("words.csv", "words.csv:1:1", "IB0803"),
                ("/dev/null", "/dev/null", "IB0803"), ("/dev/zero", "/dev/zero", "IB0803"),
                ("ragged.csv", "ragged.csv:3:2", "IB0803"), ("text.csv", "text.csv:3:3", "IB0803"),
                ("back.csv", "back.csv:4:1", "IB0813")]:
            for arguments in (["plot", name, "a"], ["compare", name, name]):
                with self.subTest(arguments):
                    self.expect(self.run_program(*arguments, code=2), place, identity, "")

    def test_plot(self):
        self.write("m.yaml", models.BODIES + "simulation: {end: 0.1}\n")
        self.run_program("run", "m.yaml", code=0)
        for arguments, words in [(["sin("], "IB0405"), (["b.position.q"], "IB0805|IB0407"), ([""], "IB0401"),
                                 (["log(b.position.y - 1)"], "IB0809"), (["x.*"], "IB0805|IB0407"),
                                 (["b.position.x", "-o", "p.gif"], "IB0812"), (["b.position.x", "-o", "."], "IB0812"),
                                 (["b.position.x", "-o", "no/p.svg"], "IB0102"), (["(" * 10000], "IB0406")]:
            with self.subTest(arguments[0][:50]):
                self.assertRegex(self.run_program("plot", "out/m", *arguments, code=2), words)
        os.symlink("/dev/full", self.folder / "full.svg")
        self.assertIn("disk is full", self.run_program("plot", "out/m", "b.position.x", "-o", "full.svg", code=2))

    def test_cut_results(self):
        """Results of a run that was killed, cut at any byte of the last line."""
        self.write("m.yaml", INPUTS)
        self.run_program("run", "m.yaml", code=0)
        table = self.folder / "out/m/results.csv"
        data = table.read_bytes()
        last = data[:-2].rfind(b"\n") + 1
        for length in [last, last + 1, (last + len(data)) // 2, len(data) - 2, len(data) - 1]:
            table.write_bytes(data[:length])
            for arguments in (["plot", "out/m", "sum.value"], ["compare", "out/m", "out/m"], ["info", "out/m"]):
                done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True,
                                      timeout=TIMEOUT, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual("[IB0804]" in done.stderr, length > last, done.stderr)
        table.write_bytes(data)


class World(BadInput):
    """Full disks, closed streams, signals, odd surroundings."""

    def setUp(self):
        super().setUp()
        self.write("m.yaml", INPUTS)

    def test_full_standard_output(self):
        self.run_program("run", "m.yaml", code=0)
        for arguments in (["run", "m.yaml"], ["run", "m.yaml", "--json"], ["check", "m.yaml"], ["info", "m.yaml"],
                          ["plot", "out/m", "sum"], ["compare", "out/m", "out/m"], ["schema"], ["--help"],
                          ["run", "--help"], ["--version"], ["explain", "IB0101"]):
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdout=full, stderr=subprocess.PIPE,
                                      text=True, timeout=TIMEOUT, check=False)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stderr.count("cannot write to standard output"), 1, done.stderr)

    def test_closed_streams(self):
        """No descriptor of a closed stream may be taken by a file: messages would end up in it."""
        self.run_program("run", "m.yaml", "--out", "out/whole", code=0)
        whole = (self.folder / "out/whole/results.csv").read_bytes()
        for closed in ((0,), (1,), (2,), (1, 2), (0, 1, 2)):
            def close(descriptors=closed):
                for descriptor in descriptors:
                    os.close(descriptor)
            with self.subTest(closed):
                done = subprocess.run([PROGRAM, "run", "m.yaml", "--progress", "json"], cwd=self.folder, check=False,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=close,
                                      timeout=TIMEOUT)
                self.assertEqual(done.returncode, 0)
                self.assertEqual((self.folder / "out/m/results.csv").read_bytes(), whole)
                self.check_results()

    def test_reader_that_leaves(self):
        self.run_program("run", "m.yaml", code=0)
        for command in (f"'{PROGRAM}' schema", f"'{PROGRAM}' plot out/m sum", f"'{PROGRAM}' --help"):
            done = subprocess.run(f"{command} | head -n 1", shell=True, cwd=self.folder, capture_output=True,
                                  text=True, timeout=TIMEOUT, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        # A run goes on without whoever read its messages.
        with subprocess.Popen([PROGRAM, "run", "m.yaml", "--until", "200", "--progress", "json"], cwd=self.folder,
                              stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            process.stderr.readline()
            process.stderr.close()
            self.assertEqual(process.wait(TIMEOUT), 0)
        self.assertEqual(self.run_json("out/m")["status"], "done")

    def test_full_disk(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        self.write("m.yaml", INPUTS.replace("output_step: 0.25", "output_step: 0.001"))
        error = self.run_program("run", "m.yaml", code=3, preexec_fn=limit)
        self.expect(error, "out/m/results.csv", "IB0801", r"the first \d+ rows are safe")
        self.assertEqual(self.run_json("out/m")["status"], "write error")

        def nothing():
            resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
        done = subprocess.run([PROGRAM, "run", "m.yaml", "--out", "o"], cwd=self.folder, capture_output=True,
                              text=True, timeout=TIMEOUT, check=False, preexec_fn=nothing)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"error: cannot write 'o/.*\[IB0102\]")

    def test_full_file_system(self):
        place = self.folder / "small"
        place.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", place], check=False,
                          capture_output=True).returncode:
            self.skipTest("no file system may be mounted here")
        self.addCleanup(subprocess.run, ["umount", place], check=False)
        error = self.run_program("run", "m.yaml", "--until", "1000", "--out", place / "o", code=3)
        self.expect(error, f"{place}/o/results.csv", "IB0801", r"the first \d+ rows are safe")
        table = list(csv.reader((place / "o/results.csv").read_text().splitlines()))
        self.assertGreater(len(table), 10)
        self.assertEqual({len(row) for row in table}, {len(table[0])})

    def start_endless(self):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        process = subprocess.Popen([PROGRAM, "run", "m.yaml", "--until", "1e9", "--quiet"], cwd=self.folder,
                                   stderr=subprocess.PIPE, text=True)
        table = self.folder / "out/m/results.csv"
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline and not (table.exists() and table.stat().st_size > 9999):
            time.sleep(0.02)
        return process

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number), self.start_endless() as process:
                process.send_signal(number)
                _, error = process.communicate(timeout=TIMEOUT)
                self.assertEqual(process.returncode, 130)
                self.assertRegex(error, r"interrupted at t = .* rows kept in out/m")
                self.assertEqual(self.run_json("out/m")["status"], "interrupted")
                self.check_results()
                self.assertIn("did not finish", self.run_program("plot", "out/m", "sum", code=0))

    def test_killed(self):
        with self.start_endless() as process:
            process.kill()
            process.communicate(timeout=TIMEOUT)
        self.assertEqual(self.run_json("out/m")["status"], "running")
        for arguments in (["plot", "out/m", "sum"], ["compare", "out/m", "out/m"], ["info", "out/m"]):
            done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True,
                                  timeout=TIMEOUT, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("[IB0807]", done.stderr)
        self.run_program("run", "m.yaml", code=0)
        self.assertEqual(self.run_json("out/m")["rows"], 5)

    def test_locale(self):
        """A comma for decimals is no business of files."""
        self.run_program("run", "m.yaml", "--set", "k=1.5", "--out", "out/plain", code=0)
        available = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.split()
        names = [name for name in available if name.lower().startswith("de_de")] or ["de_DE.UTF-8"]
        for name in [*names, "nonsense", "C", "POSIX", ""]:
            self.run_program("run", "m.yaml", "--set", "k=1.5", code=0, env={"LC_ALL": name, "LANG": name})
            self.assertEqual((self.folder / "out/m/results.csv").read_bytes(),
                             (self.folder / "out/plain/results.csv").read_bytes())
        self.assertEqual(locale.str(1.5), "1.5")

    def test_environment(self):
        for env in ({"TERM": ""}, {"TERM": "x" * 10000}, {"NO_COLOR": "1"}, {"COLUMNS": "-3"}, {"COLUMNS": "99999999"},
                    {"COLUMNS": "0"}, {"LINES": "x"}, {"HOME": "/none"}, {"TMPDIR": "/none"}, {"PATH": ""}):
            with self.subTest(env):
                self.assertEqual(self.run_program("run", "m.yaml", code=0, env=env), "")
                self.run_program("plot", "out/m", "sum", code=0, env=env)
                self.assertNotIn("\033", self.run_program("run", "missing.yaml", code=2, env=env))

    def test_folder_that_is_gone(self):
        gone = self.folder / "gone"
        gone.mkdir()
        script = f"rmdir '{gone}' && exec '{PROGRAM}' run '{self.folder}/m.yaml'"
        done = subprocess.run(["sh", "-c", script], cwd=gone, capture_output=True, text=True, timeout=TIMEOUT,
                              check=False)
        self.assertEqual(done.returncode, 2)
        self.expect(done.stderr, "ironbird", "IB0102", "cannot make the folder 'out/m'")

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_folder_that_may_not_be_written(self):
        closed = self.folder / "closed"
        closed.mkdir(mode=0o555)
        done = subprocess.run([PROGRAM, "run", self.folder / "m.yaml"], cwd=closed, capture_output=True, text=True,
                              timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 2)
        self.expect(done.stderr, "ironbird", "IB0102", "permission denied")

    def test_pipe_as_model(self):
        """A model may come through a pipe; one that never ends is given up."""
        os.mkfifo(self.folder / "pipe")
        reader = subprocess.Popen([PROGRAM, "check", "pipe"], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        with reader:
            with open(self.folder / "pipe", "w") as pipe:
                pipe.write(INPUTS)
            self.assertIn("ok", reader.communicate(timeout=TIMEOUT)[0])
        read, write = os.pipe()
        fcntl.fcntl(write, fcntl.F_SETFD, 0)
        os.close(write)
        with subprocess.Popen([PROGRAM, "check", "/dev/stdin"], stdin=read, stderr=subprocess.PIPE, text=True) as process:
            self.assertIn("[IB0208]", process.communicate(timeout=TIMEOUT)[1])
        os.close(read)


if __name__ == "__main__":
    unittest.main()
