"""`check`, `info`, `plot` and `compare`."""
import json
import os
import shutil
import unittest
import xml.etree.ElementTree

from cli_test import CliTest, OSCILLATOR, PUSHED


class Check(CliTest):
    def test_good_and_bad(self):
        self.write("good.yaml", OSCILLATOR)
        self.write("bad.yaml", OSCILLATOR.replace("body1: mass, axis", "body1: mas, axis"))
        done = self.ironbird("check", "good.yaml")
        self.assertIn("good.yaml: ok", done.stdout)
        done = self.ironbird("check", "bad.yaml", "good.yaml", code=1)
        self.assertIn("good.yaml: ok", done.stdout)
        self.assertRegex(done.stderr, r"bad.yaml:11:\d+: error: .*'mas'.*did you mean 'mass'.*\[IB\d+\]")
        self.assertIn("^", done.stderr)
        self.ironbird("check", "missing.yaml", code=2)
        self.assertFalse((self.folder / "out").exists())

    def test_json(self):
        self.write("good.yaml", OSCILLATOR)
        self.write("bad.yaml", OSCILLATOR.replace("ironbird: 1", "ironbird: 1\nnonsense: 3"))
        report = json.loads(self.ironbird("check", "--json", "good.yaml", "bad.yaml", code=1).stdout)
        self.assertFalse(report["ok"])
        self.assertEqual([file["ok"] for file in report["files"]], [True, False])
        problem = report["files"][1]["diagnostics"][0]
        self.assertEqual((problem["line"], problem["severity"]), (2, "error"))
        self.assertEqual(self.ironbird("check", "--quiet", "good.yaml").stdout, "")


class Info(CliTest):
    def test_model(self):
        self.write("pushed.yaml", PUSHED)
        text = self.ironbird("info", "pushed.yaml").stdout
        for part in ("model: pushed", "bodies (1): mass", "joints (1): guide", "forces (1): motor",
                     "inputs (2): push, other", "to 1 s, a row every 0.25 s", "mass.position.{x,y,z}"):
            self.assertIn(part, text)
        report = json.loads(self.ironbird("info", "--json", "pushed.yaml").stdout)
        self.assertEqual((report["kind"], report["inputs"], report["end"]),
                         ("model", ["push", "other"], 1))

    def test_results(self):
        self.write("osc.yaml", OSCILLATOR)
        self.ironbird("run", "osc.yaml")
        text = self.ironbird("info", "out/osc").stdout
        for part in ("results: oscillator", "rows: 11, from 0 s to 1 s", "run: osc.yaml, done", "solver: ",
                     "mass.velocity.{x,y,z}", "m/s"):
            self.assertIn(part, text)
        report = json.loads(self.ironbird("info", "--json", "out/osc/results.csv").stdout)
        self.assertEqual((report["rows"], report["from"], report["to"]), (11, 0, 1))


class Plot(CliTest):
    def setUp(self):
        super().setUp()
        self.write("osc.yaml", OSCILLATOR)
        self.ironbird("run", "osc.yaml", "--quiet")

    def test_terminal(self):
        text = self.ironbird("plot", "out/osc", "mass.position.x", "mass.velocity.x",
                             env={"COLUMNS": "60"}).stdout
        self.assertIn("oscillator", text)
        self.assertIn("mass.velocity.x  [m/s]", text)
        self.assertTrue(any("\u2800" < c < "\u28ff" for c in text))
        self.assertNotIn("\033", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 60)
        text = self.ironbird("plot", "out/osc", "mass.position.x", env={"LC_ALL": "C"}).stdout
        self.assertTrue(text.isascii())

    def test_svg(self):
        self.ironbird("plot", "out/osc", "mass.position.*", "2 * twice", "-o", "p.svg")
        root = xml.etree.ElementTree.parse(self.folder / "p.svg").getroot()
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        curves = [e for e in root.iter() if e.tag.endswith("path")]
        self.assertEqual(len(curves), 4)
        labels = [e.text for e in root.iter() if e.get("class") == "label"]
        self.assertEqual(labels, ["mass.position.x", "mass.position.y", "mass.position.z", "2 * twice"])

    @unittest.skipUnless(shutil.which("rsvg-convert"), "no converter (librsvg2-bin)")
    def test_png(self):
        self.ironbird("plot", "out/osc", "twice", "-o", "p.png")
        self.assertTrue((self.folder / "p.png").read_bytes().startswith(b"\x89PNG\r\n"))
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["osc.yaml", "out", "p.png"])

    def test_png_without_converter(self):
        done = self.ironbird("plot", "out/osc", "twice", "-o", "p.png", code=2, env={"PATH": "/nowhere"})
        self.assertIn("librsvg2-bin", done.stderr)

    def test_mistakes(self):
        for arguments, message in [(["out/osc", "mass.positon.x"], "mass.position.x"),
                                   (["out/osc", "sin("], "formula 1:1:"),
                                   (["out/osc", "twice", "-o", "p.gif"], r"\.svg or \.png"),
                                   (["nowhere", "x"], "nowhere"),
                                   (["out/osc", "twice", "-o", "/nowhere/p.svg"], r"\[IB0102\]")]:
            self.assertRegex(self.ironbird("plot", *arguments, code=2).stderr, message)


class Compare(CliTest):
    def setUp(self):
        super().setUp()
        self.write("osc.yaml", OSCILLATOR)
        self.ironbird("run", "osc.yaml", "--quiet", "-o", "a")
        self.ironbird("run", "osc.yaml", "--quiet", "-o", "b", "--set", "k=101")

    def test_same(self):
        done = self.ironbird("compare", "a", "a")
        self.assertIn("agree", done.stdout)
        self.assertNotIn("FAILED", done.stdout)
        self.assertEqual(self.ironbird("compare", "a", "a", "--quiet").stdout, "")

    def test_different(self):
        done = self.ironbird("compare", "a", "b", code=1)
        self.assertRegex(done.stdout, r"FAILED +mass.position.x ")
        self.assertRegex(done.stdout, r"ok +mass.position.y ")
        self.ironbird("compare", "a", "b", "--atol", "10")
        self.ironbird("compare", "a", "b", "--channels", "mass.position.y")
        self.ironbird("compare", "a", "b", "--channels", "mass.position.x - 1", code=1)

    def test_json(self):
        report = json.loads(self.ironbird("compare", "a", "b", "--json", code=1).stdout)
        channels = {channel["name"]: channel for channel in report["channels"]}
        self.assertFalse(report["passed"])
        self.assertEqual(report["rows"], 11)
        x = channels["mass.position.x"]
        self.assertFalse(x["passed"])
        self.assertAlmostEqual(abs(x["a"] - x["b"]), x["difference"])
        self.assertTrue(channels["mass.position.y"]["passed"])

    def test_against_a_table(self):
        self.write("ref.csv", "t,mass.position.x\n0,0.1\n0.05,0.0877582561890373\n")
        self.ironbird("compare", "ref.csv", "a", "--atol", "0.02")
        self.ironbird("compare", "ref.csv", "a", code=1)
        done = self.ironbird("compare", "a", "ref.csv", code=1)
        self.assertIn("[IB0805]", done.stderr)
        self.assertIn("[IB0806]", done.stderr)
        self.ironbird("compare", "a", "nowhere", code=2)


if __name__ == "__main__":
    unittest.main()
