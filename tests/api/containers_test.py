#!/usr/bin/python3
"""`backend` in requests: container and docker, on engines that exist only for this (scripts/engine)."""

import os
import subprocess
import unittest

from cove_server import COVE, ServerTest, in_parallel, wait_until

PYTHON = "cove-test/python"
WHERE = "import os; print(os.path.exists('/.dockerenv'), os.getuid())"


def containers():
    """Ids of the containers that Cove made."""
    return [each for label in ("cove.owner", "cove.backend")
            for each in subprocess.run(["docker", "ps", "--all", "--quiet", "--filter", "label=" + label],
                                       capture_output=True, text=True, check=True).stdout.split()]


class Containers(ServerTest):
    words = ("--backends", "native,container,docker", "--container-image", PYTHON, "--container-engine", "docker",
             "--container-pool-size", "1", "--policies", "strict,data_analysis")

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        assert containers() == [], "the server has left containers behind"

    def run_in(self, backend, code, **fields):
        return self.server.request("POST", "/v1/executions", {"code": code, "backend": backend, **fields})

    def test_both_run_programs(self):
        for backend in ("container", "docker"):
            answer = self.run_in(backend, WHERE)
            self.assertEqual(answer.status, 200, answer.body)
            result = answer.json()["result"]
            self.assertEqual([result["status"], result["backend"], result["stdout"].split()[0]],
                             ["success", backend, "True"], backend)

    def test_a_container_that_waits_is_met(self):
        wait_until(lambda: self.run_in("container", "print(1)").json()["result"]["warm"], 60, "a waiting container")

    def test_the_pool_is_measured(self):
        wait_until(lambda: self.run_in("container", "print(1)").json()["result"]["warm"], 60, "a waiting container")
        metrics = self.server.request("GET", "/metrics").body.decode()
        for what in ("hits_total", "misses_total", "ready"):
            self.assertRegex(metrics, f'cove_pool_{what}{{backend="container",language="python"}} [0-9]')
        self.assertNotRegex(metrics, r'cove_pool_hits_total{backend="container",language="python"} 0\n')

    def test_languages_say_which_backends_have_them(self):
        listed = {each["name"]: each["backends"]
                  for each in self.server.request("GET", "/v1/languages").json()["languages"]}
        self.assertEqual(listed["python"], ["native", "container", "docker"])
        for compiled in ("c", "rust"):  # by native only
            self.assertNotIn("container", listed[compiled])
            self.assertNotIn("docker", listed[compiled])

    def test_what_is_not_known_is_not_said(self):
        usage = {name: self.run_in(name, "sum(range(3000000))").json()["result"] for name in ("container", "docker")}
        self.assertEqual(set(usage["container"]["usage"]), {"wall_ms"})
        self.assertEqual(set(usage["docker"]["usage"]), {"cpu_ms", "wall_ms"})
        self.assertGreater(usage["docker"]["usage"]["cpu_ms"], 10)
        for result in usage.values():
            self.assertTrue(0 < result["setup_ms"] <= result["duration_ms"], result)

    def test_at_once(self):
        answers = []
        in_parallel(*(lambda backend=backend: answers.append(self.run_in(backend, "print(7)").json()["result"]["stdout"])
                      for backend in ("native", "container", "docker") * 2))
        self.assertEqual(answers, ["7\n"] * 6)

    def test_files_input_and_time(self):
        for backend in ("container", "docker"):
            result = self.run_in(backend, "open('out', 'w').write(input())", stdin="heard\n").json()
            self.assertEqual([file["name"] for file in result["result"]["output_files"]], ["out"], result)
            got = self.server.request("GET", f"/v1/executions/{result['id']}/files/out")
            self.assertEqual(got.body, b"heard")
            result = self.run_in(backend, "while True: pass", timeout_ms=1500).json()["result"]
            self.assertEqual(result["status"], "timeout")

    def test_what_was_settled_at_the_start_is_refused_otherwise(self):
        answer = self.run_in("docker", "print(1)", limits={"memory": "64m"})
        self.assertEqual([answer.status, answer.code], [422, "unsupported_policy"], answer.body)
        self.assertEqual(self.run_in("container", "print(1)", limits={"memory": "64m"}).status, 200)

    def test_capabilities(self):
        offered = {each["name"]: each for each in self.server.request("GET", "/v1/capabilities").json()["backends"]}
        self.assertEqual(list(offered), ["native", "container", "docker"])
        self.assertEqual([each["per_request"] for each in offered.values()], [True, True, False])
        self.assertEqual([each["sessions"] for each in offered.values()], [True, False, False])
        for name in ("container", "docker"):
            self.assertTrue(offered[name]["enforces"]["network"])
            self.assertTrue(offered[name]["isolation"].startswith("container"))

    def test_sessions_and_terminals_are_refused(self):
        answer = self.server.request("POST", "/v1/sessions", {"backend": "docker"})
        self.assertEqual([answer.status, answer.field], [400, "backend"])

    def test_the_command_passes_it_on(self):
        done = subprocess.run([COVE, "run", "--server", f"http://127.0.0.1:{self.server.port}", "--key",
                               self.server.key, "--backend", "docker", "-c", WHERE], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.stdout.split()[:1], ["True"], done.stderr)

    def test_doctor_knows_the_engine(self):
        done = subprocess.run([COVE, "doctor"], capture_output=True, text=True, check=False)
        self.assertRegex(done.stdout, r"Docker Engine API \(--backend docker\):\n  "
                         + os.environ["DOCKER_HOST"] + r": Docker \S+, runtime \S+ \(default\)\n    memory: ")


if __name__ == "__main__":
    unittest.main(verbosity=2)
