#!/usr/bin/python3
"""/v1/sessions over HTTP. What sessions themselves can do is tested in tests/session."""

import http.client
import json
import os
import re
import subprocess
import tempfile
import time
import unittest

import openapi_check
from cove_server import COVE, KEY, ServerTest, check_raw, post, wait_until


PROFILE = 'name = "science"\nextends = "python"\n[env]\nFIELD = "physics"\n[limits]\nmemory = "300m"\n'


class Sessions(ServerTest):
    words = ("--max-sessions", "12")

    @classmethod
    def setUpClass(cls):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(PROFILE)
            file.flush()
            cls.words = (*cls.words, "--profile-files", file.name)
            super().setUpClass()

    def open(self, key=None, **fields):
        answer = self.server.request("POST", "/v1/sessions", fields, key=key)
        self.assertEqual(answer.status, 201, answer.body)
        session = answer.json()["id"]
        self.assertEqual(answer.headers["Location"], "/v1/sessions/" + session)
        self.addCleanup(self.server.request, "DELETE", "/v1/sessions/" + session)
        return session

    def call(self, method, session, what="", body=None, **options):
        return self.server.request(method, f"/v1/sessions/{session}{what}", body, **options)

    def run_cell(self, session, code, query="", **fields):
        return self.call("POST", session, "/execute" + query, {"code": code, **fields})

    def test_state_and_values(self):
        session = self.open()
        self.assertEqual(self.run_cell(session, "x = 41").status, 200)
        result = self.run_cell(session, "print('hi')\nx + 1").json()
        self.assertEqual([result["status"], result["stdout"], result["value"]["text/plain"]], ["success", "hi\n", "42"])
        result = self.run_cell(session, "1/0").json()
        self.assertEqual(result["error"]["name"], "ZeroDivisionError")
        info = self.call("GET", session).json()
        self.assertEqual([info["state"], info["language"], info["cells"]], ["idle", "python", 3])
        self.assertIn(session, [each["id"] for each in self.server.request("GET", "/v1/sessions").json()["sessions"]])

    def test_stream(self):
        session = self.open()
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        started = time.monotonic()
        connection.request("POST", f"/v1/sessions/{session}/execute?stream=ndjson", json.dumps(
            {"code": "import time\nprint('now', flush=True)\ntime.sleep(1)\n7"}), self.server.headers())
        response = connection.getresponse()
        self.assertEqual(json.loads(response.readline())["type"], "started")
        self.assertEqual(json.loads(response.readline())["data"], "now\n")
        self.assertLess(time.monotonic() - started, 0.9)
        events = [json.loads(line) for line in response.read().splitlines()]
        for event in events:
            openapi_check.check(event, {"$ref": "#/components/schemas/Event"}, "event")
        self.assertEqual(events[-1]["result"]["value"]["text/plain"], "7")
        connection.close()

    def test_fork_and_roll_back(self):
        session = self.open()
        self.run_cell(session, "x = 1")
        checkpoint = self.call("POST", session, "/checkpoints", {"name": "one"})
        self.assertEqual(checkpoint.status, 201, checkpoint.body)
        answer = self.call("POST", session, "/fork")
        self.assertEqual(answer.status, 201, answer.body)
        branch = answer.json()["id"]
        self.addCleanup(self.server.request, "DELETE", "/v1/sessions/" + branch)
        self.assertEqual(answer.json()["parent"], session)
        self.run_cell(session, "x = 2")
        self.assertEqual(self.run_cell(branch, "x").json()["value"]["text/plain"], "1")
        self.assertEqual(self.run_cell(session, "x").json()["value"]["text/plain"], "2")
        [listed] = self.call("GET", session, "/checkpoints").json()["checkpoints"]
        self.assertEqual(listed["name"], "one")
        for name in (listed["id"], "one"):
            done = self.call("POST", session, "/rollback", {"checkpoint": name})
            self.assertEqual(done.status, 200, done.body)
            self.assertEqual(self.run_cell(session, "x").json()["value"]["text/plain"], "1")
            self.run_cell(session, "x = 3")
        self.assertEqual(self.call("DELETE", session, "/checkpoints/" + listed["id"]).status, 204)
        self.assertEqual(self.call("POST", session, "/rollback", {"checkpoint": "nope"}).status, 404)

    def test_files(self):
        session = self.open()
        self.assertEqual(self.call("PUT", session, "/files/in.bin", bytes(range(256))).status, 204)
        self.assertEqual(self.run_cell(session, "len(open('in.bin','rb').read())").json()["value"]["text/plain"], "256")
        self.run_cell(session, "open('out.txt', 'w').write('hello')")
        names = {file["name"] for file in self.call("GET", session, "/files").json()["files"]}
        self.assertLessEqual({"in.bin", "out.txt"}, names)
        self.assertEqual(self.call("GET", session, "/files/out.txt").body, b"hello")
        self.assertEqual(self.call("DELETE", session, "/files/out.txt").status, 204)
        self.assertEqual(self.call("GET", session, "/files/out.txt").status, 404)
        for name in ("../x", "%2e%2e/x", "%2Fetc%2Fpasswd"):
            self.assertIn(self.call("GET", session, "/files/" + name).status, (400, 404))

    def test_interrupt_and_reset(self):
        session = self.open()
        self.run_cell(session, "x = 5")
        with self.server.socket() as sock:
            body = json.dumps({"code": "import time; time.sleep(30)"})
            sock.sendall(f"POST /v1/sessions/{session}/execute HTTP/1.1\r\nHost: h\r\nX-Service-API-Key: "
                         f"{self.server.key}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            wait_until(lambda: self.call("GET", session).json()["state"] == "running")
            self.assertEqual(self.call("POST", session, "/interrupt").status, 204)
            self.assertIn(b"KeyboardInterrupt", sock.recv(65536))
        self.assertEqual(self.run_cell(session, "x").json()["value"]["text/plain"], "5")
        self.assertEqual(self.call("POST", session, "/reset").status, 204)
        self.assertEqual(self.run_cell(session, "x").json()["error"]["name"], "NameError")

    def test_78_a_client_that_leaves_ends_its_cell(self):
        session = self.open()
        self.run_cell(session, "x = 5")
        sock = self.server.socket()
        body = json.dumps({"code": "import time; time.sleep(30)"})
        sock.sendall(f"POST /v1/sessions/{session}/execute HTTP/1.1\r\nHost: h\r\nX-Service-API-Key: "
                     f"{self.server.key}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        wait_until(lambda: self.call("GET", session).json()["state"] == "running")
        sock.close()
        wait_until(lambda: self.call("GET", session).json()["state"] == "idle", 6)

    def test_gone_and_unknown(self):
        session = self.open()
        self.assertEqual(self.call("DELETE", session).status, 204)
        for answer in (self.call("GET", session), self.run_cell(session, "1"), self.call("DELETE", session)):
            self.assertEqual([answer.status, answer.code], [410, "gone"])
        self.assertEqual(self.call("GET", "sess_nope").status, 404)

    def test_idle(self):
        session = self.open(idle_timeout_s=1)
        wait_until(lambda: self.call("GET", session).status == 410, 8)
        self.assertIn("idle", self.call("GET", session).json()["error"]["message"])

    def test_bad_requests(self):
        cases = [({"language": "cobol"}, (422, 400)), ({"what": 1}, (400,)), ({"idle_timeout_s": 0}, (400,)),
                 ({"limits": {"memory": "90g"}}, (400,)), ({"policy": "host_local"}, (400,)),
                 ({"policy": {"filesystem": "unrestricted"}}, (403,)), ({"env": {"LD_PRELOAD": "x"}}, (400,)), ([], (400,)),
                 ({"profile": ""}, (400,)), ({"language": ""}, (400,)), ({"profile": 1}, (400,))]
        for body, statuses in cases:
            self.assertIn(self.server.request("POST", "/v1/sessions", body).status, statuses, body)
        long = self.server.request("POST", "/v1/sessions", {"idle_timeout_s": 1000000})
        self.assertEqual([long.status, long.field], [400, "idle_timeout_s"])
        self.assertIn("86400", long.json()["error"]["message"])
        session = self.open()
        wrong = self.call("POST", session, "/rollback", {"id": "x"})
        self.assertEqual([wrong.status, wrong.field], [400, "checkpoint"])
        self.assertIn('"id"', wrong.json()["error"]["message"])
        for body in ({}, {"code": 1}, {"code": "x", "y": 1}, "{"):
            self.assertEqual(self.call("POST", session, "/execute", body).status, 400, body)

    def test_owners(self):
        data = self.server.directory.name + "/data"
        keys = [subprocess.run([COVE, "keys", "add", name, "--data-dir", data], capture_output=True, text=True,
                               check=True).stdout.strip() for name in ("ann", "ben")]
        session = self.open(key=keys[0])
        self.assertEqual(self.call("GET", session, key=keys[0]).json()["owner"], "ann")
        for method, what in (("GET", ""), ("DELETE", ""), ("POST", "/execute"), ("POST", "/fork"), ("GET", "/files")):
            self.assertEqual(self.call(method, session, what, {"code": "1"}, key=keys[1]).status, 404, what)
        self.assertEqual(self.server.request("GET", "/v1/sessions", key=keys[1]).json()["sessions"], [])

    def test_profile(self):
        answer = self.server.request("POST", "/v1/sessions", {"profile": "nope"})
        self.assertEqual([answer.status, answer.field], [400, "profile"])
        for name in ("bash", "javascript", "python", "science"):
            self.assertIn(name, answer.json()["error"]["message"])
        self.assertNotIn("ruby", answer.json()["error"]["message"])  # it keeps no state
        # The operator's own profile, alone and with its language.
        for fields in ({"profile": "science"}, {"profile": "science", "language": "python"}):
            session = self.open(**fields)
            info = self.call("GET", session).json()
            self.assertEqual([info["language"], info["profile"], info["policy"]], ["python", "science", "strict"])
            self.assertEqual(self.run_cell(session, "import os; print(os.environ['FIELD'])").json()["stdout"], "physics\n")
        info = self.call("GET", self.open(profile="bash")).json()
        self.assertEqual([info["language"], info["profile"]], ["bash", "bash"])
        self.assertEqual(self.call("GET", self.open()).json()["profile"], "python")
        answer = self.server.request("POST", "/v1/sessions", {"profile": "bash", "language": "python"})
        self.assertEqual([answer.status, answer.field], [400, "profile"])
        answer = self.server.request("POST", "/v1/sessions", {"policy": "nope"})
        self.assertEqual([answer.status, answer.field], [400, "policy"])
        for name in ("strict", "data_analysis"):
            self.assertIn(name, answer.json()["error"]["message"])
        self.assertNotIn("host_local", answer.json()["error"]["message"])
        self.assertEqual(self.call("GET", self.open(policy="data_analysis")).json()["policy"], "data_analysis")

    def test_the_command_knows_profiles(self):
        words = ["--server", f"http://127.0.0.1:{self.server.port}"]
        environment = {"COVE_API_KEY": self.server.key, "PATH": "/usr/bin"}
        made = subprocess.run([COVE, "session", "new", "--profile", "science", "--json", *words], env=environment,
                              capture_output=True, text=True, check=True)
        info = json.loads(made.stdout)
        self.addCleanup(self.call, "DELETE", info["id"])
        self.assertEqual([info["language"], info["profile"]], ["python", "science"])
        refused = subprocess.run([COVE, "session", "new", "--profile", "nope", *words], env=environment,
                                 capture_output=True, text=True, check=False)
        self.assertEqual(refused.returncode, 125)
        self.assertIn("science", refused.stderr)

    def test_too_many(self):
        opened, last = [], None
        for _ in range(14):
            last = self.server.request("POST", "/v1/sessions", {})
            if last.status != 201:
                break
            opened.append(last.json()["id"])
        for session in opened:
            self.call("DELETE", session)
        self.assertEqual([last.status, last.code], [429, "busy"])
        self.assertGreater(int(last.headers["Retry-After"]), 60)  # until one expires, not until a job ends
        self.assertIn('cove_refusals_total{reason="sessions_full"}', self.server.request("GET", "/metrics").body.decode())

    def test_metrics(self):
        session = self.open()
        self.run_cell(session, "1 / 0")
        metrics = lambda: self.server.request("GET", "/metrics").body.decode()
        wait_until(lambda: "cove_session_cells_running 0" in metrics(), 5)
        text = metrics()
        self.assertRegex(text, r"cove_sessions_live [1-9]")
        self.assertRegex(text, r'cove_session_cells_total{status="failed"} [1-9]')


class Places(ServerTest):
    """Cells are work like executions: they take places, wait in the queue and use up a key's limits."""
    words = ("--max-concurrent-jobs", "2", "--max-queue", "1")
    sleep = "import time; time.sleep(20)"

    def open(self, key=None, **fields):
        answer = self.server.request("POST", "/v1/sessions", fields, key=key)
        self.assertEqual(answer.status, 201, answer.body)
        self.addCleanup(self.server.request, "DELETE", "/v1/sessions/" + answer.json()["id"])
        return answer.json()["id"]

    def run_cell(self, session, code="1", key=None, query=""):
        return self.server.request("POST", f"/v1/sessions/{session}/execute{query}", {"code": code}, key=key)

    def hold(self, path, code, key=KEY):
        """A request in work until it is closed."""
        sock = self.server.socket()
        sock.sendall(post(path, {"code": code}, key=key))
        self.addCleanup(sock.close)
        return sock

    def counts(self):
        text = self.server.request("GET", "/metrics").body.decode()
        return tuple(int(re.search(rf"^cove_jobs_{what} (\d+)$", text, re.M)[1]) for what in ("running", "queued"))

    def add_key(self, *words):
        return subprocess.run([COVE, "keys", "add", *words, "--data-dir", self.server.directory.name + "/data"],
                              capture_output=True, text=True, check=True).stdout.strip()

    def tearDown(self):
        self.doCleanups()
        wait_until(lambda: self.counts() == (0, 0), what="an idle server")

    def test_cells_and_executions_share_the_places(self):
        first, second, third = self.open(), self.open(), self.open()
        held = [self.hold(f"/v1/sessions/{first}/execute", self.sleep), self.hold("/v1/executions", self.sleep)]
        wait_until(lambda: self.counts() == (2, 0), what="two at work")
        waiting = self.hold(f"/v1/sessions/{second}/execute", "41 + 1")
        wait_until(lambda: self.counts() == (2, 1), what="a cell that waits")
        # Another cell of a busy session waits for the session, without a place and without one in the queue.
        behind = self.hold(f"/v1/sessions/{first}/execute", "2")
        for query in ("", "?stream=sse", "?stream=ndjson"):
            refused = self.run_cell(third, query=query)
            self.assertEqual([refused.status, refused.code], [429, "busy"], query)
            self.assertGreaterEqual(int(refused.headers["Retry-After"]), 1)
        self.assertEqual(self.server.execute("1").status, 429)
        held[1].close()  # its place goes to the one that waits
        [answer] = check_raw(b"POST /v1/sessions/x/execute HTTP/1.1", waiting.recv(65536))
        self.assertEqual(answer.json()["value"]["text/plain"], "42")
        behind.close()

    def test_who_leaves_the_queue_is_forgotten(self):
        sessions = [self.open() for _ in range(3)]
        for session in sessions[:2]:
            self.hold(f"/v1/sessions/{session}/execute", self.sleep)
        wait_until(lambda: self.counts() == (2, 0))
        waiting = self.hold(f"/v1/sessions/{sessions[2]}/execute", "x = 1")
        wait_until(lambda: self.counts() == (2, 1))
        waiting.close()
        wait_until(lambda: self.counts() == (2, 0), what="an empty queue")
        self.assertEqual(self.server.request("GET", f"/v1/sessions/{sessions[2]}").json()["cells"], 0)

    def test_a_keys_concurrency(self):
        key = self.add_key("narrow", "--concurrency", "1")
        first, second = self.open(key), self.open(key)
        self.hold(f"/v1/sessions/{first}/execute", self.sleep, key)
        wait_until(lambda: self.counts() == (1, 0))
        self.hold(f"/v1/sessions/{second}/execute", "1", key)
        wait_until(lambda: self.counts() == (1, 1), what="a cell that waits for its key")
        self.assertEqual(self.run_cell(self.open()).status, 200)  # another key's runs

    def test_a_keys_rate(self):
        key = self.add_key("slow", "--rate", "0.2")
        session = self.open(key)
        self.assertEqual(self.run_cell(session, key=key).status, 200)
        refused = self.run_cell(session, key=key)
        self.assertEqual([refused.status, refused.code], [429, "busy"])
        self.assertIn("0.2 submissions a second", refused.json()["error"]["message"])
        self.assertGreaterEqual(int(refused.headers["Retry-After"]), 3)
        self.assertEqual(self.server.request("POST", "/execute", {"code": "1"}, key=key).status, 429)

    def test_a_keys_languages_and_policies(self):
        key = self.add_key("bound", "--languages", "bash", "--policies", "strict")
        for fields in ({}, {"language": "python"}, {"profile": "python"}, {"language": "bash", "policy": "data_analysis"}):
            answer = self.server.request("POST", "/v1/sessions", fields, key=key)
            self.assertEqual([answer.status, answer.code], [403, "forbidden"], fields)
            self.assertRegex(answer.json()["error"]["message"], "it allows (bash|strict)")
        self.assertEqual(self.run_cell(self.open(key, language="bash"), "echo hi", key).json()["stdout"], "hi\n")

    def test_a_key_that_was_narrowed_binds_sessions_that_live(self):
        key = self.add_key("changing")
        session = self.open(key)
        self.assertEqual(self.run_cell(session, key=key).status, 200)
        path = self.server.directory.name + "/data/keys.json"
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace('name = "changing"\n', 'name = "changing"\nlanguages = ["bash"]\n'))
        wait_until(lambda: self.run_cell(session, key=key).status == 403, 5, "a refusal")
        self.assertIn("it allows bash", self.run_cell(session, key=key).json()["error"]["message"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
