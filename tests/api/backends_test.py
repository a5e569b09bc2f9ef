#!/usr/bin/python3
"""`backend` in requests: what a server offers besides native. Needs nothing but this host."""

import contextlib
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "image"))
from cove_server import COVE, Server, ServerTest, wait_until  # noqa: E402
from image_store import NAME, cove, store_with_python  # noqa: E402
from websocket_client import WebSocket  # noqa: E402

IMAGE = "image:" + NAME
MARK = "print(open('/opt/only-in-the-image').read(), end='')"

LOOSE = {"name": "own", "network": "unrestricted", "filesystem": "unrestricted", "environment": "unrestricted"}


def start(*words, **env):
    """A server that shall not start: its exit code and what it says."""
    done = subprocess.run([COVE, "serve", "--listen", "127.0.0.1:0", *words], capture_output=True, text=True,
                          timeout=60, check=False, env={**os.environ, **env})
    return done.returncode, done.stderr


class OnlyNative(ServerTest):
    def test_it_may_be_named(self):
        job = self.server.request("POST", "/v1/executions", {"code": "print(1)", "backend": "native"}).json()
        self.assertEqual([job["result"]["stdout"], job["result"]["backend"]], ["1\n", "native"])

    def test_another_is_refused_by_field(self):
        for path in ("/v1/executions", "/execute", "/v1/sessions"):
            for wrong in ("container", "", 7):
                body = {"backend": wrong} if path == "/v1/sessions" else {"code": "print(1)", "backend": wrong}
                answer = self.server.request("POST", path, body)
                self.assertEqual([answer.status, answer.code, answer.field], [400, "invalid_request", "backend"],
                                 f"{path} {wrong!r}")
            self.assertIn("string", answer.json()["error"]["message"])
        answer = self.server.request("POST", "/v1/executions", {"code": "1", "backend": "docker"})
        self.assertIn('must be one of native, got "docker"', answer.json()["error"]["message"])

    def test_it_is_among_the_fields_that_are_known(self):
        answer = self.server.request("POST", "/v1/executions", {"code": "1", "back_end": "native"})
        self.assertEqual(answer.status, 400)
        self.assertRegex(answer.json()["error"]["message"], r"\bbackend\b")

    def test_capabilities(self):
        said = self.server.request("GET", "/v1/capabilities").json()
        self.assertEqual([each["name"] for each in said["backends"]], ["native"])
        native = said["backends"][0]
        self.assertEqual(native["enforces"], said["enforces"])
        self.assertEqual([native["per_request"], native["interactive"], native["sessions"]], [True, True, True])


