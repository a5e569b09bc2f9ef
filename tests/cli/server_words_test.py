"""What the commands that use a server say: help, figures, objects, files."""

import os
import re
import subprocess
import sys
import time
import unittest

from cove_command import COVE, CoveTestCase, cove
from remote_test import RemoteTestCase


class HelpTest(CoveTestCase):
    def test_run_shows_how_to_reach_a_server(self):
        here = cove("run", "--help").text
        for option in ("--server", "--key", "--ca-file", "--insecure", "--backend", "--explain"):
            self.assertIn(option, here)
        there = cove("run", "--server", "http://127.0.0.1:1", "--help").text
        for option in ("--key", "--backend"):
            self.assertIn(option, there)
        for option in ("--isolation", "--profile", "--explain"):
            self.assertNotIn(option, there)

    def test_options_of_a_server_need_one(self):
        for words in (["run", "-c", "print(1)"], ["languages"], ["tool", "list"]):
            for option in (["--key", "x"], ["--ca-file", "x"], ["--insecure"]):
                refused = cove(*words, *option)
                self.assertEqual((refused.code, refused.out), (125, b""))
                self.assertIn(f"{option[0]} needs --server URL", refused.said)

    def test_serve_names_the_flag_or_the_setting(self):
        said = cove("serve", "--dev", "--policy", "nope").said
        self.assertRegex(said, r"--policy: must be one of strict, .*got \"nope\"")
        self.assertIn("--listen", cove("serve", "--dev", "--listen", "nowhere").said)
        said = cove("serve", "--dev", env={"COVE_SERVE_LISTEN": "nowhere"}).said
        self.assertIn("the setting listen", said)
        self.assertNotIn("field", said)


class KeysTest(CoveTestCase):
    def test_a_first_key_makes_the_data_directory(self):
        data = self.path("data")
        made = cove("keys", "add", "ci", "--data-dir", data)
        self.assertEqual(made.code, 0, made.said)
        self.assertEqual(os.stat(data).st_mode & 0o777, 0o700)
        lines = cove("keys", "list", "--data-dir", data).text.splitlines()
        self.assertEqual(lines[0].split()[:2], ["NAME", "SCOPES"])
        self.assertEqual(lines[1].split()[:2], ["ci", "execute,sessions"])
        self.assertEqual(cove("keys", "revoke", "ci", "--json", "--data-dir", data).json(), {"revoked": "ci"})

    def test_a_directory_that_is_not_there_has_no_keys_to_show(self):
        data = self.path("nowhere")
        for words in (["list"], ["revoke", "ci"]):
            run = cove("keys", *words, "--data-dir", data)
            self.assertEqual((run.code, run.out), (125, b""))
            self.assertIn(f'--data-dir: there is no directory "{data}"', run.said)

    def test_a_place_that_cannot_be_made_is_the_callers_mistake(self):
        self.assert_error(cove("keys", "add", "ci", "--json", "--data-dir", self.path("a/b")),
                          "invalid_request", "data_dir")
        self.assert_error(cove("keys", "add", "ci", "--json", "--keys-file", self.path("a/keys.json")),
                          "invalid_request", "keys_file")


class FiguresTest(RemoteTestCase):
    server_words = ("--max-timeout-ms", "1500", "--max-memory", "600m")

    def test_a_lowered_timeout_is_told(self):
        run = self.there("--timeout", "1m", "-c", "while True: pass")
        self.assertEqual(run.code, 124)
        self.assertIn("stopped after 1500 ms (timeout)", run.said)
        self.assertRegex(run.said, r"lowered|server allows")
        self.assertNotIn("raise it", run.said)
        run = self.there("--timeout", "300ms", "-c", "while True: pass")
        self.assertIn("stopped after 300 ms (timeout); raise it with --timeout", run.said)

    def test_limits_have_their_figures(self):
        run = self.there("-c", "print('x' * 2_000_000)")
        self.assertIn("stdout was cut at 1 MiB", run.said)
        run = self.there("--memory", "64m", "-c", "x = bytearray(300 << 20)")
        self.assertRegex(run.said, r"64 MiB.*raise it with --memory")
        run = self.there("-c", "open('f', 'wb').write(bytes(100 << 20))")
        self.assertRegex(run.said, r"disk limit of 64 MiB reached")

    def test_nothing_is_said_of_a_program_that_just_fails(self):
        self.assertEqual(self.there("-c", "exit(1)").said, "")

    def test_errors_name_the_option(self):
        self.assertIn("--memory: must not be more than 600 MiB",
                      self.session("new", "--memory", "1g").said)
        self.assertIn("--policy: must be one of", self.there("-c", "1", "--policy", "nope").said)


