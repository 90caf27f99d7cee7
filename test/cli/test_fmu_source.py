"""Source FMUs: built with the system's compiler, kept beside the archive, built anew when something
changes."""
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import time
import unittest

from cli_test import PROGRAM, SOURCE
from fmu_test import FmuTest

BUILD = """<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0">
  <BuildConfiguration modelIdentifier="{identifier}"{platform}>
    <SourceFileSet language="{language}"{options}>
      <SourceFile name="{file}"/>
      {definition}
    </SourceFileSet>
    {library}
  </BuildConfiguration>
</fmiBuildDescription>
"""


class SourceTest(FmuTest):
    def setUp(self):
        super().setUp()
        if not shutil.which(os.environ.get("CC", "cc")):
            self.skipTest("no C compiler")
        self.cache = self.folder / "cache"

    def ironbird(self, *arguments, code=0, env=None, **options):
        return super().ironbird(*arguments, code=code,
                                env={"XDG_CACHE_HOME": str(self.cache), **(env or {})}, **options)

    def build_description(self, identifier="tester3", file="tester3.c", language="C99", options="",
                          definition="", platform="", library=""):
        return BUILD.format(identifier=identifier, file=file, language=language, options=options,
                            definition=definition, platform=platform, library=library)

    def make3(self, name="tester3.fmu", source=None, build=None, others=(), change=lambda t: t,
              file="tester3.c"):
        text = (SOURCE / "test/fmus/tester3.c").read_text() if source is None else source
        description = (SOURCE / "test/fmus/tester3.xml").read_text()
        return self.fmu(name, change(description),
                        [("sources/buildDescription.xml", build or self.build_description()),
                         (f"sources/{file}", text), ("resources/hello.txt", "hello"), *others])

    def make2(self, name="tester2.fmu", prefix=True, files='<File name="tester2.c"/>', others=(),
              file="tester2.c"):
        text = (SOURCE / "test/fmus/tester2.c").read_text()
        if prefix:
            text = "#define FMI2_FUNCTION_PREFIX tester2_\n" + text
        description = (SOURCE / "test/fmus/tester2.xml").read_text()
        whole = description.replace("<CoSimulation ", "<CoSimulation ", 1)
        at = whole.index("<CoSimulation ")
        end = whole.index(">", at)
        inside = f"<SourceFiles>{files}</SourceFiles>"
        if whole[end - 1] == "/":
            whole = whole[:end - 1] + ">" + inside + "</CoSimulation>" + whole[end + 1:]
        else:
            whole = whole[:end + 1] + inside + whole[end + 1:]
        return self.fmu(name, whole, [(f"sources/{file}", text), ("resources/hello.txt", "hello"),
                                      *others])

    def kept(self, name="tester3.fmu"):
        """Keys under which libraries are kept."""
        folder = self.folder / f"{name}.runtime"
        return sorted(p.name for p in folder.iterdir() if p.name != ".lock") if folder.is_dir() else []

    def run_fmu(self, name="tester3.fmu", *options, code=0, **more):
        return self.ironbird("run", name, "--out", "out", *options, code=code, **more)


