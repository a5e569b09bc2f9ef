#!/usr/bin/python3
"""`cove run --backend docker` against a real engine, over its socket, TCP and TLS."""
import json
import os
import pathlib
import select
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from cove_command import CoveTestCase, cove  # noqa: E402

IMAGE = "cove-test/python"
HOST = os.environ.get("DOCKER_HOST", "")
PLAIN = {"DOCKER_TLS_VERIFY": "", "DOCKER_CERT_PATH": ""}


def docker(*words, stdin=b"", env=None, image=IMAGE, timeout=60):
    images = ["--image", image] if image else []
    return cove("run", "--backend", "docker", *images, *words, stdin=stdin, timeout=timeout,
                env={**PLAIN, **(env or {})})


class Proxy:
    """Passes connections on to the engine's socket; with a context, over TLS."""

    def __init__(self, context=None):
        self.context = context
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        engine = socket.socket(socket.AF_UNIX)
        try:
            if self.context:
                client = self.context.wrap_socket(client, server_side=True)
            engine.connect(HOST.removeprefix("unix://"))
        except OSError:
            client.close()
            engine.close()
            return
        # One thread for both directions: a TLS socket must not be used by two at once.
        try:
            while True:
                ready = [client] if self.context and client.pending() else \
                    select.select([client, engine], [], [])[0]
                for source in ready:
                    data = source.recv(65536)
                    if not data:
                        return
                    (engine if source is client else client).sendall(data)
        except OSError:
            pass
        finally:
            client.close()
            engine.close()

    def close(self):
        self.listener.close()


