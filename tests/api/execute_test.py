#!/usr/bin/python3
"""POST /execute and its neighbours: the sidecar contract (conformance cases 43-51)."""

import os
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

from cove_server import COVE, KEY, Server, ServerTest, descendants, in_parallel


def is_sleeping(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().startswith(b"sleep\x00300")
    except OSError:
        return False


class Execute(ServerTest):
    words = ("--max-timeout-ms", "3000", "--default-timeout-ms", "3000", "--max-memory", "1g")

    def test_what_did_not_compile_has_no_exit_code(self):
        body = self.server.execute("int main(void) { return x; }\n", language="c").json()
        self.assertEqual([body["status"], body["exit_code"], body["killed"]], ["compile_failed", None, False])

    def test_43_prints(self):
        answer = self.server.execute("print(2+2)")
        self.assertEqual(answer.status, 200)
        body = answer.json()
        self.assertEqual(body["stdout"], "4\n")
        self.assertEqual(body["exit_code"], 0)
        self.assertEqual([body["killed"], body["oom"], body["truncated"]], [False, False, False])
        self.assertEqual(body["output_files"], [])
        self.assertEqual(body["backend"], "native")

    def test_43_a_failure_is_a_result(self):
        answer = self.server.execute("import sys; print('x', file=sys.stderr); sys.exit(3)")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.json()["exit_code"], 3)
        self.assertEqual(answer.json()["stderr"], "x\n")

    def test_44_timeouts_are_clamped_and_end_the_tree(self):
        started = time.monotonic()
        answer = self.server.execute(
            "import subprocess\nsubprocess.Popen(['sleep', '300'], start_new_session=True)\n"
            "print('so far', flush=True)\nwhile True: pass", timeout_ms=999999)
        took = time.monotonic() - started
        body = answer.json()
        self.assertEqual(answer.status, 200)
        self.assertTrue(body["killed"])
        self.assertEqual(body["status"], "timeout")
        self.assertIsNone(body["exit_code"])
        self.assertEqual(body["stdout"], "so far\n")
        self.assertTrue(2.9 < took < 5, took)
        sleeping = [pid for pid in descendants(self.server.process.pid) if is_sleeping(pid)]
        self.assertEqual(sleeping, [])

    def test_44_zero_and_negative_mean_the_default(self):
        for timeout in (0, -5, None):
            self.assertEqual(self.server.execute("print(1)", timeout_ms=timeout).status, 200)

    def test_45_memory(self):
        body = self.server.execute("x = bytearray(10 * 2**30)\nprint(len(x))").json()
        # Where memory is limited per process, allocation itself fails: contained all the same.
        self.assertTrue(body["oom"] or "MemoryError" in body["stderr"], body)
        body = self.server.execute(
            "import os\nn = 0\ntry:\n  while n < 5000:\n    if os.fork() == 0: os._exit(0) if n > 4000 "
            "else __import__('time').sleep(5)\n    n += 1\nexcept OSError: pass\nprint(n < 200)").json()
        self.assertEqual(body["stdout"], "True\n", body)
        self.assertEqual(self.server.execute("print('alive')").json()["stdout"], "alive\n")

    def test_46_output_is_cut_at_its_end(self):
        body = self.server.execute("print('start' + 'x' * 10 * 2**20)").json()
        self.assertTrue(body["truncated"])
        self.assertTrue(body["stdout"].startswith("startx"))
        self.assertLessEqual(len(body["stdout"]), 2**20)
        self.assertEqual(body["exit_code"], 0)

    def test_47_file_names(self):
        for name in ("../a", "a/b", "", "/etc/passwd", "a\\b", "..", "."):
            answer = self.server.execute("pass", files=[{"name": name, "content": "x"}])
            self.assertEqual(answer.status, 400, name)
            self.assertEqual(answer.field, "files[0].name", name)
        twice = [{"name": "a", "content": "1"}, {"name": "a", "content": "2"}]
        self.assertEqual(self.server.execute("pass", files=twice).status, 400)
        body = self.server.execute(
            "print(open('data.csv').read(), open('b.bin', 'rb').read())",
            files=[{"name": "data.csv", "content": "1,2"},
                   {"name": "b.bin", "content": "AAE=", "encoding": "base64"}]).json()
        self.assertEqual(body["stdout"], "1,2 b'\\x00\\x01'\n")

    def test_48_output_files(self):
        body = self.server.execute("open('out.txt', 'w').write('hello')").json()
        [file] = body["output_files"]
        self.assertEqual([file["name"], file["size"], file["truncated"]], ["out.txt", 5, False])
        body = self.server.execute("import os; print(os.listdir('.'))").json()
        self.assertEqual(body["stdout"], "[]\n")

    def test_50_jobs_at_once(self):
        latest, lock = [0, 0], threading.Lock()

        def run():
            body = self.server.execute("import time; a = time.time(); time.sleep(0.4); "
                                       "print(a, time.time())").json()
            with lock:
                spans.append(tuple(map(float, body["stdout"].split())))
        spans = []
        in_parallel(*[run] * 5)
        for start, _ in spans:
            running = sum(1 for begin, end in spans if begin <= start < end)
            latest[0] = max(latest[0], running)
        self.assertEqual(len(spans), 5)
        self.assertLessEqual(latest[0], 4)

    def test_51_nothing_of_the_server_is_inside(self):
        body = self.server.execute(
            "import os, socket\nprint(dict(os.environ))\n"
            "try:\n  socket.create_connection(('127.0.0.1', %d), 2)\n  print('connected')\n"
            "except OSError as e:\n  print('no')" % self.server.port).json()
        self.assertNotIn(KEY, body["stdout"])
        self.assertNotIn("SANDBOX_EXECUTOR", body["stdout"])
        self.assertTrue(body["stdout"].endswith("no\n"), body["stdout"])

    def test_languages(self):
        self.assertEqual(self.server.execute("echo $((6*7))", language="sh").json()["stdout"], "42\n")
        answer = self.server.execute("x", language="cobol")
        self.assertEqual([answer.status, answer.code], [422, "unsupported_language"])

    def test_bad_requests_name_the_field(self):
        cases = [({}, "code"), ({"code": 5}, "code"), ({"code": "x", "nonsense": 1}, "nonsense"),
                 ({"code": "x", "timeout_ms": "1"}, "timeout_ms"), ({"code": "x", "files": {}}, "files"),
                 ({"code": "x", "env": {"LD_PRELOAD": "x"}}, "env.LD_PRELOAD"),
                 ({"code": "x", "limits": {"memory": "100g"}}, "limits.memory"),
                 ({"code": "x", "policy": "host_local"}, "policy"), ({"code": "x", "identity": "me"}, "identity")]
        for body, field in cases:
            answer = self.server.request("POST", "/execute", body)
            self.assertEqual([answer.status, answer.field], [400, field], answer.body)
        for text in ("", "{", "[]", "null", "{\"code\":\"x\"} x", "{\"code\":\"a\",\"code\":\"b\"}", "\xff"):
            answer = self.server.request("POST", "/execute", text.encode("latin-1"))
            self.assertEqual([answer.status, answer.code], [400, "invalid_request"], text)
        # A policy of one's own could open host paths: the operator has to allow it.
        answer = self.server.request("POST", "/execute", {"code": "x", "policy": {"filesystem": "unrestricted"}})
        self.assertEqual(answer.status, 403)

    def test_deep_json_is_refused(self):
        answer = self.server.request("POST", "/execute", '{"code":' + "[" * 100000 + "]" * 100000 + "}")
        self.assertEqual(answer.status, 400)

    def test_probes_and_metrics(self):
        self.assertEqual(self.server.request("GET", "/healthz", key="").json(), {"status": "ok"})
        self.assertEqual(self.server.request("GET", "/readyz", key="").json(), {"status": "ready"})
        self.assertEqual(self.server.request("GET", "/openapi.json", key="").json()["openapi"], "3.1.0")
        self.assertEqual(self.server.request("GET", "/metrics", key="").status, 401)
        self.server.execute("print(1)")
        text = self.server.request("GET", "/metrics").body.decode()
        for family in ("cove_executions_total{", "cove_queue_seconds_bucket{", "cove_run_seconds_bucket{",
                       "cove_http_requests_total{", "cove_pool_hits_total{", "cove_refusals_total{"):
            self.assertIn(family, text)

    def test_48_the_log_tells_and_keeps_secrets(self):
        trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        answer = self.server.request("POST", "/execute", {"code": "print('TOPSECRET')"},
                                     headers={"X-Request-Id": "my-id.1", "traceparent": trace})
        self.assertEqual(answer.headers["X-Request-Id"], "my-id.1")
        [line] = [line for line in self.server.log_lines("request") if line["request_id"] == "my-id.1"]
        self.assertEqual([line["status"], line["path"], line["traceparent"]], [200, "/execute", trace])
        self.assertTrue(line["execution_id"])
        odd = self.server.request("GET", "/healthz", headers={"X-Request-Id": "a b\"c"})
        self.assertNotEqual(odd.headers["X-Request-Id"], "a b\"c")
        self.assertNotIn("TOPSECRET", self.server.log_text())
        self.assertNotIn(KEY, self.server.log_text())


