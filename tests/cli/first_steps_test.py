#!/usr/bin/env python3
"""What somebody meets who uses `cove` for the first time: slips are answered with what to do instead."""

import base64
import os
import stat
import subprocess
import unittest

from cove_command import COVE, CoveTestCase, Run, cove, run_json

# Also from a clone below a directory that only root enters.
NOBODY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/as-ordinary-user")


def as_nobody(*words):
    """As an ordinary user, which here also means: without a control group."""
    return Run(subprocess.run([NOBODY, COVE, *words], input=b"", capture_output=True, timeout=60, check=False))


class Words(CoveTestCase):
    def refused(self, *words):
        run = cove(*words)
        self.assertEqual((run.code, run.out), (125, b""), run.said)
        return run.said

    def test_unknown_commands_are_named_and_the_others_listed(self):
        for words, bad in ((["runn", "x.py"], '"runn"'), (["--versoin"], '"--versoin"'),
                           (["policy", "chekc", "strict"], '"chekc"')):
            said = self.refused(*words)
            self.assertIn(bad, said)
        self.assertIn("run, doctor, languages, policy", self.refused("runn"))
        self.assertIn("run, doctor, languages, policy", self.refused())
        self.assertIn("show, check", self.refused("policy"))

    def test_help_is_a_command_too(self):
        self.assertEqual(cove("help").text, cove("--help").text)
        self.assertEqual(cove("help", "run").text, cove("run", "--help").text)
        self.assertIn("--timeout", cove("help", "run").text)

    def test_arguments_belong_after_the_mark(self):
        said = self.refused("run", self.write("a.py", "1"), "extra")
        self.assertIn('"extra"', said)
        self.assertIn("arguments of the program go after --", said)
        self.assertIn('"--top"', self.refused("run", self.write("a.py", "1"), "--top"))

    def test_repeated_options_look_repeated(self):
        text = cove("run", "--help").text
        self.assertIn("--env NAME=VALUE", text)
        self.assertIn("may be repeated", text)
        self.assertNotIn("...", text)
        run = cove("run", "--env", "A=1", "--env", "B=2", "--code", "import os; print(os.environ['A'], os.environ['B'])")
        self.assertEqual(run.text, "1 2\n", run.said)

    def test_figures_say_what_is_allowed(self):
        for option, values, allowed in (("--pids", ("0", "-1", "x", "1.5"), "from 1 to 1000000"),
                                        ("--cpus", ("0", "abc", "-1", "1e9"), "from 0.01 to 1024")):
            for value in values:
                said = self.refused("run", f"{option}={value}", "--code", "1")
                self.assertIn(option, said)
                self.assertIn(allowed, said)
                self.assertIn(f'"{value}"', said)

    def test_refusals_name_the_option(self):
        self.assertIn("--timeout: ", self.refused("run", "--timeout", "0s", "--code", "1"))
        self.assertIn("--memory: ", self.refused("run", "--memory", "1k", "--code", "1"))
        said = self.refused("run", "--backend", "local", "--policy", "host_local", "--memory", "64m", "--code", "1")
        self.assertIn("leave out --memory", said)
        self.assertNotIn("limits.memory", said)
        self.assert_error(run_json("--timeout", "0s", "--code", "1"), "invalid_request", "timeout_ms")

    def test_options_of_json_need_it(self):
        for words in (["--truncate", "notice"], ["--contents"]):
            self.assertIn("--json", self.refused("run", *words, "--code", "1"))

    def test_a_directory_is_no_file(self):
        said = self.refused("run", "--file", self.scratch.name, "--code", "1")
        self.assertIn("is a directory; files go one by one", said)