@unittest.skipUnless(HOST, "no DOCKER_HOST: run with scripts/engine run -- scripts/test docker")
class DockerCommand(CoveTestCase):
    def tearDown(self):
        left = subprocess.run(["docker", "ps", "-aq", "--filter", "label=cove.backend=docker"],
                              capture_output=True, text=True, check=True).stdout
        self.assertEqual(left, "", "containers were left behind")

    def test_output_and_exit_code(self):
        run = docker("-c", "import sys; print('out'); print('err', file=sys.stderr); sys.exit(5)")
        self.assertEqual((run.code, run.out, run.err), (5, b"out\n", b"err\n"))

    def test_json_files_and_stdin(self):
        data = self.write("data.txt", "from outside")
        out = self.path("out")
        program = self.write("p.py", "import sys; open('r', 'w').write(open('data.txt').read() + "
                             "sys.stdin.read())")
        run = docker("--json", "--file", data, "--out", out, "--stdin", "-", program, stdin=b" and in")
        result = run.json()
        self.assertEqual(result["status"], "success", run.said)
        self.assertEqual(result["backend"], "docker")
        self.assertEqual(result["isolation"], "container")
        with open(os.path.join(out, "r"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "from outside and in")

    def test_limits_are_those_of_the_request(self):
        run = docker("--json", "--memory", "64m", "-c", "bytearray(300 << 20)")
        self.assertEqual(run.json()["status"], "oom", run.said)
        run = docker("--json", "--timeout", "1s", "-c", "import time; time.sleep(60)")
        self.assertEqual(run.json()["status"], "timeout", run.said)

    def test_a_host_directory_as_workspace(self):
        os.chown(self.scratch.name, 12345, 12345)
        policy = self.write("p.toml", "name = 'w'\nnetwork = 'disabled'\nenvironment = 'none'\n"
                            f"filesystem = {{ kind = 'workspace_read_write', root = '{self.scratch.name}' }}\n")
        run = docker("--json", "--policy", policy, "-c",
                     "import os; open('made', 'w').write(os.getcwd())")
        self.assertEqual(run.code, 0, run.said + run.text)
        with open(self.path("made"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "/workspace")

    def test_interrupting_it_leaves_nothing(self):
        command = [os.environ["COVE_COMMAND"], "run", "--backend", "docker", "--image", IMAGE, "-c",
                   "import time; print('on', flush=True); time.sleep(60)"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **PLAIN}) as child:
            self.assertEqual(child.stdout.readline(), b"on\n")
            child.terminate()
            self.assertNotEqual(child.wait(timeout=20), 0)

    def test_explain_says_what_holds_without_running(self):
        run = docker("--explain", "--json", "-c", "1")
        report = run.json()
        self.assertEqual((report["backend"], report["enforceable"]), ("docker", True))
        run = docker("--explain", "--json", "--cpu-time", "1s", "-c", "1")
        self.assertEqual(run.code, 125)
        self.assertIn("limits.cpu_time_ms", json.dumps(run.json()["refusals"]))

    def test_what_cannot_be_is_said(self):
        self.assert_error(docker("--json", "-c", "1", "--docker-host", "unix:///nowhere.sock"),
                          "backend_unavailable", "/nowhere.sock", "DOCKER_HOST")
        self.assert_error(docker("--json", "-c", "1", "--docker-host", "ssh://host"),
                          "invalid_request", "unix:///PATH")
        self.assert_error(docker("--json", "-c", "1", image="cove-test/none"),
                          "dependency_not_found", "docker pull cove-test/none")
        self.assert_error(docker("--json", "-l", "lua", "-c", "1", image=None), "invalid_request",
                          "--image")
        self.assert_error(docker("--json", "--cpu-time", "1s", "-c", "1"), "unsupported_policy")
        self.assert_error(cove("run", "--json", "--image", IMAGE, "-c", "1"), "invalid_request",
                          "--image")
        for words in (["--engine", "docker"], ["--runtime", "runsc"], ["--pull"]):
            self.assert_error(docker("--json", *words, "-c", "1"), "invalid_request",
                              words[0] + " is an option of --backend container")
        self.assert_error(docker("--json", "--isolation", "landlock", "-c", "1"), "invalid_request",
                          "--isolation")

    def test_over_tcp(self):
        proxy = Proxy()
        self.addCleanup(proxy.close)
        run = docker("--docker-host", f"tcp://127.0.0.1:{proxy.port}", "-c", "print('by tcp')")
        self.assertEqual((run.code, run.out), (0, b"by tcp\n"), run.said)

    def make_certificates(self):
        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=self.scratch.name, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca-key.pem", "-out",
                "ca.pem", "-days", "2", "-subj", "/CN=test ca")
        for name, extra in (("server", "subjectAltName=IP:127.0.0.1"), ("", "")):
            prefix = f"{name}-" if name else ""
            openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{prefix}key.pem", "-out",
                    "request.pem", "-subj", f"/CN={name or 'client'}")
            words = []
            if extra:
                self.write("extensions", extra)
                words = ["-extfile", "extensions"]
            openssl("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca-key.pem",
                    "-CAcreateserial", "-out", f"{prefix}cert.pem", "-days", "2", *words)

    def test_over_tls_with_both_certificates(self):
        self.make_certificates()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path("server-cert.pem"), self.path("server-key.pem"))
        context.load_verify_locations(self.path("ca.pem"))
        context.verify_mode = ssl.CERT_REQUIRED
        proxy = Proxy(context)
        self.addCleanup(proxy.close)
        env = {"DOCKER_HOST": f"tcp://127.0.0.1:{proxy.port}", "DOCKER_TLS_VERIFY": "1",
               "DOCKER_CERT_PATH": self.scratch.name}
        program = self.write("p.py", "import sys; print(len(sys.stdin.read()))")
        run = docker(program, "--stdin", "-", stdin=b"x" * 300_000, env=env)
        self.assertEqual((run.code, run.out), (0, b"300000\n"), run.said)
        # Without a certificate of its own the engine does not let it in; nor is any CA good enough.
        with tempfile.TemporaryDirectory() as empty:
            self.assert_error(docker("--json", "-c", "1", env={**env, "DOCKER_CERT_PATH": empty}),
                              "invalid_request", "cert.pem")
        os.rename(self.path("ca.pem"), self.path("old-ca.pem"))
        os.rename(self.path("server-cert.pem"), self.path("ca.pem"))
        self.assert_error(docker("--json", "-c", "1", env=env), "backend_unavailable", "not trusted")


if __name__ == "__main__":
    unittest.main(verbosity=2)