class Offered(ServerTest):
    """native, an image and, since it is a development server, local."""
    words = ("--backends", f"native,{IMAGE},local", "--environment", "test", "--policies", "strict,data_analysis",
             "--custom-policies", "true", "--pool-size", "2", "--pool-languages", "python,perl")

    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(store_with_python())
        super().setUpClass()

    def run_in(self, backend, code, **fields):
        return self.server.request("POST", "/v1/executions", {"code": code, "backend": backend, **fields})

    def test_an_image(self):
        job = self.run_in(IMAGE, MARK).json()
        self.assertEqual([job["result"]["stdout"], job["result"]["backend"]], ["from the image\n", IMAGE])
        self.assertEqual(self.run_in("native", MARK).json()["result"]["status"], "failed")
        self.assertEqual(self.server.execute(MARK, backend=IMAGE).json()["stdout"], "from the image\n")

    def test_waiting_guests_of_an_image(self):
        wait_until(lambda: self.run_in(IMAGE, "print(2)").json()["result"]["warm"], 20, "a warm run")

    def test_streams_jobs_and_sockets_have_it_too(self):
        answer = self.server.request("POST", "/v1/executions?async=true", {"code": MARK, "backend": IMAGE})
        path = "/v1/executions/" + answer.json()["id"]
        wait_until(lambda: self.server.request("GET", path).json()["state"] == "done")
        self.assertEqual(self.server.request("GET", path).json()["result"]["stdout"], "from the image\n")
        answer = self.server.request("POST", "/v1/executions?stream=ndjson", {"code": MARK, "backend": IMAGE})
        self.assertIn(b"from the image", answer.body)
        with self.server.socket() as sock:
            ws = WebSocket(sock, headers=self.server.headers())
            ws.start("print(input() + open('/opt/only-in-the-image').read())", backend=IMAGE)
            ws.send(type="stdin", data="heard, \n")
            self.assertEqual(ws.until("result")[-1]["result"]["stdout"], "heard, from the image\n\n")
            ws.start("print(1)", backend="local", policy=LOOSE)
            self.assertEqual(ws.until("error")[-1]["error"]["field"], "backend")

    def test_what_it_cannot_enforce_is_refused(self):
        answer = self.run_in("local", "print(1)")
        self.assertEqual([answer.status, answer.code], [422, "unsupported_policy"])

    def test_a_policy_that_local_can_hold(self):
        answer = self.run_in("local", "print(6 * 7)", policy=LOOSE)
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual([answer.json()["result"]["stdout"], answer.json()["result"]["backend"]], ["42\n", "local"])

    def test_a_language_that_the_image_has_not(self):
        answer = self.run_in(IMAGE, "puts 1", language="ruby")
        self.assertEqual([answer.status, answer.code], [422, "unsupported_language"])
        self.assertIn("image", answer.json()["error"]["message"])
        answer = self.run_in(IMAGE, "int main(void) {}", language="c")
        self.assertEqual([answer.status, answer.code], [422, "unsupported_language"])
        self.assertIn("c is not usable in this image: looked for ", answer.json()["error"]["message"])

    def test_what_an_image_has_not_is_not_kept_warm(self):
        said = [line["message"] for line in self.server.log_lines("start")]
        cold = f'pool_languages: perl runs cold in the backend "{IMAGE}": perl is not usable in this image: looked for '
        self.assertTrue([line for line in said if line.startswith(cold)], said)
        with contextlib.closing(Server("--backends", f"native,{IMAGE}", "--pool-size", "0", "--pool-languages", "perl")) as cold:
            self.assertEqual(cold.request("GET", "/healthz").status, 200)

    def test_sessions_are_native(self):
        for backend in (IMAGE, "local"):
            answer = self.server.request("POST", "/v1/sessions", {"backend": backend})
            self.assertEqual([answer.status, answer.field], [400, "backend"])
            self.assertIn("must be native", answer.json()["error"]["message"])
        opened = self.server.request("POST", "/v1/sessions", {"backend": "native"})
        self.assertEqual(opened.status, 201, opened.body)
        self.server.request("DELETE", "/v1/sessions/" + opened.json()["id"])

    def test_capabilities(self):
        offered = {each["name"]: each for each in self.server.request("GET", "/v1/capabilities").json()["backends"]}
        self.assertEqual(list(offered), ["native", IMAGE, "local"])
        self.assertEqual(offered[IMAGE]["enforces"], offered["native"]["enforces"])
        self.assertEqual([each["sessions"] for each in offered.values()], [True, False, False])
        self.assertEqual([each["interactive"] for each in offered.values()], [True, True, False])
        self.assertFalse(offered["local"]["enforces"]["network"])

    def test_the_command_passes_it_on(self):
        def there(*words):
            return subprocess.run([COVE, "run", "--server", f"http://127.0.0.1:{self.server.port}",
                                   "--key", self.server.key, *words], capture_output=True, text=True, check=False)
        self.assertEqual(there("-c", MARK, "--backend", IMAGE).stdout, "from the image\n")
        self.assertNotEqual(there("-c", MARK).returncode, 0)
        refused = there("-c", "print(1)", "--backend", "container")
        self.assertEqual(refused.returncode, 125)
        self.assertIn("must be one of native, " + IMAGE + ", local", refused.stderr)

    def test_metrics_and_audit_name_it(self):
        self.run_in(IMAGE, "print(1)")
        metrics = self.server.request("GET", "/metrics").body.decode()
        self.assertRegex(metrics, r'cove_executions_total\{[^}]*backend="' + IMAGE)
        with open(self.server.directory.name + "/data/audit.jsonl", encoding="utf-8") as file:
            self.assertRegex(file.read(), r'"backend":\s*"' + IMAGE)

    def test_pools_are_told_apart(self):
        wait_until(lambda: self.run_in(IMAGE, "print(1)").json()["result"]["warm"], 30, "a waiting guest")
        metrics = self.server.request("GET", "/metrics").body.decode()
        for backend in ("native", IMAGE):
            for what in ("hits_total", "misses_total", "ready"):
                self.assertRegex(metrics, f'cove_pool_{what}{{backend="{backend}",language="python"}} [0-9]')

    def test_languages_say_which_backends_have_them(self):
        listed = {each["name"]: each for each in self.server.request("GET", "/v1/languages").json()["languages"]}
        self.assertEqual(listed["python"]["backends"], ["native", IMAGE, "local"])
        for name, each in listed.items():
            self.assertEqual(each["usable"], "native" in each["backends"], name)
            for backend in each["backends"]:
                self.assertIn(backend, ("native", IMAGE, "local"))
        self.assertNotIn(IMAGE, listed["ruby"]["backends"])

    def add_key(self, *words):
        return subprocess.run([COVE, "keys", "add", *words, "--data-dir", self.server.directory.name + "/data"],
                              capture_output=True, text=True, check=False)

    def test_keys_are_limited_to_backends(self):
        key = self.add_key("imager", "--backends", IMAGE + ",docker").stdout.strip()

        def ask(path, **fields):
            return self.server.request("POST", path, {"code": "print(1)", **fields}, key=key)
        for path in ("/v1/executions", "/v1/executions?async=true", "/execute"):
            self.assertLess(ask(path, backend=IMAGE).status, 300)
            for fields in ({}, {"backend": "native"}, {"backend": "local", "policy": LOOSE}):
                answer = ask(path, **fields)
                self.assertEqual([answer.status, answer.code], [403, "forbidden"], f"{path} {fields}")
                self.assertIn("it allows " + IMAGE + ", docker", answer.json()["error"]["message"])
        with self.server.socket() as sock:
            ws = WebSocket(sock, headers=self.server.headers(key))
            ws.start("print(1)")
            self.assertEqual(ws.until("error")[-1]["error"]["code"], "forbidden")
        answer = self.server.request("POST", "/v1/sessions", {}, key=key)
        self.assertEqual([answer.status, answer.code], [403, "forbidden"], answer.body)
        listed = self.server.request("GET", "/v1/languages", key=key).json()["languages"]
        self.assertEqual([each["backends"] for each in listed if each["name"] == "python"], [[IMAGE]])
        refused = self.add_key("odd", "--backends", "docekr")
        self.assertEqual(refused.returncode, 125)
        self.assertIn("--backends: must be of native, local, container, docker and image:NAME", refused.stderr)
        said = subprocess.run([COVE, "keys", "list", "--json", "--data-dir", self.server.directory.name + "/data"],
                              capture_output=True, text=True, check=True).stdout
        self.assertIn(f'"backends":["{IMAGE}","docker"]', said)

    def test_an_image_in_use_stays(self):
        self.assertIn(b"use", cove("image", "rm", NAME, code=(1, 2, 125, 126)).stderr)