class Keys(ServerTest):
    def test_49_keys(self):
        for headers in ({"X-Service-API-Key": KEY}, {"X-Service-API-Key": "Bearer " + KEY},
                        {"Authorization": "Bearer " + KEY}, {"authorization": "bearer " + KEY}):
            self.assertEqual(self.server.request("POST", "/execute", {"code": ""}, headers, key="").status, 200)
        for headers in ({}, {"X-Service-API-Key": "wrong"}, {"X-Service-API-Key": KEY + "x"},
                        {"X-Service-API-Key": KEY[:-1]}, {"Authorization": KEY}, {"Authorization": "Basic " + KEY},
                        {"X-Service-API-Key": ""}):
            answer = self.server.request("POST", "/execute", {"code": ""}, headers, key="")
            self.assertEqual([answer.status, answer.code], [401, "unauthorized"], headers)
            self.assertIn("WWW-Authenticate", answer.headers)


class Starting(unittest.TestCase):
    def refused(self, *words, env=None, key=""):
        server = Server(*words, env=env, key=key, wait=False)
        try:
            code = server.process.wait(20)
            return code, server.log_text()
        finally:
            server.close()

    def test_49_no_key_in_production(self):
        code, said = self.refused()
        self.assertEqual(code, 125)
        self.assertIn("api_key", said)
        for name in ("test", "local", "dev", "development"):
            server = Server(env={"SANDBOX_EXECUTOR_ENVIRONMENT": name}, key="")
            self.assertEqual(server.execute("print(1)").status, 200)
            server.close()

    def test_refuses_what_is_unsafe(self):
        code, said = self.refused("--dev", "--listen", "0.0.0.0:0")
        self.assertEqual(code, 125)
        self.assertIn("loopback", said)
        code, said = self.refused("--policies", "strict,host_local_not_there")
        self.assertEqual(code, 125)
        code, said = self.refused("--max-quue", "1")
        self.assertEqual(code, 125)
        code, said = self.refused(env={"COVE_SERVE_NOPE": "1"}, key=KEY)
        self.assertEqual(code, 125)
        self.assertIn("COVE_SERVE_NOPE", said)

    def test_81_a_policy_that_cannot_be_enforced(self):
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        with tempfile.TemporaryDirectory(prefix="cove-api-test.") as directory:
            for name in ("profiles", "guest"):
                os.symlink(os.path.join(root, name), os.path.join(directory, name))
            os.mkdir(directory + "/policies")
            # The level landlock cannot bound what a tree writes to the disk.
            with open(directory + "/policies/whole.toml", "w", encoding="utf-8") as file:
                file.write('[limits]\nscope = "tree"\n')
            code, said = self.refused("--isolation", "landlock", "--policies", "whole", "--policy", "whole",
                                      env={"COVE_DATA_DIR": directory}, key=KEY)
        self.assertEqual(code, 125)
        self.assertRegex(said, "whole.*cannot be enforced here.*disk")

    def test_default_policies_that_cannot_be_enforced_are_left_out(self):
        server = Server("--isolation", "landlock", "--dev", key="")
        try:
            offered = [policy["name"] for policy in server.request("GET", "/v1/policies").json()["policies"]]
            self.assertIn("strict", offered)
            self.assertNotIn("data_analysis", offered)
            self.assertRegex(server.log_lines("start")[0]["message"], "data_analysis.*is not offered")
            refused = server.execute("print(1)", policy="data_analysis")
            self.assertEqual([refused.status, refused.field], [400, "policy"])
            self.assertEqual(server.execute("print(1)").json()["stdout"], "1\n")
        finally:
            server.close()
        code, said = self.refused("--dev", "--isolation", "landlock", "--policies", "strict,data_analysis")
        self.assertEqual(code, 125)
        self.assertIn("leave it out of the setting policies", said)

    def test_a_default_above_the_maximum_is_refused(self):
        code, said = self.refused("--dev", "--default-timeout-ms", "3000", "--max-timeout-ms", "2000")
        self.assertEqual(code, 125)
        self.assertRegex(said, "default.timeout.ms: must not be more than max_timeout_ms")

    def test_a_short_key_is_warned_of(self):
        server = Server(key="short")  # the contract refuses the empty one only
        try:
            self.assertEqual(server.execute("print(1)").status, 200)
            self.assertIn("can be guessed", server.log_lines("start")[0]["message"])
        finally:
            server.close()

    def test_the_operators_languages_and_policies(self):
        with tempfile.TemporaryDirectory(prefix="cove-api-test.") as directory:
            with open(directory + "/science.toml", "w", encoding="utf-8") as file:
                file.write('name = "science"\nextends = "python"\n')
            os.mkdir(directory + "/policies")
            with open(directory + "/policies/team.toml", "w", encoding="utf-8") as file:
                file.write('timeout = "1s"\n')
            server = Server("--dev", "--profile-files", directory + "/science.toml", "--policy-files",
                            directory + "/policies", "--policies", "strict,team", key="")
            try:
                names = [each["name"] for each in server.request("GET", "/v1/languages").json()["languages"]]
                self.assertIn("science", names)
                self.assertEqual(server.execute("print(1)", language="science").json()["stdout"], "1\n")
                self.assertEqual(server.execute("import time; time.sleep(9)", policy="team").json()["status"], "timeout")
                unknown = server.execute("1", language="cobol")
                self.assertIn("setting profile_files", unknown.json()["error"]["message"])
            finally:
                server.close()
        code, said = self.refused("--dev", "--profile-files", "/nowhere.toml")
        self.assertEqual(code, 125)
        self.assertIn("setting profile_files", said)

    def test_a_language_that_cannot_be_warmed_runs_cold(self):
        with tempfile.TemporaryDirectory(prefix="cove-api-test.", dir="/tmp") as directory:
            os.chmod(directory, 0o755)
            os.mkdir(directory + "/bin")
            shutil.copy(os.path.realpath("/usr/bin/python3"), directory + "/bin/python3")
            with open(directory + "/below.toml", "w", encoding="utf-8") as file:
                file.write(f'name = "below"\nextends = "python"\ninterpreters = ["{directory}/bin/python3"]\n')
            server = Server("--dev", "--profile-files", directory + "/below.toml", "--pool-languages", "python,below", key="")
            try:
                self.assertRegex(server.log_lines("start")[0]["message"], "below runs cold: .*below /tmp")
                result = server.execute("print(1)", language="below").json()
                self.assertEqual([result["stdout"], result["warm"]], ["1\n", False])
                self.assertEqual(server.execute("print(1)").json()["stdout"], "1\n")
            finally:
                server.close()

    def test_dev_answers_only_local_pages(self):
        server = Server("--dev", key="")
        try:
            self.assertEqual(server.execute("print(1)").status, 200)
            foreign = server.request("POST", "/execute", {"code": ""}, {"Origin": "https://evil.example"})
            self.assertEqual(foreign.status, 403)
            rebound = server.request("POST", "/execute", {"code": ""}, {"Host": "evil.example"})
            self.assertEqual(rebound.status, 403)
        finally:
            server.close()

    def test_print_config(self):
        done = subprocess.run([COVE, "serve", "--print-config", "--max-queue", "9"], capture_output=True,
                              text=True, check=True, env={"SANDBOX_EXECUTOR_SERVICE_API_KEY": "hush",
                                                          "PATH": "/usr/bin:/bin"})
        self.assertRegex(done.stdout, r'max_queue +=  ?"9" +# flag --max-queue')
        self.assertIn("environment SANDBOX_EXECUTOR_SERVICE_API_KEY", done.stdout)
        self.assertNotIn("hush", done.stdout)


