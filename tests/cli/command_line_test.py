#!/usr/bin/env python3
"""How `cove` behaves for a person and for a shell script."""

import os
import pty
import select
import signal
import subprocess
import time
import unittest

from cove_command import COVE, CoveTestCase, cove, run_json


def on_a_terminal(*words, timeout=20):
    """What a terminal would show."""
    parent, child = pty.openpty()
    process = subprocess.Popen([COVE, *words], stdin=child, stdout=child, stderr=child,
                               close_fds=True)
    os.close(child)
    shown = b""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        ready, _, _ = select.select([parent], [], [], 0.2)
        if not ready:
            continue
        try:
            chunk = os.read(parent, 65536)
        except OSError:
            break
        if not chunk:
            break
        shown += chunk
    os.close(parent)
    process.wait(timeout=5)
    return shown


class ExitCodes(CoveTestCase):
    def test_own_code(self):
        self.assertEqual(cove("run", "--code", "raise SystemExit(7)").code, 7)

    def test_timeout_is_124_and_says_what_to_do(self):
        run = cove("run", "--timeout", "300ms", "--code", "while True: pass")
        self.assertEqual(run.code, 124)
        self.assertIn("cove: ", run.said)
        self.assertIn("--timeout", run.said)

    def test_signal_is_128_and_number(self):
        run = cove("run", "--language", "sh", "--code", "kill -TERM $$")
        self.assertEqual(run.code, 128 + 15)
        self.assertIn("SIGTERM", run.said)

    def test_refused_is_125(self):
        for words in (["run", "--language", "nope", "--code", "1"], ["run", "missing.py"],
                      ["run", "--policy", "nope", "--code", "1"], ["run", "--bogus"], ["bogus"], []):
            run = cove(*words)
            self.assertEqual(run.code, 125, words)
            self.assertIn("cove: ", run.said)
            self.assertEqual(run.out, b"")

    def test_interrupt_is_130_and_cleans_up(self):
        process = subprocess.Popen([COVE, "run", "--code", "print('up', flush=True)\nimport time; time.sleep(60)"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), b"up\n")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=5)
        self.assertEqual(process.returncode, 130)

    def test_a_reader_that_leaves_ends_the_run(self):
        process = subprocess.Popen([COVE, "run", "--code", "while True: print('y' * 1000)"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.read(10)
        process.stdout.close()
        started = time.monotonic()
        process.wait(timeout=10)
        process.stderr.close()
        self.assertLess(time.monotonic() - started, 5)
        self.assertEqual(process.returncode, 141)


class Programs(CoveTestCase):
    def test_language_by_extension_shebang_and_default(self):
        self.assertEqual(cove("run", self.write("a.sh", "echo $0 | wc -l")).text.strip(), "1")
        self.assertEqual(cove("run", self.write("tool", "#!/usr/bin/env bash\necho ${BASH_VERSION:+bash}")).text,
                         "bash\n")
        self.assertEqual(cove("run", self.write("plain", "print(6 * 7)")).text, "42\n")
        self.assertEqual(cove("run", "--language", "sh", self.write("b.py", "echo sh")).text, "sh\n")

    def test_program_from_stdin(self):
        self.assertEqual(cove("run", "-", stdin=b"print('from stdin')").text, "from stdin\n")
        self.assertEqual(cove("run", stdin=b"print('from stdin')").text, "from stdin\n")
        both = cove("run", "-", "--stdin", "-", stdin=b"print(1)")
        self.assertEqual(both.code, 125)

    def test_arguments(self):
        run = cove("run", "--code", "import sys; print(sys.argv[1:])", "--", "-x", "--json", "a b", "")
        self.assertEqual(run.text, "['-x', '--json', 'a b', '']\n")

    def test_stdin_file(self):
        data = self.write("data", "line\n")
        self.assertEqual(cove("run", "--stdin", data, "--code", "print(input())").text, "line\n")

    def test_environment(self):
        run = cove("run", "--env", "GREETING=hello=you", "--env", "EMPTY=", "--code",
                   "import os; print(os.environ['GREETING'], repr(os.environ['EMPTY']), 'SECRET' in os.environ)",
                   env={"SECRET": "1"})
        self.assertEqual(run.text, "hello=you '' False\n")
        self.assertEqual(cove("run", "--env", "NAME", "--code", "1").code, 125)
        self.assertEqual(cove("run", "--env", "LD_PRELOAD=/x", "--code", "1").code, 125)

    def test_files_in_and_out(self):
        source = self.write("numbers.csv", "1,2,3\n")
        out = self.path("out")
        run = cove("run", "--file", source, "--file", f"{source}=sub/copy.csv", "--out", out, "--code",
                   "import os\nprint(open('numbers.csv').read(), open('sub/copy.csv').read(), sep='', end='')\n"
                   "os.makedirs('r/s'); open('r/s/sum.txt', 'w').write('6')\n"
                   "open('numbers.csv', 'a').write('4\\n')")
        self.assertEqual((run.code, run.text), (0, "1,2,3\n1,2,3\n"), run.said)
        with open(os.path.join(out, "r/s/sum.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "6")
        with open(os.path.join(out, "numbers.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "1,2,3\n4\n")
        self.assertFalse(os.path.exists(os.path.join(out, "sub")))  # unchanged
        with open(source, encoding="utf-8") as file:
            self.assertEqual(file.read(), "1,2,3\n")  # the host's file is not touched

    def test_out_follows_no_link(self):
        out = self.path("out")
        os.makedirs(self.path("elsewhere"))
        os.makedirs(out)
        victim = self.write("victim", "precious")
        os.symlink(victim, os.path.join(out, "name"))
        os.symlink(self.path("elsewhere"), os.path.join(out, "dir"))
        cove("run", "--out", out, "--code",
             "import os; open('name', 'w').write('x'); os.mkdir('dir'); open('dir/f', 'w').write('x')")
        with open(victim, encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")
        self.assertEqual(os.listdir(self.path("elsewhere")), [])

    def test_only_run_takes_words_after_the_mark(self):
        for command in (["doctor"], ["languages"], ["policy", "show"], ["bench"], ["ps"], ["session", "ls"], ["keys", "list"]):
            refused = cove(*command, "--", "word")
            self.assertEqual((refused.code, refused.out), (125, b""), refused.said)
            self.assertIn("words after --", refused.said)
            self.assertIn(f"`cove {command[0]}`", refused.said)
        self.assertEqual(cove("languages", "--").code, 0)
        taken = cove("run", "--code", "import sys; print(sys.argv[1:])", "--", "--json", "x")
        self.assertEqual(taken.out, b"['--json', 'x']\n")

    def test_names_of_variables(self):
        for text, problem in (("A\nB=1", "--env A\\x0aB"), ("=1", "--env"), ("A", "--env"), ("", "--env")):
            refused = cove("run", "--env", text, "--code", "print('ran')")
            self.assertEqual((refused.code, refused.out), (125, b""), refused.said)
            self.assertIn(problem, refused.said)

    def test_file_names_that_climb_are_refused(self):
        source = self.write("f", "x")
        for name in ("../f", "/etc/f", "a/../../f"):
            self.assertEqual(cove("run", "--file", f"{source}={name}", "--code", "1").code, 125)

    def test_limits_are_passed_on(self):
        run = cove("run", "--pids", "8", "--code",
                   "import os, time\ntry:\n  for i in range(50):\n    if os.fork() == 0: time.sleep(3); os._exit(0)\n"
                   "except OSError: print('stopped at', i)")
        self.assertIn("stopped at", run.text)

    def test_profile_adds_a_language(self):
        profile = self.write("shout.toml", "name = 'shout'\nextension = 'shout'\n"
                                           "interpreters = ['/bin/sh']\nrun_args = ['{program}']\n")
        run = cove("run", "--profile", profile, "--code", "echo loud")
        self.assertEqual((run.code, run.text), (0, "loud\n"), run.said)


class Output(CoveTestCase):
    def test_output_streams_as_it_comes(self):
        process = subprocess.Popen(
            [COVE, "run", "--code", "import time\nprint('first', flush=True)\ntime.sleep(3)\nprint('second')"],
            stdout=subprocess.PIPE)
        started = time.monotonic()
        self.assertEqual(process.stdout.readline(), b"first\n")
        self.assertLess(time.monotonic() - started, 2)
        self.assertEqual(process.stdout.read(), b"second\n")
        process.stdout.close()
        process.wait(timeout=10)

    def test_streams_stay_apart(self):
        run = cove("run", "--code", "import sys; print('out'); print('err', file=sys.stderr)")
        self.assertEqual((run.out, run.err), (b"out\n", b"err\n"))

    def test_bytes_pass_unchanged_to_a_pipe(self):
        run = cove("run", "--code", "import sys; sys.stdout.buffer.write(b'\\x1b[31m\\xff\\x00')")
        self.assertEqual(run.out, b"\x1b[31m\xff\x00")

    def test_escapes_are_neutralised_on_a_terminal(self):
        code = "print('\\x1b]0;owned\\x07 \\x1b[2J red \\u20ac')"
        shown = on_a_terminal("run", "--code", code)
        self.assertNotIn(b"\x1b]0;", shown)
        self.assertNotIn(b"\x1b[2J", shown)
        self.assertIn(b"^[]0;owned^G ^[[2J red \xe2\x82\xac", shown)

    def test_raw_keeps_them(self):
        self.assertIn(b"\x1b[31mred", on_a_terminal("run", "--raw", "--code", "print('\\x1b[31mred')"))

    def test_progress_on_a_terminal_only(self):
        code = "import time; time.sleep(3.2)"
        self.assertIn(b"running", on_a_terminal("run", "--code", code))
        self.assertEqual(cove("run", "--code", code).err, b"")

    def test_cut_output_is_mentioned(self):
        run = cove("run", "--code", "print('x' * 3000000)")
        self.assertEqual(len(run.out), 1 << 20)
        self.assertIn("stdout was cut", run.said)


class Backends(CoveTestCase):
    def test_local_is_refused_under_the_default_policy(self):
        witness = self.path("witness")
        run = cove("run", "--backend", "local", "--code", f"open({witness!r}, 'w')")
        self.assertEqual(run.code, 125)
        self.assertIn("--policy host_local", run.said)
        self.assertFalse(os.path.exists(witness))

    def test_local_runs_trusted_code(self):
        run = run_json("--backend", "local", "--policy", "host_local", "--code", "print(1)")
        self.assertEqual((run.code, run.json()["isolation"]), (0, "none"))

    def test_explain_runs_nothing(self):
        run = cove("run", "--explain", "--code", "print('must not run')")
        self.assertEqual(run.code, 0)
        self.assertIn("network", run.text)
        self.assertIn("pivot", run.text)
        self.assertNotIn("must not run\n", run.text)
        self.assertNotIn("compiler", run.text)
        run = cove("run", "--explain", "--language", "c", "--code", "int main(void) {}")
        self.assertRegex(run.text, r"(?m)^The compiler has .* limits of its own: 1 min for each step, .* Its steps:$")
        compiler, program = run.text.split("\nWhat it builds is run within the limits above. The steps:\n")
        self.assertRegex(compiler, r"exec +/\S*gcc ")
        self.assertRegex(program, r"open tree +/\S+/builds/[0-9a-f]+/files\n")
        self.assertRegex(program, r"exec +/run/cove/build/main\n")
        steps = run_json("--explain", "--language", "c", "--code", "int main(void) {}").json()
        self.assertIn("/run/cove/build/main", steps["steps"][-1])
        self.assertIn("gcc", steps["compiler_steps"][-1])
        self.assertIn("1 min for each step", steps["compiler_limits"])
        refused = cove("run", "--explain", "--backend", "local", "--code", "1")
        self.assertEqual(refused.code, 125)

    def test_compiling_has_a_limit_of_its_own(self):
        run = cove("run", "--language", "cpp", "--compile-timeout", "20ms",
                   "--code", "#include <regex>\nint main() { std::regex r(\"%s\"); }" % os.urandom(8).hex())
        self.assertEqual(run.code, 124)
        self.assertIn("compiling takes at most 20 ms (compile_timeout)", run.said)
        for words, said in ((["-c", "1"], "not for python"), (["-l", "c", "-c", "1", "--backend", "local"], "not of local")):
            run = cove("run", "--compile-timeout", "1s", *words)
            self.assertEqual(run.code, 125)
            self.assertIn(said, run.said)

    def test_a_limit_that_local_cannot_hold_is_refused(self):
        run = cove("run", "--backend", "local", "--policy", "host_local", "--memory", "64m", "--code", "1")
        self.assertEqual(run.code, 125)
        self.assertIn("memory", run.said)

    def test_options_of_containers_need_that_backend(self):
        for words in (["--image", "x"], ["--engine", "docker"], ["--runtime", "runsc"], ["--pull"]):
            run = cove("run", *words, "--code", "1")
            self.assertEqual(run.code, 125)
            self.assertIn(words[0] + " is an option of --backend container", run.said)
        run = cove("run", "--docker-host", "unix:///x", "--code", "1")
        self.assertEqual(run.code, 125)
        self.assertIn("--docker-host is an option of --backend docker", run.said)

    def test_docker_is_never_another_backend(self):
        run = cove("run", "--backend", "docker", "--docker-host", "unix:///nowhere.sock", "--code", "1")
        self.assertEqual(run.code, 125)
        self.assertIn("no Docker engine answers", run.said)
        self.assertEqual(cove("run", "--backend", "docker", "--help").text, cove("run", "--help").text)
        self.assertEqual(cove("run", "--timeout", "--backend", "docker", "--code", "1").code, 125)

    def test_the_level_is_of_the_native_backend(self):
        for backend in ("local", "container"):
            for command in (["run", "--code", "1"], ["policy", "check", "strict"]):
                run = cove(*command, "--backend", backend, "--isolation", "landlock")
                self.assertEqual(run.code, 125, command)
                self.assertIn("--isolation is an option of --backend native", run.said)

    def test_an_engine_that_is_not_there_is_named(self):
        run = cove("run", "--backend", "container", "--engine", "/no/such/engine", "--code", "1")
        self.assertEqual(run.code, 125)
        self.assertIn("/no/such/engine", run.said)

    def test_doctor_speaks_of_engines(self):
        engines = {e["command"]: e for e in cove("doctor", "--json").json()["engines"]}
        self.assertEqual(set(engines), {"docker", "podman"})
        for engine in engines.values():
            self.assertIn("version" if engine["ok"] else "reason", engine)

    def test_doctor_speaks_of_the_engine_behind_a_socket(self):
        nowhere = {"DOCKER_HOST": "unix:///no/such/docker.sock"}
        docker = cove("doctor", "--json", env=nowhere).json()["docker"]
        self.assertEqual([docker["ok"], docker["host"]], [False, nowhere["DOCKER_HOST"]])
        self.assertRegex(cove("doctor", env=nowhere).text,
                         r"Docker Engine API \(--backend docker\):\n  none: .*/no/such/docker.sock")

    def test_doctor_speaks_of_stored_images(self):
        empty = {"COVE_IMAGE_DIR": self.path("images")}
        self.assertEqual(cove("doctor", "--json", env=empty).json()["images"]["images"], [])
        self.assertIn(f"none in {self.path('images')}; to get one", cove("doctor", env=empty).text)
        self.assertFalse(cove("doctor", "--json", env={"COVE_IMAGE_DIR": "relative"}).json()["images"]["ok"])


class OtherCommands(CoveTestCase):
    def test_version_and_help(self):
        self.assertRegex(cove("--version").text, r"^cove \d+\.\d+\.\d+\n$")
        self.assertIn("run", cove("--help").text)

    def test_languages(self):
        languages = {l["name"]: l for l in cove("languages", "--json").json()["languages"]}
        self.assertTrue(languages["python"]["usable"])
        self.assertIn("Python 3", languages["python"]["version"])
        self.assertIn("python", cove("languages").text)

    def test_policies(self):
        self.assertIn("network", cove("policy", "show", "strict").text)
        self.assertIn("host_local", cove("policy", "show").text)
        self.assertEqual(cove("policy", "check", "strict").code, 0)
        self.assertEqual(cove("policy", "check", "strict", "--backend", "local").code, 125)
        self.assertEqual(cove("policy", "check", "nope").code, 125)

    def test_doctor(self):
        run = cove("doctor", "--json")
        report = run.json()
        self.assertEqual(run.code, 0 if report["ok"] else 1)
        self.assertIn("kernel", [c["name"] for c in report["checks"]])

    def test_doctor_proves(self):
        run = cove("doctor", "--prove", "--json", timeout=120)
        report = run.json()
        self.assertEqual([p for p in report["proofs"] if not p["contained"]], [])
        self.assertGreaterEqual(len(report["proofs"]), 15)
        self.assertEqual(run.code, 0)


if __name__ == "__main__":
    unittest.main()
