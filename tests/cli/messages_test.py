"""What the command says when something is wrong: in the words that were typed, and what to do next."""

import os
import signal
import subprocess
import time
import unittest

from cove_command import COVE, CoveTestCase, cove
from remote_test import KEY, RemoteTestCase, Server


class NoServerTest(CoveTestCase):
    commands = (["ps"], ["top"], ["logs", "exec_1"], ["session", "ls"], ["languages"], ["run", "-c", "1"])

    def test_nobody_answers(self):
        for words in self.commands:
            for url in ("http://127.0.0.1:9", "unix:" + self.path("socket")):
                run = cove(*words, "--server", url)
                self.assertEqual(run.code, 125)
                self.assertIn(f"no server answers at {url} (", run.said)
                self.assertIn("start one with `cove serve --dev`, or name another with --server", run.said)

    def test_another_machine_is_not_ours_to_start(self):
        run = cove("ps", "--server", "http://192.0.2.1:1", "--key", "k-0123", timeout=40)
        self.assertIn("no server answers at http://192.0.2.1:1", run.said)
        self.assertNotIn("cove serve", run.said)


class KeyTest(RemoteTestCase):
    def test_a_key_is_asked_for_by_its_option(self):
        for words in NoServerTest.commands:
            for command in (words, [*words, "--json"]):
                run = cove(*command, "--server", self.server.url, env={"COVE_API_KEY": ""})
                self.assertEqual(run.code, 125, run.said)
                self.assertRegex(run.said + run.text, "needs a key: give it with --key KEY, --key @FILE or the variable "
                                                      "COVE_API_KEY")

    def test_a_key_for_sessions_alone_sees_its_cells(self):
        data = ["--data-dir", self.server.directory.name + "/data"]
        for scope, code in (("sessions", 0), ("metrics", 125)):
            key = cove("keys", "add", "only-" + scope, "--scope", scope, *data).text.strip()
            run = cove("ps", "--json", "--key", key, env=self.env)
            self.assertEqual(run.code, code, run.said)
            self.assertIn("cells" if code == 0 else "forbidden", run.text)

    def test_a_wrong_key_is_told_by_where_it_came_from(self):
        self.assertIn("does not know the key of --key", cove("ps", "--key", "wrong", env=self.env).said)
        self.assertIn("does not know the key of COVE_API_KEY",
                      cove("ps", env={**self.env, "COVE_API_KEY": "wrong"}).said)


class StoppingServerTest(CoveTestCase):
    def setUp(self):
        super().setUp()
        self.server = Server("--shutdown-grace", "300ms")
        self.addCleanup(self.server.close)
        self.env = {**os.environ, "COVE_SERVER": self.server.url, "COVE_API_KEY": KEY}

    def start(self, *words):
        process = subprocess.Popen([COVE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env)
        self.assertEqual(process.stdout.readline(), b"begun\n")
        return process

    def test_a_run_that_it_cuts_off(self):
        code = "import time\nprint('begun', flush=True)\ntime.sleep(30)"
        run = self.start("run", "--server", self.server.url, "-c", code)
        session = cove("session", "new", env=self.env).text.strip()
        cell = self.start("session", "exec", session, "-c", code)
        self.server.process.send_signal(signal.SIGTERM)
        for process, what in ((run, "program"), (cell, "cell")):
            _, said = process.communicate(timeout=20)
            self.assertEqual(process.returncode, 125, said)
            self.assertIn(f"the server is stopping and has ended the {what}", said.decode())
            self.assertNotIn("cancelled", said.decode())

    def test_who_cancels_is_not_told_so(self):
        run = self.start("run", "--server", self.server.url, "-c",
                         "import time\nprint('begun', flush=True)\ntime.sleep(30)")
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=20)
        self.assertEqual((run.returncode, said), (130, b"cove: cancelled\n"))


class ServeTest(CoveTestCase):
    def serve(self):
        process = subprocess.Popen([COVE, "serve", "--dev", "--listen", "127.0.0.1:0", "--log", "off"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        return process, process.stdout.readline().split()[-1]

    def test_an_idle_server_has_nothing_to_wait_for(self):
        process, _ = self.serve()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=20)[1].splitlines()[-1], "cove: stopping")

    def test_a_busy_one_tells_how_long_it_waits(self):
        process, url = self.serve()
        run = subprocess.Popen([COVE, "run", "--server", url, "-c", "import time; print(1, flush=True); time.sleep(2)"],
                               stdout=subprocess.PIPE)
        run.stdout.readline()
        process.send_signal(signal.SIGINT)
        self.assertIn("stopping: what runs has 20 s to end", process.communicate(timeout=20)[1])
        self.assertEqual(run.wait(10), 0)
        run.stdout.close()


class WrongWordsTest(CoveTestCase):
    def test_options_that_are_nearly_right(self):
        for words, meant in ((["run", "--memry", "1g", "-c", "1"], "--memory"), (["serve", "--max-queu", "3"], "--max-queue"),
                             (["session", "new", "--langage", "x"], "--language"), (["sesion"], "session"),
                             (["session", "nwe"], "new"), (["run", "--timout=3s", "-c", "1"], "--timeout")):
            run = cove(*words)
            self.assertEqual(run.code, 125)
            self.assertIn(f"; did you mean {meant}?", run.said)
        self.assertNotIn("did you mean", cove("run", "--frobnicate", "-c", "1").said)

    def test_settings_that_are_nearly_right(self):
        file = self.write("serve.toml", "max_queu = 1\n")
        said = cove("serve", "--config", file).said
        self.assertIn(f"max_queu: is not a setting (in {file}); did you mean max_queue?", said)
        said = cove("serve", env={"COVE_SERVE_MAX_QUEU": "3"}).said
        self.assertIn("COVE_SERVE_MAX_QUEU: is not a variable of the server; did you mean COVE_SERVE_MAX_QUEUE?", said)
        said += cove("serve", "--config", self.path("none.toml")).said
        self.assertIn("--config: cannot be read", said)
        self.assertNotIn("field", said)
        self.assertIn("there are: listen", cove("serve", "--config", self.write("b.toml", "frobnicate = 1\n")).said)

    def test_keys(self):
        said = cove("keys", "add", "x").said
        self.assertIn("--data-dir DIR", said)
        self.assertIn("--keys-file FILE", said)
        data = ["--data-dir", self.path("data")]
        for words, option in ((["--scope", "foo"], "--scope: "), (["--policies", "foo"], "--policies: "),
                              (["--languages", "foo"], "--languages: ")):
            said = cove("keys", "add", "x", *words, *data).said
            self.assertIn(option, said)
            self.assertNotIn("field", said)
        self.assertIn("NAME: ", cove("keys", "add", "-x/", *data).said + cove("keys", "add", "x/y", *data).said)

    def test_figures_have_units(self):
        self.assertIn("--memory: must be between 1 MiB and 1 TiB, got 1 KiB", cove("run", "--memory", "1k", "-c", "1").said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
