"""The command line: help, versions, mistakes, what is not built yet."""
import re
import shutil
import subprocess
import unittest

from cli_test import CliTest, OSCILLATOR, SOURCE

BUILT = ["run", "resume", "check", "info", "plot", "compare", "schema", "explain", "fmu", "fcc"]
LATER = ["report", "view", "convert", "balance", "linearize", "export", "board",
         "new", "sweep"]
LATER_OPTIONS = [["--threads", "2"], ["--realtime"], ["--checkpoint", "1"],
                 ["--plant", "a=b"], ["--flight-computer", "a=b"], ["--gdb", "a"], ["--trace", "bus"],
                 ["--strict"], ["--fail-on-nan"], ["--step-timeout", "1"], ["--isolate"]]


class Usage(CliTest):
    def test_version(self):
        version = re.search(r"VERSION (\d+\.\d+\.\d+)", (SOURCE / "CMakeLists.txt").read_text())[1]
        self.assertEqual(self.ironbird("--version").stdout, f"ironbird {version}\n")

    def test_help(self):
        text = self.ironbird("--help").stdout
        for command in BUILT + LATER:
            self.assertIn(command, text)
        self.assertEqual(self.ironbird(code=2).stderr, text)
        for command in BUILT + LATER:
            for flag in ("--help", "-h"):
                done = self.ironbird(command, flag)
                self.assertIn(f"Usage: ironbird {command}", done.stdout)
                self.assertEqual(done.stderr, "")
                self.assertLessEqual(max(map(len, done.stdout.split("\nNot yet")[0].splitlines())), 80)

    def test_later_commands(self):
        for command in LATER:
            done = self.ironbird(command, "something", code=2)
            self.assertRegex(done.stderr, f"'{command}' is not yet supported")
            self.assertEqual(done.stdout, "")

    def test_later_options(self):
        self.write("model.yaml", OSCILLATOR)
        for option in LATER_OPTIONS:
            done = self.ironbird("run", "model.yaml", *option, code=2)
            self.assertIn(f"'{option[0]}' is not yet supported", done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_mistakes(self):
        self.write("model.yaml", OSCILLATOR)
        for arguments, message in [
                (["rum", "x"], "did you mean 'run'"),
                (["--colour"], "there is no option"),
                (["run"], "takes FILE"),
                (["run", "a.yaml", "b.yaml"], "what is 'b.yaml'"),
                (["run", "model.yaml", "--untill", "3"], "did you mean '--until'"),
                (["run", "model.yaml", "--until"], "needs a value"),
                (["run", "model.yaml", "--quiet=yes"], "takes no value"),
                (["run", "model.yaml", "--until", "soon"], "is no time"),
                (["run", "model.yaml", "--until", "0"], "must lie after the start"),
                (["run", "model.yaml", "--until", "-1"], "must lie after the start|is no time"),
                (["run", "model.yaml", "--seed", "x"], "--seed"),
                (["run", "model.yaml", "--seed", "99999999999999999999"], "--seed"),
                (["run", "model.yaml", "--format", "xls"], "no format 'xls'"),
                (["run", "model.yaml", "--format", "csv,h5"], "'h5' is not yet supported"),
                (["run", "model.yaml", "--progress", "loud"], "none of auto, json, none"),
                (["run", "model.yaml", "--set", "k"], "NAME=VALUE"),
                (["run", "model.yaml", "--record", "nothing.*"], "no channel matches"),
                (["compare", "a"], "takes A B"),
                (["compare", "a", "b", "--rtol", "-1"], "rtol"),
                (["plot", "model"], "takes RESULTS EXPR"),
                (["explain", "IB9999"], "no message with the ID"),
                (["explain", "words"], "no message with the ID"),
                (["schema", "poem"], "no kind of file"),
                (["schema", "board"], "not yet supported"),
                (["run", "missing.yaml"], "missing.yaml"),
                (["run", "x.fmu"], "x.fmu"),
                (["run", "x.ssp"], "not yet supported"),
                (["run", "model.yaml", "--event-mode"], "not yet supported for models"),
                (["fmu", "show", "x.fmu"], "info, check, run, build or diff first, not 'show'"),
                (["fmu", "diff", "x.fmu"], "takes two FMUs"),
                (["fmu", "info", "missing.fmu"], "missing.fmu"),
                (["info", "missing"], "missing")]:
            done = self.ironbird(*arguments, code=2)
            self.assertRegex(done.stderr, message)
            self.assertRegex(done.stderr, r"\[IB\d{4}\]")
            self.assertEqual(done.stdout, "")
        self.assertFalse((self.folder / "out").exists())

    def test_kinds(self):
        for key in ("board", "study"):
            self.write("file.yaml", f"# a comment\n{key}:\n  a: 1\n")
            done = self.ironbird("run", "file.yaml", code=2)
            self.assertRegex(done.stderr, f"file.yaml:2:1: .*{key}.*not yet supported")

    def test_explain(self):
        for text in ("IB0802", "ib0802", "[IB0802]", "802"):
            self.assertRegex(self.ironbird("explain", text).stdout, "^IB0802: .*folder")

    def test_every_id_is_explained(self):
        text = (SOURCE / "src/base/diagnostics.def").read_text()
        names = re.findall(r"^IB_DIAG\((IB\d{4}),", text, re.M)
        self.assertEqual(len(names), len(set(names)))
        for name in names[::7]:
            self.assertIn(name, self.ironbird("explain", name).stdout)

    def test_schema(self):
        import json
        self.assertIn("$defs", json.loads(self.ironbird("schema").stdout))
        self.assertEqual(self.ironbird("schema").stdout, self.ironbird("schema", "model").stdout)
        self.assertIn("vehicles", json.loads(self.ironbird("schema", "mission").stdout)["$defs"]["mission"]["properties"])

    def test_colour_only_on_terminals(self):
        done = self.ironbird("run", "missing.yaml", code=2, env={"TERM": "xterm"})
        self.assertNotIn("\033", done.stderr)


class Documents(CliTest):
    def test_completion(self):
        for shell in ("bash", "zsh", "fish"):
            text = self.ironbird("--completion", shell).stdout
            for word in BUILT + ["until", "progress", "channels"]:
                self.assertIn(word, text)
            self.assertNotIn("strict", text)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=text, text=True, check=True)
        self.ironbird("--completion", "cmd", code=2)

    def test_bash_completes(self):
        script = self.ironbird("--completion", "bash").stdout
        script += ('COMP_WORDS=(ironbird run --unt); COMP_CWORD=2; _ironbird; echo "${COMPREPLY[@]}"\n'
                   'COMP_WORDS=(ironbird com); COMP_CWORD=1; _ironbird; echo "${COMPREPLY[@]}"\n'
                   'COMP_WORDS=(ironbird run --progress j); COMP_CWORD=3; _ironbird\n'
                   'echo "${COMPREPLY[@]}"\n')
        done = subprocess.run(["bash"], input=script, text=True, capture_output=True, check=True)
        self.assertEqual(done.stdout.split(), ["--until", "compare", "json"])

    def test_man_pages(self):
        for arguments in [[]] + [[command] for command in BUILT]:
            text = self.ironbird("--man", *arguments).stdout
            name = "-".join(["ironbird", *arguments])
            self.assertTrue(text.startswith(f"{name}(1)\n"))
            for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS"):
                self.assertIn(f"\n# {heading}\n", text)
            if shutil.which("scdoc"):
                page = subprocess.run(["scdoc"], input=text, text=True, capture_output=True, check=True)
                self.assertIn(".TH", page.stdout)
        self.ironbird("--man", "sweep", code=2)


if __name__ == "__main__":
    unittest.main()