class Languages(CoveTestCase):
    def test_a_file_of_an_unknown_kind_is_refused(self):
        for name, text in (("x.pas", "begin end."), ("x.cob", "STOP RUN."), ("tool", "#!/usr/bin/env fish\necho 1")):
            run = cove("run", self.write(name, text))
            self.assertEqual((run.code, run.out), (125, b""), name)
            self.assertIn("--language", run.said)
        self.assertIn('".pas"', cove("run", self.write("x.pas", "")).said)
        self.assertIn('"fish"', cove("run", self.write("tool", "#!/usr/bin/fish\n")).said)
        self.assert_error(run_json(self.write("x.pas", "")), "unsupported_language", "--language")

    def test_it_is_still_python_without_a_sign(self):
        for words, stdin in ((["run", self.write("plain", "print(1)")], b""), (["run", "-"], b"print(1)"),
                             (["run", "--code", "print(1)"], b""),
                             (["run", "--language", "python", self.write("x.cpp", "print(1)")], b"")):
            self.assertEqual(cove(*words, stdin=stdin).text, "1\n", words)

    def test_the_first_line_wins_over_the_extension(self):
        script = "#!/bin/bash\necho ${BASH_VERSION:+bash}"
        self.assertEqual(cove("run", self.write("a.sh", script)).text, "bash\n")
        self.assertEqual(cove("run", self.write("a.txt", script)).text, "bash\n")
        self.assertEqual(cove("run", self.write("b.sh", "#!/usr/bin/weird\necho sh")).text, "sh\n")

    def test_a_first_line_that_names_the_interpreter_does_not_change_the_language(self):
        languages = {entry["name"]: entry["usable"] for entry in cove("languages", "--json").json()["languages"]}
        if not languages.get("typescript"):
            self.skipTest("no typescript here")
        run = cove("run", self.write("a.ts", "#!/usr/bin/env node\nconst x: number = 6 * 7;\nconsole.log(x);\n"))
        self.assertEqual(run.text, "42\n", run.said)

    def test_matplotlib_of_the_distribution(self):
        try:
            subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("python3-matplotlib is not installed")
        run = cove("run", "--out", self.path("out"), "--timeout", "50s", "--code",
                   "import matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt\n"
                   "plt.plot([1, 2, 3]); plt.title('three'); plt.savefig('plot.png')")
        self.assertEqual(run.code, 0, run.said)
        with open(self.path("out/plot.png"), "rb") as file:
            self.assertEqual(file.read(4), b"\x89PNG")

    def test_profiles_that_do_not_load(self):
        missing = cove("run", "--profile", self.path("none.toml"), "--code", "1").said
        self.assertIn("No such file", missing)
        self.assertNotIn("field", missing)
        base = cove("run", "--profile", self.write("a.toml", "name = 'a'\nextends = 'pyton'\n"), "--code", "1").said
        self.assertIn('"pyton"', base)
        self.assertIn("python, ", base)
        key = cove("run", "--profile", self.write("b.toml", "nmae = 'b'\nextends = 'python'\n"), "--code", "1").said
        self.assertIn('"nmae"', key)


class Limits(CoveTestCase):
    def test_processor_time_is_not_called_the_timeout(self):
        run = cove("run", "--cpu-time", "300ms", "--code", "while True: pass")
        self.assertIn("--cpu-time", run.said)
        self.assertNotIn("--timeout", run.said)

    def test_processes_are_the_programs_own(self):
        count = ("import os, time\nmade = 0\ntry:\n  while made < 50:\n    if os.fork() == 0: time.sleep(5); os._exit(0)\n"
                 "    made += 1\nexcept OSError: print(made)")
        for limit in (2, 8):
            self.assertEqual(cove("run", "--pids", str(limit), "--code", count).text, f"{limit - 1}\n")
        self.assertEqual(cove("run", "--pids", "1", "--code", count).text, "0\n")
        self.assertEqual(cove("run", "--pids", "1", "-l", "bash", "--code", "echo one").text, "one\n")

    def test_a_limit_without_a_group_gets_a_hint(self):
        if os.geteuid() != 0:
            self.skipTest("needs another user")
        run = as_nobody("run", "--memory", "64m", "--code", "x = bytearray(10**9)")
        self.assertEqual(run.code, 1, run.said)
        self.assertIn("MemoryError", run.said)
        self.assertIn("--memory", run.said)


