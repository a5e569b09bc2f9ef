#!/usr/bin/env python3
"""What `cove run --json` answers to each kind of end."""

import unittest

from cove_command import CoveTestCase, run_json


class JsonResults(CoveTestCase):
    def test_success(self):
        run = run_json("--code", "print('hello')")
        result = run.json()
        self.assertEqual(run.code, 0)
        self.assertEqual(result["status"], "success")
        self.assertEqual(result["exit_code"], 0)
        self.assertEqual(result["stdout"], "hello\n")
        self.assertEqual(result["isolation"], "namespaces")
        self.assertEqual(run.err, b"")

    def test_syntax_error(self):
        run = run_json("--code", "print(")
        result = run.json()
        self.assertEqual(run.code, 1)
        self.assertEqual(result["status"], "failed")
        self.assertEqual(result["exit_code"], 1)
        self.assertIn("SyntaxError", result["stderr"])

    def test_exit_code(self):
        run = run_json("--code", "import sys; print('x'); sys.exit(42)")
        result = run.json()
        self.assertEqual(run.code, 42)
        self.assertEqual((result["status"], result["exit_code"]), ("failed", 42))
        self.assertEqual(result["stdout"], "x\n")

    def test_signal(self):
        run = run_json("--code", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
        result = run.json()
        self.assertEqual(run.code, 128 + 11)
        self.assertEqual((result["status"], result["signal"]), ("failed", "SIGSEGV"))
        self.assertNotIn("exit_code", result)

    def test_timeout_keeps_partial_output(self):
        run = run_json("--timeout", "700ms", "--code",
                       "import time; print('partial', flush=True); time.sleep(60)")
        result = run.json()
        self.assertEqual(run.code, 124)
        self.assertEqual(result["status"], "timeout")
        self.assertEqual(result["stdout"], "partial\n")
        self.assertNotIn("exit_code", result)
        self.assertTrue(result["killed"])
        self.assertLess(result["duration_ms"], 1500)

    def test_out_of_memory(self):
        run = run_json("--memory", "64m", "--code",
                       "print('before', flush=True)\nb = []\nwhile True: b.append(bytearray(1 << 20))")
        result = run.json()
        if result["status"] == "oom":
            self.assertEqual(run.code, 137)
            self.assertTrue(result["oom"])
            self.assertNotIn("exit_code", result)
        else:  # without a cgroup the limit is each process's own and Python sees it
            self.assertIn("MemoryError", result["stderr"])
        self.assertEqual(result["stdout"], "before\n")

    def test_100_mb_of_output(self):
        run = run_json("--code", "import sys\nfor _ in range(100): sys.stdout.write('x' * 1000000)\n"
                                 "print('end', file=sys.stderr)")
        result = run.json()
        self.assertEqual(run.code, 0)
        self.assertEqual(len(result["stdout"]), 1 << 20)
        self.assertTrue(result["stdout_truncated"])
        self.assertFalse(result["stderr_truncated"])
        self.assertEqual(result["stderr"], "end\n")
        self.assertIn("output", result["limits_hit"])

    def test_truncation_styles(self):
        code = "print('START'); print('x' * 3000000); print('END')"
        tail = run_json("--truncate", "head_tail", "--code", code).json()["stdout"]
        self.assertTrue(tail.startswith("START") and tail.endswith("END\n"))
        self.assertLessEqual(len(tail.encode()), 1 << 20)
        notice = run_json("--truncate", "notice", "--code", code).json()["stdout"]
        self.assertFalse(notice.endswith("END\n"))
        self.assertLessEqual(len(notice.encode()), 1 << 20)

    def test_300_kib_program(self):
        filler = "".join(f"value_{i} = {i}  # {'-' * 60}\n" for i in range(4000))
        program = self.write("large.py", filler + "print(value_3999)\n")
        self.assertGreater(len(filler), 300 * 1024)
        run = run_json(program)
        self.assertEqual(run.json()["stdout"], "3999\n")

    def test_1_mib_of_stdin_echoed(self):
        data = bytes(range(32, 127)) * 11038
        data = data[: 1 << 20]
        run = run_json("--stdin", "-", "--code",
                       "import sys; sys.stdout.write(sys.stdin.read())", stdin=data)
        result = run.json()
        self.assertEqual(run.code, 0)
        self.assertEqual(result["stdout"].encode(), data)
        self.assertFalse(result["stdout_truncated"])

    def test_200_output_files(self):
        run = run_json("--code", "for i in range(200): open(f'f{i:03}.txt', 'w').write(str(i))")
        files = run.json()["output_files"]
        self.assertEqual([f["name"] for f in files], [f"f{i:03}.txt" for i in range(200)])
        self.assertEqual(files[150]["size"], 3)
        self.assertEqual(files[0]["mime_type"], "text/plain")

    def test_output_that_is_not_text(self):
        run = run_json("--code", "import sys; sys.stdout.buffer.write(b'a\\xff\\x00b')")
        self.assertEqual(run.json()["stdout"], "a\ufffd\x00b")

    def test_unknown_language(self):
        self.assert_error(run_json("--language", "cobol", "--code", "x"), "unsupported_language",
                          "cobol", "python")

    def test_missing_file(self):
        self.assert_error(run_json(self.path("nothing.py")), "invalid_request", "nothing.py",
                          "No such file")

    def test_unknown_policy(self):
        self.assert_error(run_json("--policy", "lenient", "--code", "1"), "invalid_request",
                          "lenient", "strict")

    def test_bad_policy_file(self):
        policy = self.write("bad.toml", "name = 'bad'\nnetwrok = 'disabled'\n")
        self.assert_error(run_json("--policy", policy, "--code", "1"), "invalid_request", "netwrok")

    def test_bad_figures_name_the_option(self):
        for option, value in (("--timeout", "10"), ("--memory", "lots"), ("--disk", "-1m")):
            run = run_json(f"{option}={value}", "--code", "1")
            self.assert_error(run, "invalid_request", option)

    def test_bad_words_are_an_object_too(self):
        self.assert_error(run_json("--no-such-option"), "invalid_request", "--no-such-option")


if __name__ == "__main__":
    unittest.main()