class ObjectsTest(RemoteTestCase):
    def start_busy_program(self):
        process = subprocess.Popen(
            [COVE, "run", "--server", self.server.url, "-c",
             "import time\nfor i in range(600):\n    print(i, flush=True)\n    time.sleep(0.02)"],
            stdout=subprocess.PIPE, env={**os.environ, **self.env})
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        self.assertEqual(process.stdout.readline() + process.stdout.readline(), b"0\n1\n")
        return cove("ps", "--json", env=self.env).json()["executions"][0]["id"]

    def test_logs_returns_while_the_program_goes_on_writing(self):
        identity = self.start_busy_program()
        begin = time.monotonic()
        shown = cove("logs", identity, env=self.env)
        self.assertLess(time.monotonic() - begin, 5)
        self.assertTrue(shown.out.startswith(b"0\n1\n"), shown.out)
        self.assertEqual(shown.code, 0, shown.said)
        listed = cove("logs", "--json", identity, env=self.env).json()
        self.assertEqual(listed["state"], "running")
        self.assertTrue(listed["stdout"].startswith("0\n1\n"))
        self.assertGreaterEqual(len(listed["stdout"]), len(shown.out))

    def test_top(self):
        figures = cove("top", "--json", env=self.env).json()
        for name in ("executions", "pool", "requests", "unfinished", "sessions"):
            self.assertIn(name, figures)

    def test_languages_of_the_server(self):
        listed = cove("languages", "--server", self.server.url, "--json", env=self.env).json()["languages"]
        here = cove("languages", "--json").json()["languages"]
        self.assertEqual({one["name"] for one in listed}, {one["name"] for one in here})
        table = cove("languages", "--server", self.server.url, env=self.env).text
        self.assertRegex(table, r"(?m)^NAME .*\n(.*\n)*python +yes ")

    def test_sessions(self):
        identity = self.new_session()
        self.session("exec", identity, "-c", "x = 1")
        kept = self.session("checkpoint", identity, "before", "--json").json()
        self.assertEqual((kept["name"], kept["cells"]), ("before", 1))
        back = self.session("rollback", identity, kept["id"], "--json").json()
        self.assertEqual(back["id"], identity)
        self.assertEqual(self.session("reset", identity, "--json").json()["id"], identity)
        other = self.session("new", "--json").json()["id"]
        self.assertEqual(self.session("rm", other, "--json").json(), {"removed": [other]})

    def test_every_command_has_json(self):
        for words in (["ps"], ["logs"], ["top"], ["languages"], ["doctor"], ["run"], ["policy", "show"],
                      ["policy", "check"], ["keys", "add"], ["keys", "list"], ["keys", "revoke"],
                      ["audit", "verify"], ["tool", "list"], ["tool", "schema"], ["tool", "code_exec"],
                      *(["session", name] for name in ("new", "exec", "fork", "ls", "rm", "interrupt", "reset",
                                                       "checkpoint", "rollback", "files"))):
            self.assertIn("--json", cove(*words, "--help").text, words)


class CellTest(RemoteTestCase):
    def test_a_lost_state_is_told_once(self):
        identity = self.new_session()
        run = self.session("exec", identity, "-c", "import os; os._exit(3)")
        self.assertEqual(run.code, 1)
        self.assertEqual(len(re.findall("lost|fresh interpreter", run.said)), 2, run.said)  # one sentence
        self.assertEqual(run.said.count("cove: "), 1, run.said)

    def test_images_are_written(self):
        identity = self.new_session()
        code = ("import base64\nclass Dot:\n    def _repr_png_(self): return b'\\x89PNG dot'\n"
                "    def _repr_html_(self): return '<b>dot</b>'\n"
                "display(Dot())\ndisplay({'x/../y': 'own'}, raw=True)\nDot()")
        run = self.session("exec", identity, "--out", self.path("rich"), "-c", code)
        self.assertEqual(run.code, 0, run.said)
        self.assertEqual(sorted(os.listdir(self.path("rich"))),
                         ["cell1-1.html", "cell1-1.png", "cell1-2.x____y", "cell1-3.html", "cell1-3.png"])
        with open(self.path("rich/cell1-1.png"), "rb") as file:
            self.assertEqual(file.read(), b"\x89PNG dot")
        self.assertIn("cell1-3.png", run.said)
        occupied = self.write("file", "x")
        run = self.session("exec", identity, "--out", occupied, "-c", "print('ran')")
        self.assertEqual((run.code, run.out), (125, b""))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