class OutputFiles(CoveTestCase):
    def test_the_directory_is_checked_before_the_run(self):
        occupied = self.write("file", "x")
        for out in (occupied, os.path.join(occupied, "below"), ""):
            run = cove("run", "--out", out, "--code", "print('ran')")
            self.assertEqual((run.code, run.out), (125, b""), run.said)
            self.assertIn("--out", run.said)
        self.assert_error(run_json("--out", occupied, "--code", "1"), "invalid_request", "not a directory")

    def test_a_missing_right_is_named(self):
        if os.geteuid() != 0:
            self.skipTest("needs another user")
        run = as_nobody("run", "--out", "/usr/cove-none/below", "--code", "print('ran')")
        self.assertEqual((run.code, run.out), (125, b""))
        self.assertIn('"/usr": Permission denied', run.said)

    def test_what_is_not_written_is_said(self):
        code = "import os\nos.symlink('/etc/passwd', 'link'); os.mkfifo('pipe'); open('file', 'w').write('x')"
        run = cove("run", "--out", self.path("out"), "--code", code)
        self.assertEqual(run.code, 0)
        self.assertIn("link: not written (symbolic link)", run.said)
        self.assertIn("pipe: not written (named pipe)", run.said)
        self.assertEqual(os.listdir(self.path("out")), ["file"])
        self.assertTrue(stat.S_ISREG(os.lstat(self.path("out/file")).st_mode))
        self.assertEqual(cove("run", "--code", code).err, b"")

    def test_what_is_not_asked_for_is_no_matter(self):
        run = cove("run", "--disk", "64m", "--code", "open('big', 'wb').write(bytes(20 << 20))")
        self.assertEqual((run.code, run.err), (0, b""))
        kept = cove("run", "--disk", "64m", "--out", self.path("out"), "--code", "open('big', 'wb').write(bytes(20 << 20))")
        self.assertIn("16 MiB", kept.said)

    def test_contents_in_the_json(self):
        code = "open('a.bin', 'wb').write(b'\\x00\\xff')"
        [file] = run_json("--contents", "--code", code).json()["output_files"]
        self.assertEqual(base64.b64decode(file["content"]), b"\x00\xff")
        [file] = run_json("--contents", "--out", self.path("out"), "--code", code).json()["output_files"]
        self.assertEqual(base64.b64decode(file["content"]), b"\x00\xff")
        self.assertEqual(os.listdir(self.path("out")), ["a.bin"])
        [file] = run_json("--code", code).json()["output_files"]
        self.assertNotIn("content", file)


class Policies(CoveTestCase):
    def check(self, *words):
        """What `policy check` says, which must be what `run` does."""
        checked = cove("policy", "check", *words, "--json").json()
        self.assertEqual(cove("policy", "check", *words).code, 0 if checked["enforceable"] else 125)
        ran = cove("run", "--policy", *words, "--code", "1")
        self.assertEqual(ran.code == 0, checked["enforceable"], ran.said)
        return checked

    def test_paths_that_a_run_would_refuse(self):
        missing = self.write("a.toml", f"name = 'a'\nfilesystem = {{ kind = 'paths', read_only = ['{self.path('no')}'] }}\n")
        checked = self.check(missing)
        self.assertFalse(checked["enforceable"])
        self.assertIn("does not exist", checked["refusals"][0]["problem"])
        if os.geteuid() == 0:
            root = self.write("b.toml", f"name = 'b'\nfilesystem = {{ kind = 'workspace_read_write', root = '{self.scratch.name}' }}\n")
            self.assertIn("belongs to root", self.check(root)["refusals"][0]["problem"])

    def test_defaults_that_do_not_hold_are_listed(self):
        checked = self.check("strict", "--isolation", "landlock")
        self.assertIn("limits.disk", checked["unenforced_defaults"])
        self.assertIn("not enforced here (asking for one by name is refused)",
                      cove("policy", "check", "strict", "--isolation", "landlock").text)

    def test_explain_as_one_object(self):
        report = run_json("--explain", "--code", "1").json()
        self.assertTrue(report["enforceable"])
        self.assertEqual((report["policy"], report["language"]), ("strict", "python"))
        self.assertTrue(any(step.startswith("pivot root") for step in report["steps"]))
        refused = run_json("--explain", "--backend", "local", "--code", "1")
        self.assertEqual((refused.code, refused.json()["enforceable"]), (125, False))

    def test_files_stay_private_where_nothing_is_asked(self):
        self.assertIn("keeps files private", cove("run", "--explain", "--policy", "host_local", "--code", "1").text)


if __name__ == "__main__":
    unittest.main()
