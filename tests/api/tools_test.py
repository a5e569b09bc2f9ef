#!/usr/bin/python3
"""GET /v1/tools and POST /v1/tools/code_exec. Every answer is held to the OpenAPI document."""

import json
import os
import subprocess
import tempfile
import threading
import time
import unittest

import openapi_check
from cove_server import COVE, ServerTest, wait_until


class Tools(ServerTest):
    words = ("--max-timeout-ms", "3000", "--default-timeout-ms", "3000", "--max-memory", "600m",
             "--max-concurrent-jobs", "1", "--max-queue", "1")

    def call(self, arguments, **options):
        return self.server.request("POST", "/v1/tools/code_exec", arguments, **options)

    def answer(self, arguments, status):
        answer = self.call(arguments)
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(answer.json()["status"], status, answer.body)
        return answer.json()

    def test_the_list_has_schemas(self):
        tools = self.server.request("GET", "/v1/tools").json()["tools"]
        self.assertEqual([each["name"] for each in tools], ["code_exec"])
        schema = tools[0]["parameters"]
        self.assertEqual(schema["required"][0], "code")
        self.assertIn("python", schema["properties"]["language"]["enum"])
        self.assertEqual(tools[0]["required_scopes"], ["code:execute", "code:execute:<language>"])
        # The document's own description of the arguments agrees with it.
        documented = openapi_check.DOCUMENT["components"]["schemas"]["CodeExecArguments"]["properties"]
        self.assertEqual(set(documented), set(schema["properties"]))
        # … but for what this server allows.
        seconds = schema["properties"]["timeout_secs"]
        self.assertEqual([seconds["minimum"], seconds["maximum"], seconds["default"]],
                         [documented["timeout_secs"]["minimum"], 3, 3])
        self.assertRegex(schema["properties"]["input"]["description"],
                         r"python: def run\(input\)[;.].*Not possible in .*\bsh\b")

    def test_it_is_an_execution_like_others(self):
        body = self.answer({"language": "sh", "code": "echo out; exit 3"}, "success")
        self.assertEqual([body["stdout"], body["exit_code"], body["output"]], ["out\n", 3, None])
        job = self.server.request("GET", "/v1/executions/" + body["execution_id"]).json()
        self.assertEqual([job["state"], job["language"], job["policy"], job["result"]["stdout"]],
                         ["done", "sh", "strict", "out\n"])
        metrics = self.server.request("GET", "/metrics").body.decode()
        self.assertIn('cove_executions_total{language="sh"', metrics)
        self.assertIn('route="/v1/tools/code_exec"', metrics)

    def test_outcomes(self):
        body = self.answer({"language": "python", "code": "def run(x): return [x, 2]", "input": 1}, "success")
        self.assertEqual(body["output"], [1, 2])
        body = self.answer({"language": "c", "code": "int main(void) {\n  return nope;\n}\n"}, "compile_error")
        self.assertEqual(body["diagnostics"][0]["spans"][0]["line_start"], 2)
        self.assertIn("  2 |   return nope;\n    |          ^^^^", body["diagnostics_text"])
        body = self.answer({"language": "python", "code": "print(1, flush=True)\nwhile True: pass",
                            "timeout_secs": 0}, "timeout")
        self.assertEqual([body["stdout"], body["stderr"]], ["1\n", "execution timed out after 1s"])
        self.assertEqual(body["notes"], ["timeout_secs is 1, the least here, not 0"])
        body = self.answer({"language": "sh", "code": "kill -ABRT $$"}, "success")
        self.assertEqual([body["exit_code"], body["signal"]], [-1, "SIGABRT"])

    def test_the_servers_maximum_holds(self):
        body = self.answer({"language": "sh", "code": "sleep 100", "timeout_secs": 300}, "timeout")
        self.assertEqual(body["stderr"], "execution timed out after 3s")
        self.assertIn("the timeout is 3", body["notes"][0])

    def test_wrong_arguments_are_an_answer(self):
        for arguments, field in (({}, "code"), ({"code": []}, "code"), ({"code": "", "timeout_secs": True}, "timeout_secs"),
                                 ({"code": "", "policy": "strict"}, "policy"), ({"code": "", "language": "x"}, None)):
            body = self.answer(arguments, "error")
            self.assertEqual(body["error"].get("field"), field)
            self.assertEqual(body["error"]["message"], body["stderr"])
        self.assertEqual(self.answer({}, "error")["stderr"], 'missing required field "code"')
        self.answer("[1]", "error")
        said = self.answer({"code": "", "language": "x"}, "error")["stderr"]
        usable = self.server.request("GET", "/v1/tools").json()["tools"][0]["parameters"]["properties"]["language"]["enum"]
        self.assertEqual(said, 'unsupported language "x"; there are ' + ", ".join(usable))

    def test_a_body_that_is_no_json_is_refused(self):
        for body in ("", "{", "{\"code\": \"\"", "\xff"):
            self.assertEqual(self.call(body.encode("latin-1")).status, 400, body)
        self.assertEqual(self.call({"code": ""}, key="wrong").status, 401)
        self.assertEqual(self.server.request("POST", "/v1/tools/sandbox_exec", {}).status, 404)
        self.assertEqual(self.server.request("GET", "/v1/tools/code_exec").status, 405)
        self.assertEqual(self.server.request("GET", "/v1/tools?x=1").status, 400)

    def test_a_full_queue_says_when_to_come_again(self):
        slow = {"language": "sh", "code": "sleep 2"}
        threads = [threading.Thread(target=self.call, args=(slow,)) for _ in range(2)]
        for thread in threads:
            thread.start()

        def is_full():
            listed = self.server.request("GET", "/v1/executions").json()["executions"]
            return sum(each["state"] in ("queued", "running") for each in listed) == 2

        wait_until(is_full)
        answer = self.call(slow)
        self.assertEqual([answer.status, answer.code], [429, "busy"])
        self.assertIn("Retry-After", answer.headers)
        for thread in threads:
            thread.join()

    def test_a_client_that_goes_away_cancels(self):
        body = json.dumps({"language": "sh", "code": "sleep 2.9", "timeout_secs": 3}).encode()
        with self.server.socket() as sock:
            sock.sendall(b"POST /v1/tools/code_exec HTTP/1.1\r\nHost: h\r\nX-Service-API-Key: " +
                         self.server.key.encode() + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            time.sleep(0.5)

        def newest():
            return self.server.request("GET", "/v1/executions?limit=1").json()["executions"][0]

        wait_until(lambda: newest()["state"] == "done")
        self.assertEqual(newest()["status"], "cancelled")


class NamedKeys(ServerTest):
    """The scopes code:execute and code:execute:LANGUAGE follow from the key."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.python = cls.add("python-only", "--scope", "execute", "--languages", "py")
        cls.watcher = cls.add("watcher", "--scope", "metrics")

    @classmethod
    def add(cls, *words):
        done = subprocess.run([COVE, "keys", "add", *words, "--data-dir", cls.server.directory.name + "/data"],
                              capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def call(self, key, **arguments):
        return self.server.request("POST", "/v1/tools/code_exec", arguments, key=key)

    def test_a_language_that_is_not_granted(self):
        answer = self.call(self.python, language="python", code="print(1)")
        self.assertEqual(answer.json()["stdout"], "1\n")
        for language in ("sh", "rust"):
            answer = self.call(self.python, language=language, code="true")
            self.assertEqual([answer.status, answer.code], [403, "forbidden"])
        self.assertEqual(self.call(self.watcher, language="python", code="print(1)").status, 403)
        listed = self.server.request("GET", "/v1/tools", key=self.python).json()["tools"][0]["parameters"]
        self.assertEqual(listed["properties"]["language"]["enum"], ["python"])
        self.assertEqual([listed["properties"]["language"]["default"], listed["required"]], ["python", ["code"]])

    def test_a_call_that_names_no_language(self):
        """Rust, unless the key allows one other, or several."""
        self.assertEqual(self.call(self.python, code="print(1)").json()["stdout"], "1\n")
        several = self.add("several", "--scope", "execute", "--languages", "py,sh")
        answer = self.call(several, code="print(1)")
        self.assertEqual([answer.status, answer.json()["error"]["field"]], [200, "language"])
        self.assertEqual(answer.json()["stderr"], 'missing required field "language"; there are python, sh')
        listed = self.server.request("GET", "/v1/tools", key=several).json()["tools"][0]["parameters"]
        self.assertEqual(listed["required"], ["code", "language"])

    def test_refusals_and_runs_are_in_the_audit_log(self):
        self.call(self.python, language="bash", code="true")
        done = self.call(self.python, language="python", code="print(2)").json()
        path = self.server.directory.name + "/data/audit.jsonl"

        def entries():
            with open(path, encoding="utf-8") as file:
                return [json.loads(line) for line in file]

        wait_until(lambda: any(done["execution_id"] in json.dumps(each) for each in entries()))
        self.assertTrue(any("bash" in json.dumps(each) for each in entries()))


SLOW_PROFILE = """
name = "toy"
extension = "toy"
interpreters = ["/bin/sh"]
[compile]
run = ["/bin/sh", "{build}/main"]
prepare = ["/bin/sh", "-c", "sleep 1.5; echo %s"]
[[compile.step]]
name = "build"
diagnostics = "clang-text"
args = ["-c", "sleep 0.4; cp main.toy cove-build/main"]
"""


class Compiling(ServerTest):
    """A compiler that takes its time: how long it may, and what is told meanwhile."""

    @classmethod
    def setUpClass(cls):
        cls.profiles = tempfile.TemporaryDirectory(prefix="cove-api-profile.")
        with open(cls.profiles.name + "/toy.toml", "w", encoding="utf-8") as file:
            file.write(SLOW_PROFILE % os.urandom(8).hex())
        cls.words = ("--profile-files", cls.profiles.name, "--max-compile-ms", "3000")
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.profiles.cleanup()

    def fresh(self, **fields):
        return {"language": "toy", "code": "echo ran # " + os.urandom(8).hex(), **fields}

    def stream(self, request):
        answer = self.server.request("POST", "/v1/executions?stream=ndjson", request)
        return openapi_check.events_of(answer)

    def test_1_a_call_that_is_cancelled_while_it_is_prepared(self):
        answers = []
        caller = threading.Thread(target=lambda: answers.append(
            self.server.request("POST", "/v1/tools/code_exec", self.fresh())))
        caller.start()

        def running():
            return self.server.request("GET", "/v1/executions?state=running").json()["executions"]

        wait_until(running)
        time.sleep(0.3)
        self.server.request("DELETE", "/v1/executions/" + running()[0]["id"])
        caller.join()
        body = answers[0].json()
        self.assertEqual([body["status"], body["stderr"], body["notes"]],
                         ["error", "cancelled", ["cancelled while toy was being prepared"]])
        self.assertNotIn("error", body)

    def test_2_preparing_is_told_at_its_start(self):
        events = self.stream(self.fresh())
        self.assertEqual([each["type"] for each in events], ["started", "notice", "stdout", "result"])
        self.assertEqual(events[1]["message"], "toy is being prepared, which happens once and can take a minute")
        self.assertEqual([each["type"] for each in self.stream(self.fresh())], ["started", "stdout", "result"])

    def test_3_steps_have_a_limit_and_tell_what_they_took(self):
        self.assertEqual(self.server.request("GET", "/v1/capabilities").json()["limits"]["max_compile_ms"], 3000)
        result = self.stream(self.fresh(compile_timeout_ms=100))[-1]["result"]
        self.assertEqual(result["status"], "timeout")
        self.assertIn("compiling takes at most 100 ms (compile_timeout)", result["notes"][0])
        self.assertEqual(list(result["usage"]), ["wall_ms"])
        result = self.stream(self.fresh(compile_timeout="1m"))[-1]["result"]
        self.assertEqual(result["notes"], ["the compile timeout is 3 s, the most here, not 1 min"])
        self.assertEqual([each["name"] for each in result["compile"]["steps"]], ["build", "run"])
        self.assertGreater(result["compile"]["steps"][0]["cpu_ms"], 0)
        answer = self.server.request("POST", "/v1/executions", self.fresh(compile_timeout_ms=0))
        self.assertEqual([answer.status, answer.field], [400, "compile_timeout_ms"])

    def test_4_the_same_program_is_compiled_once(self):
        request = self.fresh()
        results = []
        threads = [threading.Thread(target=lambda: results.append(self.stream(request)[-1]["result"])) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(each["compile"]["cached"] for each in results), [False, True, True, True])


class Diagnostics(ServerTest):
    """What a compiler said, in every way in which a program can be run."""

    code = "int main(void) {\n  return nope;\n}\n"
    text = "  2 |   return nope;\n    |          ^^^^"

    def test_in_results(self):
        job = self.server.request("POST", "/v1/executions", {"code": self.code, "language": "c"}).json()
        self.assertIn(self.text, job["result"]["diagnostics_text"])
        kept = self.server.request("GET", "/v1/executions/" + job["id"]).json()
        self.assertEqual(kept["result"]["diagnostics_text"], job["result"]["diagnostics_text"])
        self.assertIn(self.text, self.server.execute(self.code, language="c").json()["diagnostics_text"])

    def test_as_an_event_before_anything_runs(self):
        for code, level, kinds in ((self.code, "error", ["started", "diagnostics", "stderr", "result"]),
                                   ("#include <stdio.h>\nint main(void) { int spare; puts(\"x\"); return 0; }\n",
                                    "warning", ["started", "diagnostics", "stdout", "result"])):
            for stream in ("ndjson", "sse"):
                answer = self.server.request("POST", "/v1/executions?stream=" + stream, {"code": code, "language": "c"})
                events = openapi_check.events_of(answer)
                self.assertEqual([each["type"] for each in events], kinds)
                self.assertEqual(events[1]["diagnostics"][0]["level"], level)
                self.assertEqual(events[1]["diagnostics_text"], events[-1]["result"]["diagnostics_text"])
            job = events[0]["execution_id"]
            late = openapi_check.events_of(self.server.request("GET", f"/v1/executions/{job}/events?stream=ndjson"))
            self.assertEqual([each["type"] for each in late], kinds)


if __name__ == "__main__":
    unittest.main()
