#!/usr/bin/python3
"""WS /v1/executions/ws: programs that are talked to while they run; garbage (attacks 63, 74-79)."""

import base64
import os
import socket
import time
import unittest

from cove_server import ServerTest, wait_until
from websocket_client import BINARY, CLOSE, PING, PONG, TEXT, Closed, WebSocket

ECHO = "import sys\nfor line in sys.stdin:\n    print('got', line.strip(), flush=True)\nprint('end')"


class Socket(ServerTest):
    words = ("--max-message", "64k", "--idle-timeout", "3s")

    def open(self, **headers):
        socket_ = WebSocket(self.server.socket(), headers={**self.server.headers(), **headers})
        self.addCleanup(socket_.close)
        return socket_

    def running(self):
        return self.server.request("GET", "/v1/executions?state=running").json()["executions"]

    def test_handshake(self):
        self.assertEqual(self.open().status, 101)
        with self.server.socket() as sock:
            self.assertEqual(WebSocket(sock).status, 401)
        self.assertEqual(self.server.request("GET", "/v1/executions/ws").status, 426)

    def test_a_browser_sends_its_key_as_a_subprotocol(self):
        def handshake(offer):
            with self.server.socket() as sock:
                ws = WebSocket(sock, headers={"Sec-WebSocket-Protocol": offer})
                return ws.status, ws.head
        key = self.server.headers()["X-Service-API-Key"]
        status, head = handshake(f"cove, cove.key.{key}")
        self.assertEqual(status, 101)
        self.assertIn(b"Sec-WebSocket-Protocol: cove\r\n", head)
        self.assertNotIn(key.encode(), head)
        for offer in ("cove", "cove, cove.key.wrong", f"cove.key., {key}"):
            self.assertEqual(handshake(offer)[0], 401, offer)

    def test_run(self):
        ws = self.open()
        ws.start("print('a')")
        events = ws.until("result")
        self.assertEqual(events[0]["type"], "started")
        self.assertEqual(events[-1]["result"]["stdout"], "a\n")
        ws.start("print('b')")  # another one on the same socket
        self.assertEqual(ws.until("result")[-1]["result"]["stdout"], "b\n")

    def test_interactive(self):
        ws = self.open()
        ws.start(ECHO)
        ws.send(type="stdin", data="one\n")
        ws.output_until("got one")
        ws.send(type="stdin", data_base64=base64.b64encode(b"two\n").decode())
        ws.output_until("got two")
        ws.send_frame(BINARY, b"three\n")
        ws.output_until("got three")
        ws.send(type="close_stdin")
        result = ws.until("result")[-1]["result"]
        self.assertEqual([result["status"], result["stdout"].splitlines()[-1]], ["success", "end"])

    def test_signal(self):
        ws = self.open()
        ws.start("import os, signal, time\nsignal.signal(signal.SIGUSR1, lambda *_: os.write(1, b'usr1\\n'))\n"
                 "print('ready', flush=True)\nwhile True: time.sleep(0.05)")
        ws.output_until("ready")
        ws.send(type="signal", signal="SIGUSR1")
        ws.output_until("usr1")
        ws.send(type="signal", signal="SIGTERM")
        self.assertEqual(ws.until("result")[-1]["result"]["signal"], "SIGTERM")

    def test_cancel(self):
        ws = self.open()
        ws.start("import time\nprint('ready', flush=True)\ntime.sleep(30)")
        ws.output_until("ready")
        ws.send(type="cancel")
        self.assertEqual(ws.until("result")[-1]["result"]["status"], "cancelled")

    def test_terminal(self):
        ws = self.open()
        ws.start("import os, sys\nprint(os.isatty(0), os.isatty(1), os.get_terminal_size(), flush=True)\ninput()\n"
                 "print(os.get_terminal_size(), flush=True)", terminal={"rows": 30, "columns": 100})
        ws.output_until("True True os.terminal_size(columns=100, lines=30)")
        ws.send(type="resize", rows=10, columns=20)
        ws.send(type="stdin", data="\n")
        ws.output_until("columns=20, lines=10")
        ws.until("result")

    def test_63_a_terminal_takes_no_forged_input(self):
        ws = self.open()
        ws.start("import fcntl, termios\ntry:\n  fcntl.ioctl(0, termios.TIOCSTI, b'x')\n  print('forged')\n"
                 "except OSError as e:\n  print('refused', e.errno)", terminal={"rows": 24, "columns": 80})
        self.assertIn("refused", ws.until("result")[-1]["result"]["stdout"])

    def test_78_a_client_that_leaves_cancels(self):
        ws = self.open()
        ws.start("import time\nprint('ready', flush=True)\ntime.sleep(30)")
        ws.output_until("ready")
        self.assertEqual(len(self.running()), 1)
        ws.close()
        wait_until(lambda: not self.running(), 5, "the end of the job")

    def test_bad_requests_leave_the_socket_open(self):
        ws = self.open()
        ws.send(type="start", request={"code": 1})
        self.assertEqual(ws.receive()["error"]["field"], "code")
        ws.send(type="stdin", data="x")
        event = ws.receive()
        self.assertEqual((event["type"], event["error"]["code"]), ("refused", "conflict"))
        ws.start("print(1)", language="cobol")
        self.assertEqual(ws.receive()["error"]["code"], "unsupported_language")
        ws.start("import time; time.sleep(1)")
        ws.start("print(1)")
        events = ws.until("refused")
        self.assertEqual(events[-1]["error"]["code"], "conflict")
        ws.until("result")

    def test_a_bad_message_does_not_end_a_program(self):
        ws = self.open()
        ws.start(ECHO)
        ws.until("started")
        for message in (b"garbage", b'{"type":"fly"}', b'{"type":"signal","signal":"INTT"}'):
            ws.send_frame(TEXT, message)
            self.assertIn("message", ws.until("refused")[-1]["error"])
        ws.send(type="stdin", data="one\n")
        ws.output_until("got one")
        ws.send(type="signal", signal="INT")  # as SIGINT
        self.assertEqual(ws.until("result")[-1]["result"]["status"], "failed")

    def test_whoever_sends_nothing_else_is_cut_off(self):
        ws = self.open()
        ws.start(ECHO)
        ws.until("started")
        for _ in range(16):
            ws.send_frame(TEXT, b"garbage")
        self.assertEqual(self.closed_with(ws), 1008)
        wait_until(lambda: not self.running(), 5, "the end of the job")

    def closed_with(self, ws):
        with self.assertRaises(Closed) as caught:
            while True:
                ws.receive()
        return caught.exception.code

    def test_79_garbage_closes(self):
        cases = [(TEXT, b"garbage"), (TEXT, b"{}"), (TEXT, b"[]"), (TEXT, b'{"type":"fly"}'),
                 (TEXT, b'{"type":"cancel","x":1}'), (TEXT, b'{"type":"signal","signal":"SIGSEGV"}'),
                 (TEXT, b'{"type":"resize","rows":0,"columns":5}'), (TEXT, b"[" * 5000)]
        for opcode, payload in cases:
            ws = self.open()
            ws.send_frame(opcode, payload)
            self.assertEqual(self.closed_with(ws), 1008, payload[:50])
        ws = self.open()
        ws.send_frame(TEXT, b"\xff\xfe")
        self.assertEqual(self.closed_with(ws), 1007)
        ws = self.open()
        ws.send_frame(TEXT, b"x" * 70000)
        self.assertEqual(self.closed_with(ws), 1009)
        ws = self.open()
        ws.send_frame(3, b"reserved")
        self.assertEqual(self.closed_with(ws), 1002)
        ws = self.open()
        ws.send_frame(TEXT, b"{}", masked=False)
        self.assertEqual(self.closed_with(ws), 1002)
        ws = self.open()
        ws.sock.sendall(os.urandom(5000))
        self.assertIn(self.closed_with(ws), (0, 1002, 1007, 1008, 1009))

    def test_ping(self):
        ws = self.open()
        ws.send_frame(PING, b"hello")
        self.assertEqual(ws.receive_frame(), (PONG, b"hello"))
        # The server asks whether a quiet client is there, and gives up on one that does not answer.
        opcode, _ = ws.receive_frame()
        self.assertEqual(opcode, PING)
        ws.sock.settimeout(8)
        with self.assertRaises((Closed, ConnectionResetError)):
            while True:
                ws.receive_frame()

    def test_close_handshake(self):
        ws = self.open()
        ws.send_frame(CLOSE, b"\x03\xe8bye")
        self.assertEqual(self.closed_with(ws), 1000)

    def test_a_stalled_reader_does_not_grow_memory(self):
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.settimeout(20)
        sock.connect(("127.0.0.1", self.server.port))
        ws = WebSocket(sock, headers=self.server.headers())
        self.addCleanup(ws.close)
        ws.start("for _ in range(500): print('x' * 16383)", limits={"stdout_bytes": 16000000})
        time.sleep(1.0)
        events = ws.until("result")
        dropped = sum(event["bytes"] for event in events if event["type"] == "dropped")
        shown = sum(len(event["data"]) for event in events if event["type"] == "stdout")
        self.assertGreater(dropped, 0)
        self.assertEqual(dropped + shown, 500 * 16384)


if __name__ == "__main__":
    unittest.main(verbosity=2)