class Bounds(ServerTest):
    words = ("--max-memory", "128m", "--max-disk", "8m", "--max-output", "64k", "--max-timeout-ms", "2000")

    def test_no_policy_gives_more_than_the_server(self):
        hungry = "x = bytearray(200 << 20)\nprint('had it')"
        for policy in ("strict", "data_analysis"):
            result = self.server.execute(hungry, policy=policy).json()
            self.assertNotIn("had it", result["stdout"], policy)
            result = self.server.execute("open('f', 'wb').write(b'x' * (16 << 20))", policy=policy).json()
            self.assertNotEqual(result["exit_code"], 0, policy)
        self.assertEqual(len(self.server.execute("print('x' * 100000)").json()["stdout"]), 64 << 10)
        session = self.server.request("POST", "/v1/sessions", {"policy": "data_analysis"}).json()["id"]
        cell = self.server.request("POST", f"/v1/sessions/{session}/execute", {"code": hungry}).json()
        self.assertNotIn("had it", cell["stdout"])
        refused = self.server.execute("1", limits={"memory": "129m"})
        self.assertEqual([refused.status, refused.field], [400, "limits.memory"])

    def test_the_bounds_are_shown(self):
        policies = {each["name"]: each for each in self.server.request("GET", "/v1/policies").json()["policies"]}
        for policy in policies.values():
            self.assertEqual([policy["limits"]["memory"], policy["limits"]["disk"]], [128 << 20, 8 << 20])
            self.assertLessEqual(int(policy["timeout"].removesuffix("ms")), 2000)
        notes = self.server.execute("print(1)", policy="data_analysis").json()["notes"]
        self.assertIn("limits.memory is 128 MiB, the most here, not 2 GiB", notes)
        self.assertIn("the timeout is 2 s, the most here, not 2 min", notes)

    def test_a_lowered_timeout_is_told(self):
        result = self.server.execute("print(1)", timeout_ms=60000).json()
        self.assertIn("the timeout is 2 s, the most here, not 1 min", result["notes"])
        job = self.server.request("POST", "/v1/executions", {"code": "print(1)", "timeout_ms": 1000}).json()
        self.assertNotIn("the timeout", str(job["result"].get("notes")))

if __name__ == "__main__":
    unittest.main(verbosity=2)