class Builds(SourceTest):
    def test_fmi3(self):
        path = self.make3()
        before = path.read_bytes()
        done = self.run_fmu()
        self.assertIn("note: the library of tester3 was built from source with", done.stderr)
        self.assertIn("tester3.fmu.runtime", done.stderr)
        header, rows = self.rows("out")
        self.assertEqual([row[header.index("steps")] for row in rows], list(range(11)))
        # Resources are beside the library.
        self.assertEqual(rows[0][header.index("found")], 1)
        self.assertEqual(path.read_bytes(), before)
        self.assertEqual(len(self.kept()), 1)
        self.assertFalse(self.cache.exists())
        # The second run takes what is there.
        again = self.run_fmu()
        self.assertEqual(again.stderr, "")

    def test_fmi2_with_a_prefix_and_without(self):
        for prefix in (True, False):
            self.make2(prefix=prefix)
            done = self.run_fmu("tester2.fmu")
            self.assertIn("was built from source", done.stderr)
            header, rows = self.rows("out")
            self.assertEqual([row[header.index("steps")] for row in rows], list(range(11)))
        self.assertEqual(len(self.kept("tester2.fmu")), 2)
        # The resources' URI leads beside the library, whatever the folder's name.
        folder = self.folder / "other/tmp a b#c%20ü"
        folder.mkdir(parents=True)
        self.make2("other/tmp a b#c%20ü/tester2.fmu")
        self.run_fmu("other/tmp a b#c%20ü/tester2.fmu")
        header, rows = self.rows("out")
        self.assertEqual(rows[0][header.index("flag")], 1)

    def test_a_prefix_of_fmi3_is_overridden(self):
        text = (SOURCE / "test/fmus/tester3.c").read_text()
        self.make3(source="#define FMI3_FUNCTION_PREFIX tester3_\n" + text)
        self.run_fmu()

    def test_fmu_build(self):
        self.make3()
        done = self.ironbird("fmu", "build", "tester3.fmu")
        library = pathlib.Path(done.stdout.strip())
        self.assertTrue(library.is_file())
        self.assertTrue(library.is_absolute())
        self.assertEqual(library.name, "tester3.so")
        self.assertEqual(self.ironbird("fmu", "build", "tester3.fmu").stdout, done.stdout)
        answer = self.ironbird("fmu", "build", "tester3.fmu", "--json").stdout
        self.assertIn(f'"libraries": ["{library}"]', answer)
        self.fmu("bare.fmu", (SOURCE / "test/fmus/tester3.xml").read_text())
        done = self.ironbird("fmu", "build", "bare.fmu", code=1)
        self.assertIn("has no sources to build", done.stderr)
        self.ironbird("fmu", "build", "missing.fmu", code=2)

    def test_what_changes_is_built_anew(self):
        self.make3()
        self.run_fmu()
        self.make3(others=[("documentation/new.txt", "another archive")])
        self.assertIn("was built", self.run_fmu().stderr)
        self.assertEqual(len(self.kept()), 2)
        # Another compiler, and another option of it.
        compiler = self.write("other-cc", "#!/bin/sh\n[ \"$1\" = --version ] && echo other 1.0 && "
                              "exit 0\nexec cc \"$@\"\n")
        compiler.chmod(0o755)
        self.assertIn("was built", self.run_fmu(env={"CC": str(compiler)}).stderr)
        self.assertIn("was built", self.run_fmu(env={"CC": f"{compiler} -DEXTRA"}).stderr)
        self.assertEqual(len(self.kept()), 4)
        self.assertEqual(self.run_fmu().stderr, "")
        # A newer version of a compiler is another compiler.
        compiler.write_text(compiler.read_text().replace("1.0", "1.1"))
        self.assertIn("was built", self.run_fmu(env={"CC": str(compiler)}).stderr)

    def test_a_damaged_library_is_built_anew(self):
        self.make3()
        library = pathlib.Path(self.ironbird("fmu", "build", "tester3.fmu").stdout.strip())
        whole = library.read_bytes()
        library.write_bytes(whole[:len(whole) // 2])
        self.assertIn("was built", self.run_fmu().stderr)
        library.chmod(0o777)  # anybody may have written it
        self.assertIn("was built", self.run_fmu().stderr)
        self.assertEqual(stat.S_IMODE(library.stat().st_mode), 0o755)

    def test_the_users_cache_where_the_folder_cannot_be_written(self):
        self.make3()
        self.write("tester3.fmu.runtime", "a file is in the way")
        done = self.run_fmu()
        self.assertIn("cache/ironbird/fmu", done.stderr)
        self.assertEqual(self.run_fmu().stderr, "")
        shutil.rmtree(self.cache)
        self.cache.write_text("in the way, too")
        done = self.run_fmu(code=3)
        self.assertIn("neither 'tester3.fmu.runtime' nor the user's cache can be written", done.stderr)

    def test_names_with_blanks(self):
        (self.folder / "a b#c%20ü").mkdir()
        self.make3("a b#c%20ü/tester3.fmu")
        self.run_fmu("a b#c%20ü/tester3.fmu")
        header, rows = self.rows("out")
        self.assertEqual(rows[0][header.index("found")], 1)

    def test_own_headers_come_first(self):
        text = (SOURCE / "test/fmus/tester3.c").read_text()
        ours = (SOURCE / "src/fmi/headers/fmi3Functions.h").read_text()
        self.make3(source="#ifndef OWN_HEADER\n#error not mine\n#endif\n".join(
                       ["#include <fmi3Functions.h>\n", text.replace("#include <fmi3Functions.h>", "")]),
                   others=[("sources/fmi3Functions.h", "#define OWN_HEADER\n" + ours)])
        self.run_fmu()

    def test_definitions_includes_options_libraries(self):
        text = (SOURCE / "test/fmus/tester3.c").read_text()
        source = ('#include "deep.h"\n#if VALUE != 42 || !defined(FLAG) || !defined(OPTION)\n'
                  "#error\n#endif\n") + text
        build = self.build_description(
            options=' compilerOptions="-DOPTION -fno-strict-aliasing -fplugin=/tmp/evil.so -o /tmp/x"',
            definition='<PreprocessorDefinition name="VALUE" value="42"/>'
                       '<PreprocessorDefinition name="FLAG"/>'
                       '<PreprocessorDefinition name="BAD" optional="true"/>'
                       '<IncludeDirectory name="inc"/>',
            library='<Library name="m" external="true"/>')
        self.make3(source=source, build=build, others=[("sources/inc/deep.h", "#define DEEP\n")])
        done = self.run_fmu()
        self.assertIn("option '-fplugin=/tmp/evil.so' that the FMU asks for is not passed on",
                      done.stderr)
        self.assertIn("'-o'", done.stderr)

    def test_sources_of_cplusplus(self):
        if not shutil.which("c++"):
            self.skipTest("no C++ compiler")
        extra = 'extern "C" int nothing(void) { return []{ return 0; }(); }\n'
        build = self.build_description().replace(
            "</SourceFileSet>", '</SourceFileSet><SourceFileSet language="C++17">'
            '<SourceFile name="extra.cpp"/></SourceFileSet>', 1)
        self.make3(build=build, others=[("sources/extra.cpp", extra)])
        self.run_fmu()

    def test_configurations_of_other_platforms(self):
        both = self.build_description(file="none.c", platform=' platform="x86_64-windows"').replace(
            "</fmiBuildDescription>", "") + self.build_description().split("\n", 2)[2]
        self.make3(build=both)
        self.run_fmu()
        # The only one there is may be for another library: exporters copy these files.
        other = self.build_description(identifier="other")
        self.make3(build=other)
        done = self.run_fmu()
        self.assertRegex(done.stderr, r"warning: no build configuration is for 'tester3' on \w+-linux")
        self.make3(build=other.replace("</fmiBuildDescription>", "") +
                   self.build_description(identifier="third").split("\n", 2)[2])
        done = self.run_fmu(code=3)
        self.assertRegex(done.stderr, r"no build configuration is for 'tester3' on \w+-linux")

    def test_the_only_c_file_stands_in(self):
        self.make3(build=self.build_description(file="gone.c"))
        done = self.run_fmu()
        self.assertIn("warning: the FMU lists a source file that is not there: sources/gone.c",
                      done.stderr)
        self.assertIn("sources/tester3.c, is compiled", done.stderr)
        self.make2(files="")
        self.assertIn("lists no source files", self.run_fmu("tester2.fmu").stderr)
        self.make3(build=self.build_description(file="gone.c"), others=[("sources/b.c", "")])
        done = self.run_fmu(code=3)
        self.assertIn("error: the FMU lists a source file that is not there", done.stderr)


class Failures(SourceTest):
    def test_errors_have_their_place(self):
        self.make3(source="int one;\nint two = three;\n")
        done = self.run_fmu(code=3)
        self.assertRegex(done.stderr,
                         r"tester3.fmu/sources/tester3.c:2:\d+: error: .*three.*\[IB1053\]")
        self.assertIn("int two = three;", done.stderr)
        self.assertNotIn(str(self.temporary), done.stderr)
        self.assertEqual(self.kept(), [])
        done = self.ironbird("fmu", "build", "tester3.fmu", code=1)
        self.assertIn("[IB1053]", done.stderr)

    def test_the_linkers_errors(self):
        text = (SOURCE / "test/fmus/tester3.c").read_text()
        self.make3(source=text + "void nowhere(void);\nvoid call(void) { nowhere(); }\n")
        done = self.run_fmu(code=3)
        self.assertRegex(done.stderr, "linking the library: .*undefined reference to .nowhere")
        self.assertEqual(self.kept(), [])

    def test_no_compiler(self):
        self.make3()
        done = self.run_fmu(code=3, env={"CC": "no-such-compiler"})
        self.assertIn("there is no compiler 'no-such-compiler'", done.stderr)
        self.assertIn("variable CC", done.stderr)

    def test_a_compiler_that_dies(self):
        self.make3()
        for text, message in [("kill -9 $$", "was killed"), ("exit 1", "failed"),
                              ("exit 0", "left no library")]:
            compiler = self.write("bad-cc", "#!/bin/sh\n[ \"$1\" = --version ] && echo bad && exit 0\n"
                                  f"{text}\n")
            compiler.chmod(0o755)
            done = self.run_fmu(code=3, env={"CC": str(compiler)})
            self.assertIn(f"the compiler '{compiler}' {message}", done.stderr)
            self.assertEqual(self.kept(), [])
        compiler.write_text("#!/bin/sh\nexit 3\n")
        done = self.run_fmu(code=3, env={"CC": str(compiler)})
        self.assertIn("asked for its version", done.stderr)

    def test_a_build_that_is_killed_half_way(self):
        self.make3()
        compiler = self.write("slow-cc", "#!/bin/sh\n[ \"$1\" = --version ] && echo slow && exit 0\n"
                              "case \"$*\" in *-shared*) touch started; exec sleep 60;; esac\n"
                              "exec cc \"$@\"\n")
        compiler.chmod(0o755)
        environment = {**os.environ, "CC": str(compiler), "TMPDIR": str(self.temporary)}
        running = subprocess.Popen([PROGRAM, "run", "tester3.fmu", "--out", "o"], cwd=self.folder,
                                   env=environment, start_new_session=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (self.folder / "started").exists():
            self.assertIsNone(running.poll())
            time.sleep(0.01)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        self.assertEqual(self.kept(), [])
        # The next one is not hindered, and sweeps what was left.
        (self.folder / "tester3.fmu.runtime/.new-abcdef").mkdir()
        self.run_fmu()
        self.assertEqual(len(self.kept()), 1)

    def test_two_at_one_time(self):
        self.make3()
        environment = {**os.environ, "TMPDIR": str(self.temporary)}
        running = [subprocess.Popen([PROGRAM, "run", "tester3.fmu", "--out", f"out{i}"],
                                    cwd=self.folder, env=environment, stderr=subprocess.PIPE,
                                    stdout=subprocess.DEVNULL, text=True) for i in range(4)]
        texts = [process.communicate()[1] for process in running]
        self.assertEqual([process.returncode for process in running], [0] * 4)
        self.assertEqual(sum("was built" in text for text in texts), 1)
        self.assertEqual(len(self.kept()), 1)

    def test_paths_that_leave(self):
        for file in ("../tester3.c", "/etc/passwd", "a/../../x.c"):
            self.make3(build=self.build_description(file=file))
            done = self.run_fmu(code=3)
            self.assertRegex(done.stderr, r"buildDescription.xml:5:\d+: error: '.*' is no path below")

    def test_malformed_build_descriptions(self):
        for text, message in [
                (self.build_description().replace("</SourceFileSet>", ""), "malformed XML"),
                ("<!DOCTYPE x []>" + self.build_description().split("\n", 1)[1], "document type"),
                (self.build_description().replace(' name="tester3.c"', ""), "needs the attribute"),
                (self.build_description(definition='<PreprocessorDefinition name="-I/"/>'),
                 "no name of a macro"),
                (self.build_description(library='<Library name="../m"/>'), "no name of a library")]:
            self.make3(build=text)
            done = self.run_fmu(code=3)
            self.assertIn(message, done.stderr)
            self.assertIn("tester3.fmu/sources/buildDescription.xml", done.stderr)


if __name__ == "__main__":
    unittest.main()
