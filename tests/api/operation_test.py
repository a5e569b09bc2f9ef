#!/usr/bin/python3
"""Running it: stopping, being killed, unix sockets, TLS (attack 80)."""

import http.client
import json
import os
import re
import resource
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

from cove_server import ISOLATION, Server, check_raw, descendants, post, read_all, wait_until


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=20)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(self.path)


def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


HEALTH = b"GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n"


def is_answered(sock):
    return b"200 OK" in sock.recv(4096)


def is_healthy(sock):
    sock.sendall(HEALTH)
    return is_answered(sock)


def raise_descriptor_limit(wanted):
    """As many descriptors as are wanted, for this process and the servers that it starts; gives the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < wanted and os.geteuid() == 0:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, wanted))
        hard = wanted
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, wanted), hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def resident(pid):
    with open(f"/proc/{pid}/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def connections(server):
    text = server.request("GET", "/metrics").body.decode()
    return int(re.search(r"^cove_http_connections (\d+)$", text, re.M)[1])


class Stopping(unittest.TestCase):
    def background(self, server, code, path="/execute", **fields):
        answers = []

        def run():
            with server.socket(40) as sock:
                sock.sendall(post(path, {"code": code, **fields}, extra="Connection: close\r\n"))
                answers.append(read_all(sock))
        thread = threading.Thread(target=run)
        thread.start()
        wait_until(lambda: server.request("GET", "/v1/executions?state=running").json()["executions"])
        return thread, answers

    def test_running_work_is_finished(self):
        server = Server()
        thread, answers = self.background(server, "import time; time.sleep(1); print('done')")
        idle = server.socket()
        kept = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        server.ask(kept, "GET", "/healthz")
        started = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - started, 5)
        thread.join()
        self.assertIn(b'"stdout":"done\\n"', answers[0])
        self.assertEqual(idle.recv(10), b"")
        with self.assertRaises(OSError):
            server.socket(2)
        idle.close()
        kept.close()
        server.close()

    def test_a_second_signal_ends_what_runs(self):
        server = Server("--shutdown-grace", "60s")
        thread, answers = self.background(server, "import time; time.sleep(20)")
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: server.request("GET", "/readyz").status == 503, 5)
        self.assertEqual(answers, [])
        started = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - started, 10)
        thread.join()
        self.assertIn(b'"status":"cancelled"', answers[0])
        server.close()

    @unittest.skipIf("landlock" in ISOLATION, "this level has no sessions")
    def test_a_cell_that_is_ended_is_answered(self):
        server = Server("--shutdown-grace", "300ms")
        opened = server.request("POST", "/v1/sessions", {}).json()["id"]
        path = f"/v1/sessions/{opened}/execute"
        answers = []
        thread = threading.Thread(target=lambda: answers.append(
            server.request("POST", path, {"code": "import time; time.sleep(30)"})))
        thread.start()
        time.sleep(1)
        self.assertEqual(server.stop(), 0)
        thread.join()
        self.assertEqual(answers[0].status, 200)
        self.assertEqual(answers[0].json()["status"], "cancelled")
        server.close()

    def test_a_stopping_server_still_answers(self):
        server = Server("--shutdown-delay", "1s")
        try:
            job = server.request("POST", "/v1/executions?async=true",
                                 {"code": "import time; time.sleep(2); print('done')"}).json()["id"]
            # The level landlock has no sessions; a session that is not there is refused like one that is.
            session = server.request("POST", "/v1/sessions", {}).json().get("id", "s")
            wait_until(lambda: server.request("GET", "/v1/executions/" + job).json()["state"] == "running")
            server.process.send_signal(signal.SIGTERM)
            wait_until(lambda: server.request("GET", "/readyz").status == 503, 2)
            self.assertEqual(server.request("GET", "/healthz").status, 200)
            self.assertEqual(server.request("GET", "/readyz").json()["status"], "stopping")
            self.assertEqual(server.request("GET", "/readyz").headers.get("Connection"), "close")
            for path, body in (("/execute", {"code": ""}), ("/v1/sessions", {}),
                               (f"/v1/sessions/{session}/execute", {"code": "1"})):
                refused = server.request("POST", path, body)
                self.assertEqual([refused.status, refused.code], [503, "backend_unavailable"], path)
            # The execution runs to its end, and who polls sees it.
            seen = []
            wait_until(lambda: seen.append(server.request("GET", "/v1/executions/" + job).json()) or
                       seen[-1]["state"] == "done", 5)
            self.assertEqual(seen[-1]["result"]["stdout"], "done\n")
            self.assertEqual(server.process.wait(10), 0)
        finally:
            server.close()

    def test_the_delay_is_for_an_idle_server_too(self):
        server = Server("--shutdown-delay", "1500ms")
        started = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: server.request("GET", "/readyz").status == 503, 1)
        self.assertEqual(server.process.wait(10), 0)
        self.assertGreater(time.monotonic() - started, 1.4)
        server.close()

    @unittest.skipIf("landlock" in ISOLATION, "this level has no sessions")
    def test_a_running_cell_is_finished(self):
        server = Server()
        try:
            session = server.request("POST", "/v1/sessions", {}).json()["id"]
            answers = []
            thread = threading.Thread(target=lambda: answers.append(server.request(
                "POST", f"/v1/sessions/{session}/execute", {"code": "import time; time.sleep(1.5); print('cell')"})))
            thread.start()
            wait_until(lambda: server.request("GET", "/v1/sessions/" + session).json()["state"] == "running")
            self.assertEqual(server.stop(), 0)
            thread.join()
            self.assertEqual(answers[0].json()["stdout"], "cell\n")
        finally:
            server.close()

    def test_what_does_not_end_is_cancelled(self):
        server = Server("--shutdown-grace", "500ms")
        thread, answers = self.background(server, "import time; time.sleep(60)", timeout_ms=60000)
        guests = descendants(server.process.pid)
        started = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - started, 5)
        thread.join()
        self.assertIn(b'"status":"cancelled"', answers[0])
        wait_until(lambda: all(map(is_gone, guests)), 3, "the end of the guests")
        server.close()

    def test_80_killed_in_full_load(self):
        server = Server("--max-concurrent-jobs", "8")
        data = server.directory.name + "/data"
        stop = threading.Event()

        def load():
            while not stop.is_set():
                try:
                    server.request("POST", "/execute", {"code": "import time, subprocess\nsubprocess.Popen(['sleep', "
                                   "'50'], start_new_session=True)\ntime.sleep(0.3)"}, timeout=5)
                except (OSError, http.client.HTTPException):
                    return
        threads = [threading.Thread(target=load) for _ in range(8)]
        for thread in threads:
            thread.start()
        time.sleep(1.2)
        guests = descendants(server.process.pid)
        self.assertGreater(len(guests), 8)
        server.process.kill()
        server.process.wait()
        stop.set()
        for thread in threads:
            thread.join()
        wait_until(lambda: all(map(is_gone, guests)), 5, "the end of the guests")
        # The same data directory again: it starts, remembers, and calls nothing running that is dead.
        again = Server(data=data)
        try:
            jobs = again.request("GET", "/v1/executions?limit=500").json()["executions"]
            self.assertGreater(len(jobs), 4)
            self.assertEqual([job for job in jobs if job["state"] in ("queued", "running")], [])
            self.assertEqual(again.execute("print(1)").json()["stdout"], "1\n")
        finally:
            again.close()
            server.close()

    def test_many_connections(self):
        """10,000 clients that stay: each was answered and keeps its connection, a few go on working."""
        most = 10_000
        available = raise_descriptor_limit(2 * most)
        self.assertGreater(available, most + 200, "the machine gives this process no more descriptors")
        server = Server("--max-connections", str(most), "--idle-timeout", "120s")
        held = []
        try:
            with open(f"/proc/{server.process.pid}/limits", encoding="utf-8") as file:
                soft, hard = re.search(r"Max open files +(\d+) +(\d+)", file.read()).groups()
            self.assertEqual(soft, hard)
            self.serve_many(server, held, 500)  # what it has once at work, it may keep
            before, first = resident(server.process.pid), None
            for round_ in range(3):
                self.serve_many(server, held, most)
                full = resident(server.process.pid)
                for sock in held[::1000]:
                    sock.sendall(post("/execute", {"code": f"print({round_})"}))
                for sock in held[::1000]:
                    [answer] = check_raw(b"POST /execute HTTP/1.1", sock.recv(65536))
                    self.assertEqual(answer.json()["stdout"], f"{round_}\n")
                self.refuse_one_more(server)
                self.assertTrue(is_healthy(held[-1]))
                for sock in held:
                    sock.close()
                held.clear()
                wait_until(lambda: connections(server) <= 2, 20, "the end of the connections")
                after = resident(server.process.pid)
                print(f"{most} connections: {before >> 10} KiB before, {full >> 10} at the most, {after >> 10} after")
                self.assertLess((full - before) / most, 40 << 10)
                # Small things stay with the I/O library and hold a page each; the next crowd uses them again.
                self.assertLess((after - before) / most, 4 << 10)
                grown = after - (first := first or after)
                self.assertLess(grown, 4 << 20)
            self.assertEqual(server.execute("print(1)").json()["stdout"], "1\n")
        finally:
            for sock in held:
                sock.close()
            server.close()

    def serve_many(self, server, held, count):
        while len(held) < count:
            new = [socket.create_connection(("127.0.0.1", server.port), timeout=10)
                   for _ in range(min(100, count - len(held)))]
            held += new
            for sock in new:
                sock.sendall(HEALTH)
            self.assertTrue(all(is_answered(sock) for sock in new))

    def refuse_one_more(self, server):
        with server.socket() as sock:
            [answer] = check_raw(b"GET /healthz HTTP/1.1", read_all(sock))
        self.assertEqual([answer.status, answer.headers["Connection"]], [503, "close"])
        self.assertIn("Retry-After", answer.headers)


class Transports(unittest.TestCase):
    def test_unix_socket(self):
        with tempfile.TemporaryDirectory(prefix="cove-api-test.") as directory:
            path = directory + "/cove.sock"
            for _ in range(2):  # the second finds what a killed one left behind
                server = Server(listen="unix:" + path)
                self.assertEqual(os.stat(path).st_mode & 0o777, 0o660)
                connection = UnixConnection(path)
                answer = server.ask(connection, "POST", "/execute", {"code": "print(1)"})
                self.assertEqual(answer.json()["stdout"], "1\n")
                connection.close()
                server.process.kill()
                server.process.wait()
                server.close()
            server = Server(listen="unix:" + path)
            self.assertEqual(server.stop(), 0)
            self.assertFalse(os.path.exists(path))
            server.close()

    def test_tls(self):
        with tempfile.TemporaryDirectory(prefix="cove-api-test.") as directory:
            key, certificate = directory + "/key.pem", directory + "/cert.pem"
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out",
                            certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
                            "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
            server = Server("--tls-certificate", certificate, "--tls-key", key)
            try:
                context = ssl.create_default_context(cafile=certificate)
                connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=context, timeout=20)
                for n in range(3):
                    answer = server.ask(connection, "POST", "/execute", {"code": f"print({n})"})
                    self.assertEqual(answer.json()["stdout"], f"{n}\n")
                connection.request("POST", "/v1/executions?stream=ndjson", json.dumps(
                    {"code": "print('x' * 300000)"}), server.headers())
                events = [json.loads(line) for line in connection.getresponse().read().splitlines()]
                self.assertEqual(len(events[-1]["result"]["stdout"]), 300001)
                connection.close()
                # Who speaks HTTP without TLS is told what to do; other garbage is dropped.
                plain = server.raw(b"GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n")
                self.assertTrue(plain.startswith(b"HTTP/1.1 400 "), plain)
                self.assertIn(b"https://", plain)
                self.assertNotIn(b"HTTP", server.raw(b"\0\1\2\3" * 20))
                # A client that leaves cancels here too.
                raw = context.wrap_socket(server.socket(), server_hostname="127.0.0.1")
                raw.sendall(post("/execute", {"code": "import time; time.sleep(30)"}))
                running = lambda: self.running(server, context)
                wait_until(running)
                raw.close()
                wait_until(lambda: not running(), 5)
                self.websocket(server, context)
            finally:
                server.close()
            refused = Server("--tls-certificate", certificate, wait=False)
            self.assertEqual(refused.process.wait(20), 125)
            refused.close()

    def running(self, server, context):
        connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=context, timeout=20)
        answer = server.ask(connection, "GET", "/v1/executions?state=running")
        connection.close()
        return answer.json()["executions"]

    def websocket(self, server, context):
        from websocket_client import WebSocket
        sock = context.wrap_socket(server.socket(), server_hostname="127.0.0.1")
        ws = WebSocket(sock, headers=server.headers())
        ws.start("print('over tls')")
        self.assertEqual(ws.until("result")[-1]["result"]["stdout"], "over tls\n")
        ws.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
