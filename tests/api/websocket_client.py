"""A WebSocket client of the size that the tests need."""

import base64
import json
import os
import struct

import openapi_check

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


class Closed(Exception):
    def __init__(self, code, reason):
        super().__init__(f"{code} {reason}")
        self.code = code
        self.reason = reason


class WebSocket:
    def __init__(self, sock, path="/v1/executions/ws", headers=None):
        self.sock = sock
        self.buffer = bytearray()
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket",
                 "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}",
                 *(f"{name}: {value}" for name, value in (headers or {}).items())]
        sock.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        head = b""
        while b"\r\n\r\n" not in head:
            part = sock.recv(1)
            if not part:
                break
            head += part
        self.head = head
        self.status = int(head.split()[1]) if head else 0

    def send_frame(self, opcode, payload, final=True, masked=True):
        head = bytes([(0x80 if final else 0) | opcode])
        bit = 0x80 if masked else 0
        if len(payload) < 126:
            head += bytes([bit | len(payload)])
        elif len(payload) < 65536:
            head += bytes([bit | 126]) + struct.pack(">H", len(payload))
        else:
            head += bytes([bit | 127]) + struct.pack(">Q", len(payload))
        if masked:
            mask = os.urandom(4)
            head += mask
            payload = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        self.sock.sendall(head + payload)

    def send(self, **message):
        self.send_frame(TEXT, json.dumps(message).encode())

    def start(self, code, terminal=None, **request):
        extra = {"terminal": terminal} if terminal else {}
        self.send(type="start", request={"code": code, **request}, **extra)

    def read(self, size):
        while len(self.buffer) < size:
            part = self.sock.recv(65536)
            if not part:
                raise Closed(0, "connection closed")
            self.buffer += part
        part = bytes(self.buffer[:size])
        del self.buffer[:size]
        return part

    def receive_frame(self):
        return self.receive_fragment()[:2]

    def receive_fragment(self):
        first, second = self.read(2)
        size = second & 0x7F
        if size == 126:
            size = struct.unpack(">H", self.read(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self.read(8))[0]
        return first & 0x0F, self.read(size), bool(first & 0x80)

    def receive(self):
        """The next event. Raises Closed."""
        parts = []
        while True:
            opcode, payload, final = self.receive_fragment()
            if opcode == PING:
                self.send_frame(PONG, payload)
            elif opcode == CLOSE:
                code = struct.unpack(">H", payload[:2])[0] if payload else 1005
                raise Closed(code, payload[2:].decode())
            elif opcode in (CONTINUATION, TEXT):
                parts.append(payload)
                if not final:
                    continue
                event = json.loads(b"".join(parts))
                openapi_check.check(event, {"$ref": "#/components/schemas/Event"}, "event")
                return event

    def until(self, kind):
        """Events up to the first of this type, which is the last of the list."""
        events = []
        while not events or events[-1]["type"] != kind:
            events.append(self.receive())
        return events

    def output_until(self, text):
        """Reads stdout until it holds the text."""
        seen = ""
        while text not in seen:
            event = self.receive()
            if event["type"] in ("result", "error"):
                raise AssertionError(f"{event} after {seen!r}")
            seen += event.get("data", "") if event["type"] == "stdout" else ""
        return seen

    def close(self):
        self.sock.close()
