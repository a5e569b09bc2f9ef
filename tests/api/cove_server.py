"""Starts real servers for the tests of this folder, and speaks HTTP to them."""

import http.client
import io
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import openapi_check

COVE = os.environ.get("COVE_COMMAND", "build/release/bin/cove")
KEY = "k-0123456789abcdef"
# scripts/attack-all runs the attacks once more at another level.
ISOLATION = ["--isolation", os.environ["COVE_TEST_ISOLATION"]] if "COVE_TEST_ISOLATION" in os.environ else []
if "landlock" in ISOLATION:
    ISOLATION += ["--policies", "strict"]  # data_analysis asks for limits that this level does not have


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        return self.json()["error"]["code"]

    @property
    def field(self):
        return self.json()["error"].get("field")


class Server:
    """One `cove serve` of its own, on a free port."""

    def __init__(self, *words, env=None, key=KEY, listen="127.0.0.1:0", data=None, wait=True):
        self.directory = tempfile.TemporaryDirectory(prefix="cove-api-test.")
        environment = {k: v for k, v in os.environ.items()
                       if not k.startswith(("SANDBOX_EXECUTOR_", "COVE_SERVE_", "ENVIRONMENT"))}
        if key:
            environment["SANDBOX_EXECUTOR_SERVICE_API_KEY"] = key
        environment.update(env or {})
        self.key = key
        self.log_path = os.path.join(self.directory.name, "log")
        self.log_file = open(self.log_path, "wb")
        self.process = subprocess.Popen(
            [COVE, "serve", *ISOLATION, "--listen", listen, "--data-dir", data or self.directory.name + "/data", *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log_file, env=environment)
        self.addresses = []
        if wait:
            self.wait_until_listening()

    def wait_until_listening(self):
        line = self.process.stdout.readline().decode()
        if not line.startswith("listening on "):
            self.process.wait()
            raise AssertionError("the server did not start: " + self.log_text())
        self.addresses.append(line.split()[-1])
        match = re.search(r":(\d+)$", self.addresses[0])
        self.port = int(match[1]) if match else None

    def log_text(self):
        with open(self.log_path, encoding="utf-8") as file:
            return file.read()

    def log_lines(self, event=None):
        lines = [json.loads(line) for line in self.log_text().splitlines() if line.startswith("{")]
        return [line for line in lines if event is None or line["event"] == event]

    def headers(self, key=None):
        used = self.key if key is None else key
        return {"X-Service-API-Key": used} if used else {}

    def request(self, method, path, body=None, headers=None, key=None, timeout=60, check=True):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            return self.ask(connection, method, path, body, headers, key, check)
        finally:
            connection.close()

    def ask(self, connection, method, path, body=None, headers=None, key=None, check=True):
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        connection.request(method, path, body, {**self.headers(key), **(headers or {})})
        response = connection.getresponse()
        answer = Answer(response.status, dict(response.getheaders()), response.read())
        if check:
            openapi_check.check_answer(method, path, answer)
        return answer

    def execute(self, code, **fields):
        return self.request("POST", "/execute", {"code": code, **fields})

    def socket(self, timeout=20):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def raw(self, data, timeout=20):
        """Sends bytes as they are and reads until the server closes."""
        with self.socket(timeout) as sock:
            sock.sendall(data)
            return read_all(sock)

    def stop(self, number=signal.SIGTERM, timeout=30):
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(timeout)
        self.process.stdout.close()
        self.log_file.close()
        return code

    def close(self):
        try:
            if self.process.poll() is None:
                self.stop()
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self.process.stdout.close()
            self.log_file.close()
            self.directory.cleanup()


def read_all(sock):
    parts = []
    while True:
        try:
            part = sock.recv(65536)
        except ConnectionResetError:
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts)


def answers_in(data):
    """The answers in what a connection gave, in order, each as a whole."""
    found = []
    stream = io.BytesIO(data)
    while line := stream.readline():
        status = int(line.split()[1])
        headers = dict(http.client.parse_headers(stream).items())
        if status < 200:
            continue
        if headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(stream.readline(), 16):
                body += stream.read(size)
                stream.readline()
            stream.readline()
        else:
            body = stream.read(int(headers.get("Content-Length", 0)))
        found.append(Answer(status, headers, body))
    return found


def check_raw(sent, received):
    """Answers to bytes that need not be a request are in the document, too. Gives them."""
    line = re.match(rb"([A-Z]+) (?:http://[^/ ]*)?(/[^ ]*) HTTP/", sent)
    method, path = (part.decode("latin-1") for part in line.groups()) if line else ("GET", "/nowhere")
    answers = answers_in(received)
    for answer in answers:
        openapi_check.check_answer(method, path, answer)
    return answers


def post(path, body, key=KEY, extra=""):
    """The bytes of a POST."""
    if isinstance(body, (dict, list)):
        body = json.dumps(body)
    body = body.encode() if isinstance(body, str) else body
    return (f"POST {path} HTTP/1.1\r\nHost: h\r\nX-Service-API-Key: {key}\r\n"
            f"Content-Length: {len(body)}\r\n{extra}\r\n").encode() + body


def wait_until(condition, seconds=10, what="it"):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError(f"{what} did not happen within {seconds} s")


def processes_with(marker):
    """Pids of processes whose command line or environment mentions the marker."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if marker.encode() in file.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def descendants(pid):
    children = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        children.setdefault(parent, []).append(int(entry))
    found, todo = [], [pid]
    while todo:
        for child in children.get(todo.pop(), []):
            found.append(child)
            todo.append(child)
    return found


def in_parallel(*actions):
    threads = [threading.Thread(target=action) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class ServerTest(unittest.TestCase):
    """A test case whose tests share one server."""
    words = ()
    env = {}
    server_key = KEY

    @classmethod
    def setUpClass(cls):
        cls.server = Server("--log", "stderr", *cls.words, env=cls.env, key=cls.server_key)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
