#!/usr/bin/env python3
"""The server from Python, with nothing but the standard library: one answer, events as they come (SSE),
and a program that is talked to (WebSocket). Try: examples/with-server python3 examples/client.py"""

import base64
import http.client
import json
import os
import struct
import urllib.parse

SERVER = urllib.parse.urlsplit(os.environ.get("COVE_SERVER", "http://127.0.0.1:8700"))
KEY = os.environ.get("COVE_API_KEY")
HEADERS = {"Authorization": f"Bearer {KEY}"} if KEY else {}


def connect():
    kind = http.client.HTTPSConnection if SERVER.scheme == "https" else http.client.HTTPConnection
    return kind(SERVER.hostname, SERVER.port, timeout=60)


def post(path, body, **headers):
    """The answer to a POST of JSON; an error of the server is an exception with its words."""
    connection = connect()
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json", **HEADERS, **headers})
    answer = connection.getresponse()
    if answer.status >= 400:
        error = json.load(answer)["error"]
        raise RuntimeError(f"{error['code']}: {error['message']}")
    return answer


def execute(code, **request):
    """Runs a program to its end. However that is, it is a result: look at its status."""
    with post("/execute", {"code": code, **request}) as answer:
        return json.load(answer)


def stream(code, **request):
    """The events of a run, as they come."""
    with post("/v1/executions", {"code": code, **request}, Accept="text/event-stream") as answer:
        for line in answer:  # "event: TYPE", "data: JSON", an empty line
            if line.startswith(b"data: "):
                yield json.loads(line[len(b"data: "):])


class Program:
    """A program that runs on the server while we talk to it. A WebSocket of the size that this needs;
    messages of up to 64 KiB. With a library of your choice only the messages stay."""

    def __init__(self, code, **request):
        self.connection = connect()
        self.connection.request("GET", "/v1/executions/ws", headers={
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), **HEADERS})
        self.socket = self.connection.sock
        answer = self.connection.getresponse()
        if answer.status != 101:
            raise RuntimeError(json.load(answer)["error"]["message"])
        self.stream = answer.fp
        self.send(type="start", request={"code": code, **request})

    def send_frame(self, first, data):
        size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        mask = os.urandom(4)  # a client has to
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
        self.socket.sendall(bytes([first]) + size + mask + masked)

    def send(self, **message):
        self.send_frame(0x81, json.dumps(message).encode())

    def frame(self):
        first, second = self.stream.read(2)
        size = second & 0x7F
        if size >= 126:
            size = int.from_bytes(self.stream.read(2 if size == 126 else 8), "big")
        return first, self.stream.read(size)

    def events(self):
        """Until the result, or the error that came instead of one."""
        text = b""
        while True:
            first, data = self.frame()
            kind = first & 0x0F
            if kind == 9:  # ping: answered by a pong with the same words
                self.send_frame(0x8A, data)
            elif kind == 8:
                raise RuntimeError(f"the server closed: {data[2:].decode()}")
            elif kind in (0, 1):
                text += data
                if not first & 0x80:
                    continue
                event, text = json.loads(text), b""
                yield event
                if event["type"] in ("result", "error"):
                    return

    def close(self):
        self.socket.close()
        self.connection.close()


def main():
    print("# one program, one answer")
    done = execute("print(open('a.txt').read() * 2)", timeout_ms=5000, limits={"memory": "128m"},
                   files=[{"name": "a.txt", "content": "ab", "encoding": "utf8"}])
    print(done["status"], done["stdout"].strip())

    print("# output as it comes")
    for event in stream("import time\nprint('one', flush=True)\ntime.sleep(0.2)\nprint('two')"):
        print(event["type"], repr(event.get("data")))

    print("# a program that is talked to")
    program = Program("print('hello', input('name? '))")
    for event in program.events():
        if event["type"] == "stdout":
            print(event["data"].strip())
            if "name?" in event["data"]:
                program.send(type="stdin", data="Ada\n")
        elif event["type"] == "result":
            print(event["result"]["status"])
    program.close()

    print("# what is wrong is said by name")
    try:
        execute("1", colour="red")
    except RuntimeError as error:
        print(error)


main()
