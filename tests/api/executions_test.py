#!/usr/bin/python3
"""/v1/executions: synchronous, asynchronous, streamed; history, files, keys and their limits."""

import base64
import json
import re
import os
import subprocess
import threading
import time
import unittest

import openapi_check
from cove_server import COVE, KEY, ServerTest, in_parallel, post, read_all, wait_until


class Executions(ServerTest):
    words = ("--max-concurrent-jobs", "2", "--max-queue", "2", "--max-timeout-ms", "20000",
             "--stream-keep-alive", "300ms")

    def create(self, code, query="", **fields):
        return self.server.request("POST", "/v1/executions" + query, {"code": code, **fields})

    def state(self, job):
        return self.server.request("GET", "/v1/executions/" + job).json()["state"]

    def test_synchronous(self):
        body = self.create("print('hi')").json()
        self.assertEqual([body["state"], body["result"]["stdout"], body["caller"]],
                         ["done", "hi\n", "environment"] if body["caller"] == "environment" else
                         ["done", "hi\n", body["caller"]])
        self.assertEqual(self.server.request("GET", "/v1/executions/" + body["id"]).json()["result"],
                         body["result"])

    def test_a_compiled_program(self):
        files = [{"name": "f.h", "content": base64.b64encode(b"#define SEVEN 7\n").decode()}]
        code = '#include "f.h"\nint main(void) { int spare; return SEVEN; }\n'
        for cached in (False, True):
            body = self.create(code + f"// {os.getpid()}\n", language="c", files=files).json()["result"]
            self.assertEqual([body["status"], body["exit_code"], body["compile"]["cached"]], ["failed", 7, cached])
            self.assertEqual(body["diagnostics"][0]["level"], "warning")
        answer = self.create("int main(void) { return x; }\n", "?stream=ndjson", language="c", entry="prog.c")
        events = openapi_check.events_of(answer)
        body = events[-1]["result"]
        self.assertEqual([body["status"], "exit_code" in body], ["compile_failed", False])
        self.assertEqual(body["diagnostics"][0]["spans"][0]["file_name"], "prog.c")
        self.assertIn("prog.c:1:25: error", body["diagnostics_text"])
        self.assertIn(("stderr", body["stderr"]), [(e["type"], e.get("data")) for e in events])
        self.assertEqual(self.create("x", language="python", entry="x.py").json()["error"]["field"], "entry")

    def test_asynchronous(self):
        answer = self.create("import time; time.sleep(0.3); print(1)", "?async=true")
        self.assertEqual(answer.status, 202)
        job = answer.json()["id"]
        self.assertEqual(answer.headers["Location"], "/v1/executions/" + job)
        self.assertIn(answer.json()["state"], ("queued", "running"))
        wait_until(lambda: self.state(job) == "done")

    def test_cancel(self):
        job = self.create("import time; time.sleep(20)", "?async=true").json()["id"]
        wait_until(lambda: self.state(job) == "running")
        answer = self.server.request("DELETE", "/v1/executions/" + job)
        self.assertEqual([answer.status, answer.json()["state"]], [200, "done"])
        self.assertEqual(self.server.request("GET", "/v1/executions/" + job).json()["result"]["status"],
                         "cancelled")
        # Once more changes nothing.
        self.assertEqual(self.server.request("DELETE", "/v1/executions/" + job).status, 200)

    def test_streams(self):
        code = "import sys\nprint('a', flush=True)\nprint('b', file=sys.stderr, flush=True)\nsys.exit(2)"
        for query, headers in (("?stream=sse", {}), ("", {"Accept": "text/event-stream"}),
                               ("?stream=ndjson", {}), ("", {"Accept": "application/x-ndjson"})):
            answer = self.server.request("POST", "/v1/executions" + query, {"code": code}, headers)
            events = openapi_check.events_of(answer)
            self.assertEqual([events[0]["type"], events[-1]["type"]], ["started", "result"])
            self.assertEqual({(e["type"], e["data"]) for e in events[1:-1]}, {("stdout", "a\n"), ("stderr", "b\n")})
            self.assertEqual(events[-1]["result"]["exit_code"], 2)
            self.assertEqual(events[0]["execution_id"], events[-1]["result"]["execution_id"])
        for query in ("?stream=tape", "?async=maybe", "?async=true&stream=sse"):
            self.assertEqual(self.create("x", query).status, 400, query)

    def test_a_silent_event_stream_shows_that_it_lives(self):
        code = "import time\nprint('a', flush=True)\ntime.sleep(1.3)\nprint('b')"
        answer = self.create(code, "?stream=sse")
        comments = [line for line in answer.body.decode().splitlines() if line.startswith(":")]
        self.assertIn(len(comments), (3, 4, 5), answer.body)
        events = openapi_check.events_of(answer)
        self.assertEqual([event["type"] for event in events], ["started", "stdout", "stdout", "result"])
        # Our own client is not irritated by them.
        job = self.create("import time; time.sleep(1); print('end')", "?async=true").json()["id"]
        shown = subprocess.run([COVE, "logs", "-f", job, "--server", f"http://127.0.0.1:{self.server.port}"],
                               env={"COVE_API_KEY": KEY, "PATH": "/usr/bin"}, capture_output=True, text=True, timeout=20,
                               check=False)
        self.assertEqual([shown.returncode, shown.stdout], [0, "end\n"], shown.stderr)
        # Lines of the other format have no comments: there silence stays silence.
        lines = self.create("import time; time.sleep(0.8)", "?stream=ndjson").body.splitlines()
        self.assertEqual([json.loads(line)["type"] for line in lines], ["started", "result"])
        # HTTP/1.0 has no chunks.
        with self.server.socket() as sock:
            sock.sendall(post("/v1/executions?stream=sse", {"code": "import time; time.sleep(0.8)"}).replace(
                b"HTTP/1.1", b"HTTP/1.0"))
            text = read_all(sock).split(b"\r\n\r\n", 1)[1]
        self.assertIn(b"\n\n: ", text)
        self.assertTrue(text.endswith(b"}\n\n"), text)

    def test_set_up_time(self):
        for code in ("1", "2"):
            result = self.create(code).json()["result"]
            self.assertTrue(0 < result["setup_ms"] <= result["duration_ms"], result)
        self.create("1", language="sh", env={"LANG": "C"})  # a waiting guest would not do
        metrics = self.server.request("GET", "/metrics").body.decode()
        for language, start in (("python", "warm"), ("sh", "cold")):
            count = re.search(f'cove_sandbox_setup_seconds_count{{language="{language}",backend="native",'
                              f'start="{start}"}} (\\d+)', metrics)
            self.assertGreaterEqual(int(count[1]) if count else 0, 1, metrics)

    def test_errors_name_only_what_is_allowed(self):
        message = self.create("1", cod=1).json()["error"]["message"]
        self.assertIn("collect_file_contents", message)
        for name in ("execution_id", "identity"):
            self.assertNotIn(name, message)
            answer = self.create("1", **{name: "x"})
            self.assertEqual([answer.status, answer.field], [400, name])

    def test_unknown_query_parameters_are_refused(self):
        for method, path, name in (("POST", "/execute?stream=sse", "stream"), ("POST", "/v1/executions?asinc=true", "asinc"),
                                   ("GET", "/v1/executions?stat=done", "stat"), ("GET", "/v1/policies?x=1", "x"),
                                   ("POST", "/v1/sessions/ses_1/execute?async=true", "async")):
            answer = self.server.request(method, path, {"code": ""} if method == "POST" else None)
            self.assertEqual([answer.status, answer.field], [400, name], path)
        self.assertEqual(self.server.request("GET", "/healthz?probe=1").status, 200)

    def test_files_may_be_text(self):
        files = [{"name": "in/a.txt", "content": "grüße", "encoding": "utf8"},
                 {"name": "b.bin", "content": base64.b64encode(b"\0\1").decode()}]
        body = self.create("print(open('in/a.txt').read(), open('b.bin', 'rb').read())", files=files).json()
        self.assertEqual(body["result"]["stdout"], "grüße b'\\x00\\x01'\n")
        refused = self.create("", files=[{"name": "a", "content": "plain text!"}])
        self.assertEqual([refused.status, refused.field], [400, "files[0].content"])
        self.assertIn("utf8", refused.json()["error"]["message"])

    def test_a_misspelt_field_is_named(self):
        refused = self.server.request("POST", "/v1/executions", {"Code": "print(1)"})
        self.assertEqual([refused.status, refused.field], [400, "code"])
        self.assertIn('"Code"', refused.json()["error"]["message"])

    def test_events_come_while_it_runs(self):
        import http.client
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        started = time.monotonic()
        connection.request("POST", "/v1/executions?stream=ndjson", json.dumps(
            {"code": "import time\nprint('now', flush=True)\ntime.sleep(1)"}), self.server.headers())
        response = connection.getresponse()
        self.assertEqual(json.loads(response.readline())["type"], "started")
        self.assertEqual(json.loads(response.readline())["data"], "now\n")
        self.assertLess(time.monotonic() - started, 0.8)
        response.read()
        connection.close()

    def test_bytes_that_are_no_text(self):
        events = openapi_check.events_of(self.create(
            "import os; os.write(1, b'\\xff\\xfe'); os.write(1, 'é'.encode()[:1]); os.write(1, 'é'.encode()[1:])",
            "?stream=ndjson"))
        data = b"".join(base64.b64decode(e["data_base64"]) if "data_base64" in e else e["data"].encode()
                        for e in events if e["type"] == "stdout")
        self.assertEqual(data, b"\xff\xfe\xc3\xa9")

    def test_follow(self):
        job = self.create("import time\nprint(1, flush=True)\ntime.sleep(0.5)\nprint(2)", "?async=true").json()["id"]
        wait_until(lambda: self.state(job) == "running")
        for _ in range(2):  # while it runs, and when it is over
            answer = self.server.request("GET", f"/v1/executions/{job}/events?stream=ndjson")
            events = openapi_check.events_of(answer)
            self.assertEqual("".join(e["data"] for e in events if e["type"] == "stdout"), "1\n2\n")
            self.assertEqual(events[-1]["type"], "result")

    def test_files(self):
        body = self.create("import os\nos.mkdir('d')\nopen('d/a b.txt', 'w').write('hello')\nopen('x.bin', 'wb')"
                           ".write(bytes(range(256)))").json()
        self.assertEqual({file["name"] for file in body["result"]["output_files"]}, {"d/a b.txt", "x.bin"})
        self.assertTrue(all("content" not in file for file in body["result"]["output_files"]))
        for path in ("d/a%20b.txt", "d%2Fa%20b.txt"):
            answer = self.server.request("GET", f"/v1/executions/{body['id']}/files/{path}")
            self.assertEqual([answer.status, answer.body], [200, b"hello"])
            self.assertEqual(answer.headers["Content-Disposition"], "attachment")
        answer = self.server.request("GET", f"/v1/executions/{body['id']}/files/x.bin")
        self.assertEqual(answer.body, bytes(range(256)))
        for name in ("nope", "../../etc/passwd", "%2e%2e/x", "d"):
            self.assertIn(self.server.request("GET", f"/v1/executions/{body['id']}/files/{name}").status, (400, 404))
        body = self.create("open('y', 'w').write('z')", collect_file_contents=True).json()
        self.assertEqual(base64.b64decode(body["result"]["output_files"][0]["content"]), b"z")

    def test_list_and_pages(self):
        made = [self.create(f"print({n})").json()["id"] for n in range(5)]
        seen, before = [], ""
        while True:
            page = self.server.request("GET", f"/v1/executions?limit=2{before}").json()
            seen += [job["id"] for job in page["executions"]]
            if "next" not in page or len(seen) >= 6:
                break
            before = "&before=" + page["next"]
        self.assertEqual(seen[:5], made[::-1])
        self.assertTrue(all(job["state"] == "done" for job in
                            self.server.request("GET", "/v1/executions?state=done").json()["executions"]))
        for query in ("limit=0", "limit=x", "limit=501", "state=asleep", "what=1", "limit=1&limit=2"):
            self.assertEqual(self.server.request("GET", "/v1/executions?" + query).status, 400, query)
        self.assertEqual(self.server.request("GET", "/v1/executions/exec_nope").status, 404)

    def test_queue_full(self):
        statuses, lock = [], threading.Lock()

        def run():
            answer = self.create("import time; time.sleep(0.7)")
            with lock:
                statuses.append(answer.status)
                if answer.status == 429:
                    self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)
                    self.assertEqual(answer.code, "busy")
        in_parallel(*[run] * 8)
        self.assertEqual(sorted(statuses), [200] * 4 + [429] * 4)

    def test_about(self):
        names = {item["name"] for item in self.server.request("GET", "/v1/languages").json()["languages"]
                 if item["usable"]}
        self.assertIn("python", names)
        self.assertEqual(self.server.request("GET", "/v1/capabilities").json()["backend"], "native")
        policies = self.server.request("GET", "/v1/policies").json()
        self.assertEqual(policies["default"], "strict")
        self.assertIn("strict", [policy["name"] for policy in policies["policies"]])


