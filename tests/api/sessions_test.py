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
from cove_server import COVE, KEY, Server, ServerTest, check_raw, post, read_all, wait_until


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

    def test_the_timeout_has_the_names_of_executions(self):
        session = self.open()
        for fields in ({"timeout_ms": 300}, {"timeout": "300ms"}):
            result = self.run_cell(session, "while True: pass", **fields).json()
            self.assertEqual([result["status"], result["notes"]], ["timeout", ["stopped by the timeout of 300 ms"]])
        for fields, field in (({"timeout": 3}, "timeout"), ({"timeout": "3s", "timeout_ms": 3}, "timeout"),
                              ({"timeout": "soon"}, "timeout"), ({"timeout_ms": "3s"}, "timeout_ms")):
            answer = self.run_cell(session, "1", **fields)
            self.assertEqual([answer.status, answer.field], [400, field])

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

    def test_a_state_that_was_lost_behind_the_clients_back_is_told(self):
        session = self.open()
        self.run_cell(session, "x = 5")
        sock = self.server.socket()
        body = json.dumps({"code": "import time\nwhile True:\n  try:\n    while True: time.sleep(0.01)\n"
                                   "  except KeyboardInterrupt: pass"})
        sock.sendall(f"POST /v1/sessions/{session}/execute HTTP/1.1\r\nHost: h\r\nX-Service-API-Key: "
                     f"{self.server.key}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        wait_until(lambda: self.call("GET", session).json()["state"] == "running")
        time.sleep(0.3)
        sock.close()
        result = self.run_cell(session, "x").json()  # waits for its turn
        self.assertEqual([result["error"]["name"], result["state_lost"]], ["NameError", True])
        self.assertRegex(result["notes"][0], r"^before this cell all variables were lost at 20\S+Z, in cell 2: its caller")
        self.assertFalse(self.run_cell(session, "x = 1").json()["state_lost"])
        self.assertRegex(self.call("GET", session).json()["notes"][0], r"^all variables were lost at 20.*was killed")

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


class Lines(ServerTest):
    """Cells of one session wait for each other, and for nobody else."""
    words = ("--worker-threads", "2", "--max-queue", "20")

    def setUp(self):
        answers = [self.server.request("POST", "/v1/sessions", {}) for _ in range(2)]
        self.first, self.second = (answer.json()["id"] for answer in answers)
        for session in (self.first, self.second):
            self.addCleanup(self.server.request, "DELETE", "/v1/sessions/" + session)

    def hold(self, session, code, what="/execute"):
        sock = self.server.socket(30)
        sock.sendall(post(f"/v1/sessions/{session}{what}", {"code": code} if code else "",
                          extra="Connection: close\r\n"))
        self.addCleanup(sock.close)
        return sock

    def info(self, session):
        return self.server.request("GET", "/v1/sessions/" + session).json()

    def run_cell(self, session, code):
        return self.server.request("POST", f"/v1/sessions/{session}/execute", {"code": code})

    def start_slow_cell(self, seconds):
        running = self.hold(self.first, f"import time; time.sleep({seconds}); order = []")
        wait_until(lambda: self.info(self.first)["state"] == "running")
        return running

    def test_waiting_cells_hold_no_thread(self):
        running = self.start_slow_cell(4)
        cell = self.info(self.first)["running_cell"]
        self.assertEqual(cell["count"], 1)
        waiting = []
        for number in range(18):
            waiting.append(self.hold(self.first, f"order.append({number})"))
            wait_until(lambda: self.info(self.first)["waiting"] == len(waiting))
        started = time.monotonic()
        self.assertEqual(self.run_cell(self.second, "6 * 7").json()["value"]["text/plain"], "42")
        self.assertEqual(self.server.request("GET", f"/v1/sessions/{self.second}/files").status, 200)
        listed = self.server.request("GET", "/v1/sessions").json()["sessions"]
        self.assertIn(self.first, [each["id"] for each in listed])
        self.assertLess(time.monotonic() - started, 2)
        # A fork keeps its place in the order, too: it sees what the cells before it did, and no more.
        fork = self.hold(self.first, "", "/fork")
        wait_until(lambda: self.info(self.first)["waiting"] == 19)
        self.hold(self.first, "order.append('late')")
        wait_until(lambda: self.info(self.first)["waiting"] == 20)
        refused = self.run_cell(self.first, "1")
        self.assertEqual([refused.status, refused.code], [429, "busy"])
        self.assertIn("Retry-After", refused.headers)
        for sock in (running, *waiting):
            [answer] = check_raw(b"POST /v1/sessions/x/execute HTTP/1.1", read_all(sock))
            self.assertEqual(answer.json()["status"], "success", answer.body)
        [answer] = check_raw(b"POST /v1/sessions/x/fork HTTP/1.1", read_all(fork))
        branch = answer.json()["id"]
        self.addCleanup(self.server.request, "DELETE", "/v1/sessions/" + branch)
        expected = str(list(range(18)))
        self.assertEqual(self.run_cell(branch, "order").json()["value"]["text/plain"], expected)
        self.assertEqual(self.run_cell(self.first, "order[-1]").json()["value"]["text/plain"], "'late'")

    def test_who_leaves_takes_the_cell_out(self):
        running = self.start_slow_cell(2)
        leaving = [self.hold(self.first, "order.append('left')") for _ in range(5)]
        wait_until(lambda: self.info(self.first)["waiting"] == 5)
        staying = self.hold(self.first, "order.append('stayed')")
        wait_until(lambda: self.info(self.first)["waiting"] == 6)
        for sock in leaving:
            sock.close()
        wait_until(lambda: self.info(self.first)["waiting"] == 1)
        read_all(running)
        read_all(staying)
        self.assertEqual(self.run_cell(self.first, "order").json()["value"]["text/plain"], "['stayed']")
        self.assertEqual(self.info(self.first)["cells"], 3)
        lines = [line for line in self.server.log_lines("request") if line.get("client") == "gone"]
        self.assertEqual([line["status"] for line in lines], [409] * 5)

    def test_a_bad_cell_does_not_wait(self):
        self.start_slow_cell(2)
        started = time.monotonic()
        answer = self.server.request("POST", f"/v1/sessions/{self.first}/execute", {"cod": "1"})
        self.assertEqual(answer.status, 400)
        self.assertLess(time.monotonic() - started, 1)

    def test_cells_behind_a_session_that_is_deleted_are_answered(self):
        running = self.start_slow_cell(30)
        waiting = [self.hold(self.first, "1") for _ in range(5)]
        wait_until(lambda: self.info(self.first)["waiting"] == 5)
        self.assertEqual(self.server.request("DELETE", "/v1/sessions/" + self.first).status, 204)
        for sock in (running, *waiting):
            [answer] = check_raw(b"POST /v1/sessions/x/execute HTTP/1.1", read_all(sock))
            self.assertEqual([answer.status, answer.code], [410, "gone"])

    def test_a_stopping_server_answers_who_waits(self):
        server = Server("--shutdown-grace", "500ms", "--worker-threads", "2")
        try:
            session = server.request("POST", "/v1/sessions", {}).json()["id"]
            code = {"code": "import time; time.sleep(30)"}
            socks = []
            for number in range(4):
                sock = server.socket(30)
                sock.sendall(post(f"/v1/sessions/{session}/execute", code))
                socks.append(sock)
                wait_until(lambda: server.request("GET", "/v1/sessions/" + session).json()["waiting"] == number)
            self.assertEqual(server.stop(), 0)
            answers = [check_raw(b"POST /v1/sessions/x/execute HTTP/1.1", read_all(sock))[0] for sock in socks]
            self.assertEqual(answers[0].json()["status"], "cancelled")
            self.assertEqual({answer.status for answer in answers[1:]}, {503})
            for sock in socks:
                sock.close()
        finally:
            server.close()


class NoSessions(ServerTest):
    words = ("--max-sessions", "0")

    def test_there_are_none(self):
        self.assertEqual(self.server.request("GET", "/v1/sessions").json(), {"sessions": []})
        answer = self.server.request("POST", "/v1/sessions", {})
        self.assertEqual([answer.status, answer.code], [503, "backend_unavailable"])
        for command in ("top", "ps"):
            subprocess.run([COVE, command, "--server", f"http://127.0.0.1:{self.server.port}", "--key", KEY],
                           stdout=subprocess.DEVNULL, check=True)


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
