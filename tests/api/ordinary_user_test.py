#!/usr/bin/python3
"""A server needs no privilege: one of everything as an ordinary user, at each level of isolation."""

import os
import subprocess
import unittest

from cove_server import ISOLATION, Server

HERE = os.path.dirname(os.path.abspath(__file__))


class OrdinaryUser(unittest.TestCase):
    def test_one_of_everything(self):
        if os.geteuid() == 0:
            for level in ("namespaces", "landlock"):
                self.run_again(level)
            return
        server = Server()
        try:
            self.assertEqual(server.request("GET", "/readyz").status, 200)
            capabilities = server.request("GET", "/v1/capabilities").json()
            landlock = "landlock" in ISOLATION
            self.assertEqual(capabilities["isolation"], "landlock" if landlock else "namespaces")
            for _ in range(3):  # the second and third from the pool, where there is one
                result = server.execute("import os; print(os.getuid()); open('f', 'w').write('x')").json()
                self.assertEqual([result["status"], [file["name"] for file in result["output_files"]]], ["success", ["f"]])
                self.assertNotEqual(result["stdout"], "0\n")
            self.refused_session(server) if landlock else self.session(server)
            self.assertEqual(server.stop(), 0)
        finally:
            server.close()

    def session(self, server):
        path = "/v1/sessions/" + server.request("POST", "/v1/sessions", {}).json()["id"]
        self.assertEqual(server.request("POST", path + "/execute", {"code": "x = 20"}).status, 200)
        fork = server.request("POST", path + "/fork")
        self.assertEqual(fork.status, 201, fork.body)
        branch = "/v1/sessions/" + fork.json()["id"]
        server.request("POST", path + "/execute", {"code": "x = 0"})
        value = server.request("POST", branch + "/execute", {"code": "x + 1"}).json()["value"]["text/plain"]
        self.assertEqual(value, "21")
        self.assertEqual([server.request("DELETE", each).status for each in (path, branch)], [204, 204])

    def refused_session(self, server):
        answer = server.request("POST", "/v1/sessions", {})
        self.assertEqual([answer.status, answer.code], [503, "backend_unavailable"])
        self.assertIn("namespaces", answer.json()["error"]["message"])

    def run_again(self, level):
        done = subprocess.run([HERE + "/../../scripts/as-ordinary-user", "/usr/bin/python3", __file__],
                              env={**os.environ, "COVE_TEST_ISOLATION": level}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{level}:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
