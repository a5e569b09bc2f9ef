"""`cove run --server`, `cove session`, `cove ps`, `cove logs`, `cove top`: against a real server."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from cove_command import COVE, CoveTestCase, cove

KEY = "k-remote-0123456789"


class Server:
    def __init__(self, *words, listen="127.0.0.1:0"):
        self.directory = tempfile.TemporaryDirectory(prefix="cove-remote-test-")
        if listen.startswith("unix:"):
            listen = f"unix:{self.directory.name}/socket"
        environment = dict(os.environ, SANDBOX_EXECUTOR_SERVICE_API_KEY=KEY)
        self.process = subprocess.Popen(
            [COVE, "serve", "--listen", listen, "--data-dir", f"{self.directory.name}/data",
             "--log", "off", *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=environment, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("listening on "), line
        self.url = line.split()[-1]

    def close(self):
        self.process.terminate()
        self.process.wait(30)
        self.process.stdout.close()
        self.directory.cleanup()


class RemoteTestCase(CoveTestCase):
    server_words = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.server_words)
        cls.env = {"COVE_SERVER": cls.server.url, "COVE_API_KEY": KEY}

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def there(self, *words, **options):
        return cove("run", "--server", self.server.url, *words, env=self.env, **options)

    def session(self, *words, **options):
        return cove("session", *words, env=self.env, **options)

    def new_session(self, *words):
        run = self.session("new", *words)
        self.assertEqual(run.code, 0, run.said)
        identity = run.text.strip()
        self.addCleanup(self.session, "rm", identity)
        return identity


class RunTest(RemoteTestCase):
    def test_output_and_exit_code_are_the_programs(self):
        run = self.there("-c", "import sys; print('out'); print('err', file=sys.stderr); exit(3)")
        self.assertEqual((run.code, run.out, run.err), (3, b"out\n", b"err\n"))

    def test_stdin_arguments_variables_and_files(self):
        given = self.write("given.txt", "abc")
        run = self.there("-l", "sh", "-c", "cat; cat given.txt; echo $1 $X > out.txt", "--stdin", "-",
                         "--env", "X=y", "--file", given, "--out", self.path("out"), "--", "one",
                         stdin=b"in ")
        self.assertEqual((run.code, run.out), (0, b"in abc"), run.said)
        with open(self.path("out/out.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "one y\n")

    def test_exit_codes_of_cove(self):
        self.assertEqual(self.there("-c", "while True: pass", "--timeout", "300ms").code, 124)
        self.assertEqual(self.there("-l", "cobol", "-c", "x").code, 125)
        self.assertEqual(self.there("-c", "import os; os.kill(os.getpid(), 11)").code, 139)

    def test_json(self):
        run = self.there("--json", "-c", "print(1)")
        result = run.json()
        self.assertEqual((run.code, result["status"], result["stdout"]), (0, "success", "1\n"))
        self.assert_error(self.there("--json", "-l", "cobol", "-c", "x"), "unsupported_language")

    def test_it_speaks_as_a_run_here_does(self):
        run = self.there("-c", "while True: pass", "--cpu-time", "300ms")
        self.assertEqual(run.code, 124 if os.geteuid() == 0 else 152, run.said)
        self.assertIn("--cpu-time", run.said)
        self.assertNotIn("--timeout", run.said)
        self.assertIn("--env LD_PRELOAD: ", self.there("-c", "1", "--env", "LD_PRELOAD=x").said)
        self.assertIn("go after --", self.there(self.write("a.py", "1"), "extra").said)
        occupied = self.write("file", "x")
        self.assertEqual(self.there("-c", "print('ran')", "--out", occupied).out, b"")
        [file] = self.there("--json", "--contents", "-c", "open('a', 'w').write('b')").json()["output_files"]
        self.assertEqual(file["content"], "Yg==")
        [file] = self.there("--json", "-c", "open('a', 'w').write('b')").json()["output_files"]
        self.assertNotIn("content", file)

    def test_output_comes_while_it_runs(self):
        process = subprocess.Popen(
            [COVE, "run", "--server", self.server.url, "-c",
             "import time\nprint('first', flush=True)\ntime.sleep(20)"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **self.env})
        begin = time.monotonic()
        self.assertEqual(process.stdout.readline(), b"first\n")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=10)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual((process.returncode, out), (130, b""))
        self.assertIn(b"cancelled", err)

    def test_a_reader_that_leaves_ends_it(self):
        process = subprocess.Popen(
            ["bash", "-o", "pipefail", "-c",
             f"'{COVE}' run --server {self.server.url} -c 'while True: print(1)' | head -1"],
            stdout=subprocess.PIPE, env={**os.environ, **self.env})
        out, _ = process.communicate(timeout=20)
        self.assertEqual((process.returncode, out), (141, b"1\n"))

    def test_what_belongs_to_this_machine_is_refused(self):
        for words in (["--isolation", "landlock"], ["--explain"],
                      ["--profile", "x.toml"], ["--image", "x"], ["--pull"]):
            run = self.there("-c", "print(1)", *words)
            self.assertEqual(run.code, 125)
            self.assertIn(words[0], run.said)

    def test_the_backend_is_one_that_the_server_offers(self):
        self.assertEqual(self.there("-c", "print(1)", "--backend", "native").code, 0)
        run = self.there("-c", "print(1)", "--backend", "docker")
        self.assertEqual(run.code, 125)
        self.assertRegex(run.said, r'backend"?: must be one of native, got "docker"')

    def test_policies(self):
        self.assertEqual(self.there("-c", "print(1)", "--policy", "strict").code, 0)
        self.assertIn("policy", self.there("-c", "print(1)", "--policy", "host_local").said)
        file = self.write("own.toml", 'name = "own"\nnetwork = "enabled"\n')
        self.assertEqual(self.there("-c", "print(1)", "--policy", file).code, 125)

    def test_bytes_that_are_no_text_are_refused_by_name(self):
        run = self.there("-c", "print(1)", "--stdin", "-", stdin=b"\xff")
        self.assertEqual(run.code, 125)
        self.assertIn("stdin", run.said)
        self.assertEqual(self.there("-c", "import os; os.write(1, b'\\xff')").out, b"\xff")

    def test_a_value_that_looks_like_the_option_is_a_value(self):
        run = cove("run", "-l", "sh", "-c", "echo $1", "--", "--server")
        self.assertEqual((run.code, run.out), (0, b"--server\n"), run.said)

    def test_wrong_key_and_no_server(self):
        run = self.there("--json", "--key", "wrong", "-c", "print(1)")
        self.assert_error(run, "unauthorized")
        run = cove("run", "--json", "--server", "http://127.0.0.1:1", "-c", "print(1)")
        self.assert_error(run, "backend_unavailable", "127.0.0.1:1")
        self.assert_error(cove("run", "--json", "--server", "ftp://x", "-c", "1"), "invalid_request")

    def test_a_key_from_a_file(self):
        file = self.write("key", KEY + "\n")
        run = cove("run", "--server", self.server.url, "--key", "@" + file, "-c", "print(1)")
        self.assertEqual(run.out, b"1\n", run.said)

    def test_a_terminal_gets_no_escape_sequences(self):
        parent, child = pty.openpty()
        process = subprocess.Popen(
            [COVE, "run", "--server", self.server.url, "-c", "print('\\x1b[2J')"],
            stdin=subprocess.DEVNULL, stdout=child, stderr=child, env={**os.environ, **self.env})
        os.close(child)
        shown = read_terminal(parent)
        process.wait(20)
        self.assertIn(b"^[[2J", shown)


class UnixSocketTest(unittest.TestCase):
    def test_a_unix_socket_serves_as_well(self):
        server = Server(listen="unix:")
        try:
            run = cove("run", "--server", server.url, "--key", KEY, "-c", "print(1)")
            self.assertEqual(run.out, b"1\n", run.said)
        finally:
            server.close()


class TlsTest(CoveTestCase):
    def test_certificates_are_checked(self):
        for name in ("good", "other"):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                            "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                            "/CN=localhost", "-addext",
                            "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
                            self.path(name + ".key"), "-out", self.path(name + ".pem")],
                           check=True, capture_output=True)
        server = Server("--tls-certificate", self.path("good.pem"), "--tls-key",
                        self.path("good.key"))
        try:
            def there(*words):
                return cove("run", "--server", server.url, "--key", KEY, *words, "-c", "print(1)")

            self.assertEqual(there("--ca-file", self.path("good.pem")).out, b"1\n")
            self.assertIn("not trusted", there().said)
            self.assertIn("not trusted", there("--ca-file", self.path("other.pem")).said)
            self.assertEqual(there("--insecure").out, b"1\n")
        finally:
            server.close()


class HostileServerTest(unittest.TestCase):
    """Whatever a server sends, the command ends with an error of its own."""

    def answer(self, data):
        import socket
        listener = socket.create_server(("127.0.0.1", 0))

        def serve():
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                try:
                    connection.sendall(data)
                except OSError:
                    pass

        thread = threading.Thread(target=serve)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        run = cove("run", "--json", "--server", url, "-c", "print(1)")
        thread.join()
        listener.close()
        return run

    def test_nonsense(self):
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n"
        for data in (b"", b"SSH-2.0-x\r\n", b"HTTP/1.1 100 Continue\r\n\r\n",
                     b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n",
                     b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
                     head + b"Content-Length: 4\r\n\r\n{}\n\n",
                     head + b"Content-Length: 99\r\n\r\n{\"type\":\"stdout\"",
                     head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                     head + b"Content-Length: 99999999999999999999\r\n\r\n",
                     b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000 + b"\r\n\r\n"):
            run = self.answer(data)
            self.assertEqual(run.code, 125, data[:80])
            self.assertIn("error", run.json())


class SessionTest(RemoteTestCase):
    def test_state_stays_and_a_fork_is_its_own(self):
        first = self.new_session()
        self.assertEqual(self.session("exec", first, "-c", "x = 20").code, 0)
        run = self.session("fork", first)
        self.assertEqual(run.code, 0, run.said)
        second = run.text.strip()
        self.addCleanup(self.session, "rm", second)
        self.assertEqual(self.session("exec", second, "-c", "x += 22; print(x)").out, b"42\n")
        self.assertEqual(self.session("exec", first, "-c", "x").out, b"20\n")

    def test_exceptions_and_timeouts(self):
        identity = self.new_session()
        run = self.session("exec", identity, "-c", "1/0")
        self.assertEqual(run.code, 1)
        self.assertIn("ZeroDivisionError", run.said)
        run = self.session("exec", identity, "-c", "while True: pass", "--timeout", "500ms")
        self.assertEqual(run.code, 124, run.said)

    def test_json_and_list(self):
        identity = self.new_session("--language", "python", "--idle-timeout", "60s")
        run = self.session("exec", identity, "--json", "-", stdin=b"6 * 7")
        self.assertEqual(run.json()["value"]["text/plain"], "42")
        listed = self.session("ls", "--json").json()["sessions"]
        self.assertIn(identity, [one["id"] for one in listed])
        self.assertIn(identity, self.session("ls").text)
        self.assertIn(identity, self.session("list").text)

    def test_interrupt_and_reset(self):
        identity = self.new_session()
        runs = []
        thread = threading.Thread(target=lambda: runs.append(
            self.session("exec", identity, "-c", "import time\nx = 1\ntime.sleep(30)")))
        thread.start()
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and "running" not in self.session("ls").text:
            time.sleep(0.05)
        self.assertEqual(self.session("interrupt", identity).code, 0)
        thread.join(15)
        self.assertFalse(thread.is_alive())
        self.assertNotEqual(runs[0].code, 0)
        self.assertEqual(self.session("exec", identity, "-c", "x").out, b"1\n")
        self.assertEqual(self.session("reset", identity).code, 0)
        self.assertEqual(self.session("exec", identity, "-c", "x").code, 1)

    def test_files(self):
        identity = self.new_session()
        given = self.write("given.txt", "abc")
        self.assertEqual(self.session("files", identity, "--put", given + "=in.txt").code, 0)
        self.assertEqual(self.session("exec", identity, "-c", "open('in.txt').read()").out,
                         b"'abc'\n")
        self.assertIn("in.txt", self.session("files", identity).text)
        self.assertEqual(self.session("files", identity, "--get", "in.txt").out, b"abc")
        self.assertEqual(self.session("files", identity, "--rm", "in.txt").code, 0)
        self.assertNotIn("in.txt", self.session("files", identity).text)

    def test_checkpoints(self):
        identity = self.new_session()
        self.session("exec", identity, "-c", "x = 1")
        kept = self.session("checkpoint", identity, "before")
        self.assertEqual(kept.code, 0, kept.said)
        self.session("exec", identity, "-c", "x = 2")
        self.assertEqual(self.session("rollback", identity, kept.text.strip()).code, 0)
        self.assertEqual(self.session("exec", identity, "-c", "x").out, b"1\n")

    def test_one_that_is_gone_says_why(self):
        identity = self.new_session()
        self.assertEqual(self.session("rm", identity).code, 0)
        run = self.session("exec", identity, "--json", "-c", "1")
        self.assert_error(run, "gone")
        self.assert_error(self.session("exec", "never", "--json", "-c", "1"), "not_found")


class WatchTest(RemoteTestCase):
    def start_quiet_program(self):
        process = subprocess.Popen(
            [COVE, "run", "--server", self.server.url, "-c",
             "import time\nprint('so far', flush=True)\ntime.sleep(3)\nprint('done')"],
            stdout=subprocess.PIPE, env={**os.environ, **self.env})
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.assertEqual(process.stdout.readline(), b"so far\n")
        listed = cove("ps", "--json", env=self.env).json()["executions"]
        self.assertEqual([one["state"] for one in listed], ["running"])
        return listed[0]["id"]

    def test_ps_logs_and_top(self):
        identity = self.start_quiet_program()
        self.assertIn(identity, cove("ps", env=self.env).text)
        top = cove("top", env=self.env)
        self.assertEqual(top.code, 0, top.said)
        self.assertIn(identity, top.text)
        self.assertRegex(top.text, r"running 1\b")
        self.assertEqual(cove("logs", identity, env=self.env).out, b"so far\n")
        self.assertEqual(cove("logs", "-f", identity, env=self.env).out, b"so far\ndone\n")
        self.assertEqual(cove("logs", identity, env=self.env).out, b"so far\ndone\n")
        self.assertNotIn(identity, cove("ps", env=self.env).text)
        self.assertIn(identity, cove("ps", "--all", env=self.env).text)

    def test_cells_of_sessions_are_shown(self):
        session = self.new_session()
        self.assertEqual(cove("ps", "--json", env=self.env).json()["cells"], [])
        slow = [COVE, "session", "exec", session, "-c", "import time; time.sleep(4)"]
        running = [subprocess.Popen(slow, stdout=subprocess.DEVNULL, env={**os.environ, **self.env}) for _ in range(2)]
        try:
            until = time.monotonic() + 10
            cells = []
            while time.monotonic() < until and [cell["waiting"] for cell in cells] != [1]:
                cells = cove("ps", "--json", env=self.env).json()["cells"]
            [cell] = cells
            self.assertEqual([cell["session"], cell["cell"], cell["state"], cell["language"]],
                             [session, 1, "running", "python"])
            self.assertRegex(cove("ps", env=self.env).text,
                             rf"(?m)^{session} +1 +running +python +strict .* \d+ s +- +1 more waiting$")
            self.assertRegex(cove("top", env=self.env).text, rf"(?m)^{session} +running \d+ s ")
        finally:
            for process in running:
                process.wait(20)
        self.assertEqual(cove("ps", "--json", env=self.env).json()["cells"], [])

    def test_top_gives_the_terminal_back(self):
        for end in (signal.SIGINT, b"q"):
            parent, child = pty.openpty()
            process = subprocess.Popen([COVE, "top", "--interval", "100ms"], stdin=child,
                                       stdout=child, stderr=child, env={**os.environ, **self.env})
            os.close(child)
            shown = b""
            while b"warm pool" not in shown:
                ready, _, _ = select.select([parent], [], [], 10)
                self.assertTrue(ready, shown)
                shown += os.read(parent, 65536)
            if end == b"q":
                os.write(parent, end)
            else:
                process.send_signal(end)
            shown += read_terminal(parent)
            self.assertEqual(process.wait(10), 0, shown)
            self.assertTrue(re.search(rb"\x1b\[\?25h\x1b\[\?1049l", shown))

    def test_unknown_executions(self):
        self.assertEqual(cove("logs", "exec_never", env=self.env).code, 125)
        run = cove("logs", "ses_1", env=self.env)
        self.assertEqual(run.code, 125)
        self.assertRegex(run.said, '"ses_1" is a session.*cove session exec.*cove session ls')

    def test_an_idle_server_has_no_times(self):
        self.assertIn("median -   p99 -   waiting: median -\n", cove("top", env=self.env).text)


def read_terminal(descriptor):
    shown = b""
    try:
        while part := os.read(descriptor, 65536):
            shown += part
    except OSError:  # the other side is closed
        pass
    os.close(descriptor)
    return shown


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