class NamedKeys(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.alice = cls.add("alice")
        cls.bob = cls.add("bob", "--scope", "execute", "--languages", "python", "--policies", "strict_js")
        cls.ops = cls.add("ops", "--scope", "admin")
        cls.slow = cls.add("slow", "--rate", "1", "--concurrency", "1")

    @classmethod
    def keys(cls, *words):
        return subprocess.run([COVE, "keys", *words, "--data-dir", cls.server.directory.name + "/data"],
                              capture_output=True, text=True, check=False)

    @classmethod
    def add(cls, *words):
        done = cls.keys("add", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def run_as(self, key, **fields):
        return self.server.request("POST", "/v1/executions", {"code": "print(1)", **fields}, key=key)

    def test_owners(self):
        job = self.run_as(self.alice).json()
        self.assertEqual(job["caller"], "alice")
        path = "/v1/executions/" + job["id"]
        self.assertEqual(self.server.request("GET", path, key=self.alice).status, 200)
        for method, where in (("GET", path), ("DELETE", path), ("GET", path + "/events"), ("GET", path + "/files/x")):
            self.assertEqual(self.server.request(method, where, key=self.bob).status, 404)
        self.assertEqual(self.server.request("GET", path, key=self.ops).status, 200)
        listed = self.server.request("GET", "/v1/executions", key=self.bob).json()["executions"]
        self.assertNotIn(job["id"], [each["id"] for each in listed])
        listed = self.server.request("GET", "/v1/executions?caller=alice", key=self.ops).json()["executions"]
        self.assertIn(job["id"], [each["id"] for each in listed])
        self.assertEqual(self.server.request("GET", "/v1/executions?caller=alice", key=self.bob).status, 403)

    def test_scopes_and_limits(self):
        self.assertEqual(self.server.request("GET", "/v1/sessions", key=self.bob).status, 403)
        self.assertEqual(self.run_as(self.bob).json()["policy"], "strict_js")  # the one that its key allows
        self.assertEqual(self.run_as(self.bob, policy="strict").status, 403)
        offered = self.server.request("GET", "/v1/policies", key=self.bob).json()
        self.assertEqual([offered["default"], [each["name"] for each in offered["policies"]]],
                         ["strict_js", ["strict_js"]])
        self.assertEqual(self.run_as(self.bob, policy="strict_js").status, 200)
        self.assertEqual(self.run_as(self.bob, policy="strict_js", language="sh").status, 403)
        statuses = [self.run_as(self.slow).status for _ in range(3)]
        self.assertIn(429, statuses)

    def test_a_key_for_metrics_only(self):
        key = self.add("scraper", "--scope", "metrics")
        answer = self.server.request("GET", "/metrics", key=key)
        self.assertEqual(answer.status, 200)
        self.assertIn(b"cove_sessions_live", answer.body)
        self.assertEqual(self.run_as(key).status, 403)
        for path in ("/v1/executions", "/v1/sessions"):
            self.assertEqual(self.server.request("GET", path, key=key).status, 403)

    def test_keys_are_limited_to_what_there_is(self):
        for words, said in ((("--languages", "cobol"), "python"), (("--policies", "nope"), "strict")):
            done = self.keys("add", "wrong", *words)
            self.assertEqual(done.returncode, 125)
            self.assertIn(said, done.stderr)
        key = self.add("alias", "--languages", "py")
        self.assertEqual(self.run_as(key).status, 200)
        self.assertEqual(self.run_as(key, language="sh").status, 403)

    def test_a_file_that_cannot_be_read_is_told_in_the_log(self):
        path = self.server.directory.name + "/data/keys.json"
        os.chmod(path, 0o666)  # as good as unreadable: the server does not trust it
        try:
            self.assertEqual(self.run_as(self.alice).status, 503)
            line = [each for each in self.server.log_lines("request") if each["status"] == 503][-1]
            self.assertEqual([line["level"], "chmod 600" in line["message"]], ["error", True])
        finally:
            os.chmod(path, 0o600)
        self.assertEqual(self.run_as(self.alice).status, 200)

    def test_revoke(self):
        key = self.add("gone")
        self.assertEqual(self.run_as(key).status, 200)
        self.assertEqual(self.keys("revoke", "gone").returncode, 0)
        wait_until(lambda: self.run_as(key).status == 401, 3)

    def test_list_shows_no_secret(self):
        done = self.keys("list", "--json")
        names = [key["name"] for key in json.loads(done.stdout)["keys"]]
        self.assertIn("alice", names)
        for secret in (self.alice, KEY):
            self.assertNotIn(secret, done.stdout)
            self.assertNotIn(secret, self.server.log_text())
        with open(self.server.directory.name + "/data/keys.json", encoding="utf-8") as file:
            self.assertNotIn(self.alice, file.read())
        self.assertNotEqual(self.keys("add", "alice").returncode, 0)
        self.assertNotEqual(self.keys("add", "x", "--scope", "fly").returncode, 0)
        self.assertNotEqual(self.keys("revoke", "nobody").returncode, 0)

    def test_the_audit_log_is_a_chain(self):
        self.run_as(self.alice)
        path = self.server.directory.name + "/data/audit.jsonl"
        verify = [COVE, "audit", "verify"]
        good = subprocess.run([*verify, "--data-dir", self.server.directory.name + "/data"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(good.returncode, 0, good.stdout + good.stderr)
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        self.assertIn('"alice"', "".join(lines))
        changed = self.server.directory.name + "/changed"
        with open(changed, "w", encoding="utf-8") as file:
            file.writelines([lines[0].replace("server", "sorver"), *lines[1:]])
        bad = subprocess.run([*verify, "--json", changed], capture_output=True, text=True, check=False)
        self.assertEqual(bad.returncode, 1)
        self.assertEqual(json.loads(bad.stdout)["bad_line"], 1)
        # What is cut off at the end shows against an earlier note only, and verify says so.
        noted = json.loads(subprocess.run([*verify, "--json", path], capture_output=True, text=True,
                                          check=True).stdout)
        with open(changed, "w", encoding="utf-8") as file:
            file.writelines(lines[:1])
        for words in (("--expect-hash", noted["last_hash"]), ("--min-entries", "2")):
            cut = subprocess.run([*verify, *words, changed], capture_output=True, text=True, check=False)
            self.assertEqual(cut.returncode, 1, words)
            self.assertIn("the end is missing", cut.stdout)
        plain = subprocess.run([*verify, changed], capture_output=True, text=True, check=True)
        self.assertIn("--expect-hash", plain.stderr)

    def test_the_audit_log_has_keys_and_refusals(self):
        self.add("newcomer")
        self.run_as(self.alice)
        self.server.request("GET", "/v1/executions", key="wrong")
        with open(self.server.directory.name + "/data/audit.jsonl", encoding="utf-8") as file:
            entries = [json.loads(line) for line in file]
        added = [entry for entry in entries if entry["what"] == "keys.change" and
                 "newcomer" in entry["details"]["added"]]
        self.assertEqual(len(added), 1)
        self.assertTrue([entry for entry in entries if entry["what"] == "auth.refused"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