class Settings(unittest.TestCase):
    def test_what_is_refused_at_the_start(self):
        for words, expected in (
                (("--dev", "--backends", "native,docekr"), r"--backends: must be of native, .*got \"docekr\""),
                (("--dev", "--backends", "container"), r"--backends: must have native"),
                (("--dev", "--backends", "native,native"), r"--backends: names \"native\" twice"),
                (("--dev", "--container-image", "x"), r"--container-image: is a setting of the backend container or docker"),
                (("--dev", "--docker-host", "unix:///x"), r"--docker-host: is a setting of the backend docker"),
                (("--dev", "--backends", "native,image:no-such"), r"image:no-such.*no-such"),
                (("--dev", "--backends", "native,docker", "--docker-host", "unix:///no/such/socket"),
                 r"docker.*/no/such/socket"),
                (("--dev", "--backends", "native,container", "--container-engine", "/no/such/engine"),
                 r"container.*/no/such/engine")):
            code, said = start(*words)
            self.assertNotEqual(code, 0, words)
            self.assertRegex(said, re.compile(expected, re.S), words)
        code, said = start("--backends", "native,local", SANDBOX_EXECUTOR_SERVICE_API_KEY="k-0123456789abcdef")
        self.assertNotEqual(code, 0)
        self.assertIn("isolates nothing", said)

    def test_they_are_shown(self):
        shown = subprocess.run([COVE, "serve", "--print-config", "--backends", "native,image:x"],
                               capture_output=True, text=True, check=True).stdout
        self.assertRegex(shown, r"backends\b.*native.*image:x")


if __name__ == "__main__":
    unittest.main(verbosity=2)
