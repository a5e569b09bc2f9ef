#!/usr/bin/python3
"""What arrives at the socket: malformed, oversized, slow, pipelined, abandoned (attacks 76, 78, 79)."""

import http.client
import json
import re
import socket
import time
import unittest

from cove_server import (KEY, ServerTest, answers_in, check_raw, descendants, post, read_all,
                         wait_until)

HEAD = f"Host: h\r\nX-Service-API-Key: {KEY}\r\n"


def statuses(data):
    return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d+) ", data)]


class Http(ServerTest):
    words = ("--header-timeout", "1s", "--body-timeout", "1s", "--idle-timeout", "2s", "--max-header", "8k",
             "--max-body", "1m", "--max-connections", "50", "--write-timeout", "2s", "--stream-buffer", "64k",
             "--max-output", "64m")

    def first_status(self, text, timeout=20):
        data = text if isinstance(text, bytes) else text.encode("latin-1")
        received = self.server.raw(data, timeout)
        check_raw(data, received)
        return (statuses(received) or [0])[0]

    def test_malformed(self):
        body = '{"code":"print(1)"}'
        cases = {
            f"POST /execute HTTP/1.1\r\n{HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": 400,
            f"POST /execute HTTP/1.1\r\n{HEAD}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{body}": 400,
            f"POST /execute HTTP/1.1\r\n{HEAD}Content-Length: x\r\n\r\n{body}": 400,
            f"GET /healthz HTTP/1.1\r\n{HEAD}X-A: b\r\n c\r\n\r\n": 400,
            "GET /healthz HTTP/1.1\r\n\r\n": 400, "GET /healthz HTTP/3.0\r\nHost: h\r\n\r\n": 505,
            f"OPTIONS * HTTP/1.1\r\n{HEAD}\r\n": 400, "hello\r\n\r\n": 400, "\x16\x03\x01\x00\xa5\x01\r\n\r\n": 400,
            f"GET /healthz HTTP/1.1\r\n{HEAD}X: {'a' * 9000}\r\n\r\n": 431,
            f"POST /execute HTTP/1.1\r\n{HEAD}Content-Length: 2000000\r\n\r\n": 413,
            f"POST /execute HTTP/1.1\r\n{HEAD}Transfer-Encoding: chunked\r\n\r\n1F4000\r\n{'a' * 2048000}\r\n": 413,
            f"POST /execute HTTP/1.1\r\n{HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n": 400,
            f"POST /execute HTTP/1.1\r\n{HEAD}Transfer-Encoding: gzip\r\n\r\n": 501,
            f"PATCH /nowhere HTTP/1.1\r\n{HEAD}Connection: close\r\n\r\n": 404,
            f"PATCH /execute HTTP/1.1\r\n{HEAD}Connection: close\r\n\r\n": 405,
            f"POST /execute HTTP/1.1\r\n{HEAD}Expect: cake\r\nContent-Length: 0\r\n\r\n": 417,
        }
        for text, status in cases.items():
            self.assertEqual(self.first_status(text), status, text[:200])

    def test_targets_and_methods(self):
        absolute = f"GET http://h/healthz HTTP/1.1\r\n{HEAD}Connection: close\r\n\r\n"
        self.assertEqual(self.first_status(absolute), 200)
        answer = self.server.request("PUT", "/execute")
        self.assertEqual([answer.status, answer.headers["Allow"]], [405, "POST"])
        self.assertEqual(self.server.request("DELETE", "/healthz").headers["Allow"], "GET, HEAD")
        for path in ("/", "/nothing", "/v1/", "/execute/", "/healthz/x", "/v1/executions/%ff%00/x"):
            self.assertIn(self.server.request("GET", path).status, (400, 404), path)
        head = self.server.request("HEAD", "/healthz")
        self.assertEqual([head.status, head.body], [200, b""])
        self.assertGreater(int(head.headers["Content-Length"]), 0)

    def test_http_1_0_closes(self):
        data = self.server.raw(b"GET /healthz HTTP/1.0\r\n\r\n")
        self.assertIn(b"Connection: close", data)
        self.assertEqual(statuses(data), [200])

    def test_pipelined_answers_keep_their_order(self):
        with self.server.socket() as sock:
            requests = [post("/execute", {"code": f"import time; time.sleep({delay}); print({n})"})
                        for n, delay in enumerate((0.3, 0, 0.1))]
            sock.sendall(b"".join(requests) + f"GET /healthz HTTP/1.1\r\n{HEAD}Connection: close\r\n\r\n".encode())
            data = read_all(sock)
        self.assertEqual([answer.status for answer in answers_in(data)], [200] * 4)
        self.assertEqual(re.findall(rb'"stdout":"(\d)\\n"', data), [b"0", b"1", b"2"])

    def test_keep_alive(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        for n in range(20):
            body = self.server.ask(connection, "POST", "/execute", {"code": f"print({n})"}).json()
            self.assertEqual(body["stdout"], f"{n}\n")
            # Refusals keep the connection as well.
            self.assertEqual(self.server.ask(connection, "POST", "/execute", {"code": 1}, key="no").status, 401)
        connection.close()

    def test_expect_continue(self):
        with self.server.socket() as sock:
            sock.sendall(post("/execute", b"", extra="Expect: 100-continue\r\nX-Pad: 1\r\n").replace(
                b"Content-Length: 0", b"Content-Length: 19"))
            self.assertTrue(sock.recv(1000).startswith(b"HTTP/1.1 100 Continue"))
            sock.sendall(b'{"code":"print(1)"}')
            self.assertIn(b"200 OK", sock.recv(1000))
        # Who has no key is not asked for the body.
        refused = post("/execute", b"", key="no", extra="Expect: 100-continue\r\n").replace(
            b"Content-Length: 0", b"Content-Length: 19")
        self.assertEqual(self.first_status(refused), 401)

    def test_79_slow_heads_and_bodies(self):
        started = time.monotonic()
        with self.server.socket() as sock:
            for byte in b"GET /healthz HTTP/1.1\r\nHost: h\r\nX-Slow: aaaaaaaaaaaaaaaaaaaa":
                try:
                    sock.sendall(bytes([byte]))
                except OSError:
                    break
                time.sleep(0.05)
            [late] = check_raw(b"GET /healthz HTTP/1.1", read_all(sock))
            self.assertEqual(late.status, 408)
        self.assertLess(time.monotonic() - started, 4)
        self.assertEqual(self.first_status(post("/execute", b"x" * 10)[:-5]), 408)
        # An idle connection is closed without a word.
        started = time.monotonic()
        with self.server.socket() as sock:
            self.assertEqual(read_all(sock), b"")
        self.assertTrue(1.5 < time.monotonic() - started < 4)

    def test_79_without_a_key_large_bodies_are_not_read(self):
        with self.server.socket() as sock:
            sock.sendall(f"POST /execute HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999\r\n\r\n".encode())
            [answer] = check_raw(b"POST /execute HTTP/1.1", read_all(sock))
            self.assertIn(answer.status, (401, 413))

    def test_78_a_client_that_leaves_cancels(self):
        for path in ("/execute", "/v1/executions", "/v1/executions?stream=sse"):
            before = len(self.server.request("GET", "/v1/executions?state=running").json()["executions"])
            sock = self.server.socket()
            sock.sendall(post(path, {"code": "import time\nprint(1, flush=True)\ntime.sleep(30)",
                                     "timeout_ms": 30000}))
            running = lambda: self.server.request("GET", "/v1/executions?state=running").json()["executions"]
            wait_until(lambda: len(running()) == before + 1, what="a running job")
            job = running()[0]["id"]
            sock.close()
            wait_until(lambda: self.server.request("GET", "/v1/executions/" + job).json()["state"] == "done", 5,
                       "the end of the job")
            record = self.server.request("GET", "/v1/executions/" + job).json()
            self.assertEqual(record["result"]["status"], "cancelled")

    def test_a_stalled_reader_is_cut_off(self):
        # It asks for a stream and reads nothing: what waits for it is bounded, and then it is closed. The
        # program goes on writing, because of one burst so much may be dropped that the kernel takes the rest.
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.connect(("127.0.0.1", self.server.port))
        sock.sendall(post("/v1/executions?stream=ndjson", {
            "code": "import time\nwhile True: print('x' * 65536); time.sleep(0.02)", "timeout_ms": 29000,
            "limits": {"stdout_bytes": 50000000}}))
        def over():
            jobs = self.server.request("GET", "/v1/executions?limit=1").json()["executions"]
            return bool(jobs) and jobs[0]["state"] == "done" and jobs[0]["status"] == "cancelled"
        wait_until(over, 15, "the end of the stalled stream")
        sock.close()

    def test_a_large_answer_comes_whole(self):
        # The thread that has the result begins to write it; what the socket does not take at once, and that is
        # most of it, comes from the connection.
        with socket.socket() as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.settimeout(20)
            sock.connect(("127.0.0.1", self.server.port))
            sock.sendall(post("/execute", {"code": "print(''.join(f'{i:015}\\n' for i in range(1000000)), end='')",
                                           "limits": {"stdout_bytes": 20000000}}, extra="Connection: close\r\n"))
            time.sleep(1)
            [answer] = check_raw(b"POST /execute HTTP/1.1", read_all(sock))
        self.assertEqual(answer.json()["stdout"], "".join(f"{i:015}\n" for i in range(1000000)))

    def test_a_slow_reader_loses_events_not_the_result(self):
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.settimeout(20)
        sock.connect(("127.0.0.1", self.server.port))
        sock.sendall(post("/v1/executions?stream=ndjson", {
            "code": "for _ in range(400): print('x' * 16383)", "limits": {"stdout_bytes": 20000000}},
            extra="Connection: close\r\n"))
        time.sleep(1.0)
        data = read_all(sock)
        sock.close()
        body = data.split(b"\r\n\r\n", 1)[1]
        events = []
        text = b""
        while body:
            size, rest = body.split(b"\r\n", 1)
            length = int(size, 16)
            text += rest[:length]
            body = rest[length + 2:]
            if length == 0:
                break
        events = [json.loads(line) for line in text.splitlines()]
        dropped = sum(event["bytes"] for event in events if event["type"] == "dropped")
        shown = sum(len(event["data"]) for event in events if event["type"] == "stdout")
        self.assertGreater(dropped, 0)
        self.assertEqual(dropped + shown, 400 * 16384)
        self.assertEqual(events[-1]["type"], "result")
        self.assertEqual(len(events[-1]["result"]["stdout"]), 400 * 16384)

    def test_too_many_connections(self):
        held = [self.server.socket() for _ in range(49)]
        refused = []
        try:
            wait_until(lambda: self.refusal(refused), 5, "a refusal")
        finally:
            for sock in held + refused:
                sock.close()
        wait_until(lambda: self.server.request("GET", "/healthz", check=False).status == 200, 5)

    def refusal(self, extra):
        sock = self.server.socket()
        extra.append(sock)
        sock.settimeout(0.2)
        try:
            received = sock.recv(100_000)
            if not received:
                return False
            [answer] = check_raw(b"GET /healthz HTTP/1.1", received)
            return answer.status == 503 and "Retry-After" in answer.headers
        except (TimeoutError, ConnectionResetError):
            return False

    def test_zz_nothing_grew(self):
        # The last test: whatever the others did, guests and connections are gone.
        wait_until(lambda: not self.server.request("GET", "/v1/executions?state=running").json()["executions"])
        self.assertLess(len(descendants(self.server.process.pid)), 40)


class HeaderCase(ServerTest):
    def test_two_answers_in_one_packet(self):
        with self.server.socket() as sock:
            one = b"GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n"
            sock.sendall(one + b"\r\n" + one[:10])
            time.sleep(0.1)
            sock.sendall(one[10:] + b"GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            self.assertEqual(statuses(read_all(sock)), [200, 200, 200])


if __name__ == "__main__":
    unittest.main(verbosity=2)
