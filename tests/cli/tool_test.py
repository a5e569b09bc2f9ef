"""`cove tool`: code_exec as a language model calls it, here and on a server (conformance case 14)."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest

from cove_command import COVE, CoveTestCase, cove
from remote_test import RemoteTestCase

# One mistake in each language that is always there where Cove is built.
BROKEN = {
    "c": ("int main(void) {\n  return missing;\n}\n", "main.c:2:10: error", "  return missing;"),
    "cpp": ("int main() {\n  int n = nope;\n}\n", "main.cpp:2:11: error", "  int n = nope;"),
}


def tool(*words, args, **options):
    return cove("tool", "code_exec", *words, "--json-args", json.dumps(args), **options)


class ToolTest(CoveTestCase):
    def answer(self, run, status):
        self.assertEqual(run.err, b"")
        answer = run.json()
        self.assertEqual(answer["status"], status, answer)
        return answer

    def test_a_program_that_ran_is_a_success(self):
        run = tool(args={"language": "sh", "code": "echo out; echo err >&2; exit 3"})
        self.assertEqual(run.code, 3)
        answer = self.answer(run, "success")
        self.assertLessEqual(0, answer.pop("duration_ms"))
        self.assertEqual(answer, {"status": "success", "stdout": "out\n", "stderr": "err\n", "exit_code": 3,
                                  "output": None, "diagnostics": []})

    def test_an_input_calls_run(self):
        code = "def run(input):\n    print('seen')\n    return {'n': input['n'] * 2}\n"
        answer = self.answer(tool(args={"language": "python", "code": code, "input": {"n": 21}}), "success")
        self.assertEqual((answer["output"], answer["stdout"].strip()), ({"n": 42}, "seen"))
        answer = self.answer(tool(args={"language": "python", "code": "def run(x): return x", "input": None}), "success")
        self.assertIsNone(answer["output"])

    def test_a_compile_error_can_be_repaired_from_its_text(self):
        for language, (code, place, line) in BROKEN.items():
            run = tool(args={"language": language, "code": code})
            self.assertEqual(run.code, 1)
            answer = self.answer(run, "compile_error")
            first = answer["diagnostics"][0]
            self.assertEqual([first["level"], first["spans"][0]["line_start"]], ["error", 2])
            lines = answer["diagnostics_text"].splitlines()
            self.assertTrue(lines[0].startswith(place), lines)
            self.assertIn(line, lines[1])
            self.assertIn("^", lines[2])

    def test_a_warning_stays_with_a_success(self):
        code = "int main(void) { int spare; return 0; }\n"
        answer = self.answer(tool(args={"language": "c", "code": code}), "success")
        self.assertEqual(answer["diagnostics"][0]["level"], "warning")
        self.assertIn("spare", answer["diagnostics_text"])

    def test_timeouts_are_clamped(self):
        started = time.monotonic()
        run = tool(args={"language": "sh", "code": "echo so far; sleep 100", "timeout_secs": 0})
        self.assertLess(time.monotonic() - started, 20)
        self.assertEqual(run.code, 124)
        answer = self.answer(run, "timeout")
        self.assertEqual((answer["stdout"], answer["stderr"]), ("so far\n", "execution timed out after 1s"))
        self.assertGreaterEqual(answer["duration_ms"], 1000)
        answer = self.answer(tool(args={"language": "sh", "code": "true", "timeout_secs": 9999}), "success")
        self.assertEqual(answer["notes"], ["timeout_secs is 300, the most here, not 9999"])

    def test_a_signal_is_named(self):
        run = tool(args={"language": "sh", "code": "kill -SEGV $$"})
        self.assertEqual(run.code, 139)
        answer = self.answer(run, "success")
        self.assertEqual((answer["exit_code"], answer["signal"]), (-1, "SIGSEGV"))

    def test_wrong_arguments_are_named(self):
        for args, field, said in (
                ({}, "code", 'missing required field "code"'),
                ({"code": 5}, "code", "must be a string, got a number"),
                ({"code": "x", "timeout_secs": "long"}, "timeout_secs", "must be a number, got a string"),
                ({"code": "x", "timeout_secs": 1.5}, "timeout_secs", "from 1 to 300, got 1.5"),
                ({"code": "x", "colour": "red"}, "colour", "allowed: code, input, language, timeout_secs"),
                ({"code": "x", "language": "cobol"}, None, 'unsupported language "cobol"; there are '),
                ([], None, "must be a JSON object, got an array")):
            run = tool(args=args)
            self.assertEqual(run.code, 125)
            answer = self.answer(run, "error")
            self.assertIn(said, answer["stderr"])
            self.assertEqual(answer["error"].get("field"), field)
            self.assertEqual(answer["error"]["message"], answer["stderr"])

    def test_arguments_from_stdin_and_from_a_file(self):
        text = b'{"language": "sh", "code": "echo 42"}'
        for words, stdin in ((["-"], text), (["@" + self.write("args.json", text)], b"")):
            run = cove("tool", "code_exec", "--json-args", *words, stdin=stdin)
            self.assertEqual(self.answer(run, "success")["stdout"], "42\n")
        for text in ("{", "", "@" + self.path("none"), '{"code": 1, "code": 2}'):
            run = cove("tool", "code_exec", "--json-args", text)
            self.assertEqual(run.code, 125)
            self.assertIn("--json-args", self.answer(run, "error")["stderr"])

    def test_scopes_are_checked_before_anything_runs(self):
        args = {"language": "bash", "code": "echo ran"}
        run = tool("--scope", "code:execute", "--scope", "code:execute:sh", args=args)
        self.assertEqual(run.code, 125)
        answer = self.answer(run, "error")
        self.assertEqual(answer["error"]["code"], "forbidden")
        self.assertIn('"code:execute:bash" is needed; granted: code:execute, code:execute:sh', answer["stderr"])
        self.answer(tool("--scope", "code:execute:*", args=args), "error")
        for wanted in ("code:execute:bash", "code:execute:*"):
            answer = self.answer(tool("--scope", "code:execute", "--scope", wanted, args=args), "success")
            self.assertEqual(answer["stdout"], "ran\n")

    def test_a_policy_is_obeyed(self):
        policy = self.write("small.toml", 'name = "small"\n[limits]\nmemory = "64m"\n')
        code = "x = b'1' * (256 << 20)\nprint(len(x))"
        answer = tool("--policy", policy, args={"language": "python", "code": code}).json()
        if answer["status"] != "success":  # a host without a control group: the program sees it itself
            self.assertEqual((answer["status"], answer["stderr"]), ("memory_exceeded", "memory limit exceeded: 64 MB"))
        else:
            self.assertIn("MemoryError", answer["stderr"])
        self.assertIn("--policy", self.answer(tool("--policy", "nope", args={"code": "x"}), "error")["stderr"])

    def test_schema_and_list(self):
        schema = cove("tool", "schema", "code_exec").json()
        self.assertEqual(schema["required"][0], "code")
        self.assertIn("python", schema["properties"]["language"]["enum"])
        usable = [each["name"] for each in cove("languages", "--json").json()["languages"] if each["usable"]]
        self.assertEqual(sorted(usable), schema["properties"]["language"]["enum"])
        self.assertIn(" Not possible in ", schema["properties"]["input"]["description"])
        self.assertIn("python: def run(input)", schema["properties"]["input"]["description"])
        said = tool(args={"code": "", "language": "cobol"}).json()["stderr"]
        self.assertEqual(said, 'unsupported language "cobol"; there are ' + ", ".join(sorted(usable)))
        seconds = schema["properties"]["timeout_secs"]
        self.assertEqual([seconds["minimum"], seconds["maximum"], seconds["default"]], [1, 300, 30])
        listed = cove("tool", "list", "--json").json()["tools"]
        self.assertEqual([each["name"] for each in listed], ["code_exec"])
        self.assertEqual(listed[0]["parameters"], schema)
        self.assertEqual(listed[0]["required_scopes"], ["code:execute", "code:execute:<language>"])
        self.assertTrue(cove("tool", "list").text.startswith("code_exec  "))
        self.assert_error(cove("tool", "schema", "nope", "--json"), "not_found", "there are code_exec")

    def test_wrong_words(self):
        for words, said in (([], "list, schema, code_exec"), (["sandbox_exec"], "there are list, schema, code_exec"),
                            (["code_exec"], "--json-args is required"),
                            (["code_exec", "--key", "k", "--json-args", "{}"], "--key needs --server URL")):
            run = cove("tool", *words)
            self.assertEqual((run.code, run.out), (125, b""))
            self.assertIn(said, run.said)

    def test_a_signal_to_the_command_cancels(self):
        args = json.dumps({"language": "sh", "code": "echo started; sleep 100", "timeout_secs": 60})
        process = subprocess.Popen([COVE, "tool", "code_exec", "--json-args", args], stdout=subprocess.PIPE)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130)
        answer = json.loads(out)
        self.assertLess(0, answer.pop("duration_ms"))
        self.assertEqual(answer, {"status": "error", "stdout": "started\n", "stderr": "cancelled"})


class RemoteToolTest(RemoteTestCase):
    server_words = ("--max-timeout-ms", "2000")

    def call(self, *words, args, **options):
        return tool("--server", self.server.url, *words, args=args, env=self.env, **options)

    def test_the_same_answers(self):
        run = self.call(args={"language": "sh", "code": "echo 42; exit 4"})
        answer = run.json()
        self.assertEqual((run.code, answer["status"], answer["stdout"], answer["exit_code"]), (4, "success", "42\n", 4))
        shown = cove("ps", "-a", "--json", env=self.env).json()["executions"]
        self.assertIn(answer["execution_id"], [each["id"] for each in shown])
        run = self.call(args={"language": "c", "code": BROKEN["c"][0]})
        self.assertEqual((run.code, run.json()["status"]), (1, "compile_error"))
        self.assertIn(BROKEN["c"][1], run.json()["diagnostics_text"])
        run = self.call(args={"code": "x", "colour": 1})
        self.assertEqual((run.code, run.json()["error"]["field"]), (125, "colour"))

    def test_the_servers_maximum_is_told(self):
        run = self.call(args={"language": "sh", "code": "sleep 100", "timeout_secs": 100})
        answer = run.json()
        self.assertEqual((run.code, answer["status"], answer["stderr"]),
                         (124, "timeout", "execution timed out after 2s"))
        self.assertIn("not 100", answer["notes"][0])

    def test_a_refusal_is_an_answer_too(self):
        run = tool("--server", self.server.url, "--key", "wrong", args={"code": "x"})
        self.assertEqual((run.code, run.json()["error"]["code"]), (125, "unauthorized"))
        run = tool("--server", "http://127.0.0.1:1", args={"code": "x"})
        self.assertEqual((run.code, run.json()["error"]["code"]), (125, "backend_unavailable"))

    def test_list_and_schema(self):
        here = cove("tool", "schema", "code_exec").json()
        there = cove("tool", "schema", "code_exec", "--server", self.server.url, env=self.env).json()
        self.assertEqual(there["properties"].pop("timeout_secs")["maximum"], 2)
        self.assertEqual(here["properties"].pop("timeout_secs")["maximum"], 300)
        self.assertEqual(there, here)
        self.assertTrue(cove("tool", "list", "--server", self.server.url, env=self.env).text.startswith("code_exec"))

    def test_ending_the_command_ends_the_execution(self):
        args = json.dumps({"language": "sh", "code": "sleep 1.9", "timeout_secs": 2})
        process = subprocess.Popen([COVE, "tool", "code_exec", "--server", self.server.url, "--json-args", args],
                                   stdout=subprocess.PIPE, env={**os.environ, **self.env})
        time.sleep(0.8)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130, out)
        answer = json.loads(out)
        self.assertLess(0, answer.pop("duration_ms"))
        self.assertEqual(answer, {"status": "error", "stdout": "", "stderr": "cancelled"})
        time.sleep(0.5)
        newest = cove("ps", "-a", "--json", env=self.env).json()["executions"][0]
        self.assertEqual(newest["status"], "cancelled", newest)

    def test_short_diagnostics_and_warnings(self):
        program = self.write("prog.c", BROKEN["c"][0])
        here = cove("run", "--diagnostics=short", program)
        there = self.there("--diagnostics=short", program)
        self.assertEqual((there.code, there.out, there.err), (1, b"", here.err))
        self.assertEqual(there.said.count("missing"), here.said.count("missing"))
        self.assertEqual(self.there(program).err, cove("run", program).err)
        warns = self.write("warns.c", "int main(void) { int spare; return 0; }\n")
        run = self.there("--diagnostics=short", warns)
        self.assertEqual(run.code, 0)
        self.assertIn("warns.c:1:22: warning", run.said)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
