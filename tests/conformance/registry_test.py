#!/usr/bin/python3
"""`--pull` against a real registry, and `--runtime` with a second one: on engines that exist only for this."""

import json
import os
import subprocess
import threading
import time
import unittest
import uuid

import shell_image

COVE = os.environ["COVE_COMMAND"]
REGISTRY = os.environ.get("COVE_TEST_REGISTRY", "")
ENGINES = ("docker", "podman")


def run(*words, stdin=None, code=0):
    done = subprocess.run(words, input=stdin, capture_output=True, timeout=180, check=False)
    assert code is None or done.returncode == code, (words, done.returncode, done.stderr[-600:])
    return done


def cove(engine, image, *words, code=0):
    return run(COVE, "run", "--backend", "container", "--engine", engine, "--image", image, "-l", "sh", *words,
               code=code)


@unittest.skipUnless(REGISTRY, "no COVE_TEST_REGISTRY: run with scripts/test-containers")
class Pull(unittest.TestCase):
    def test_only_when_allowed(self):
        image = f"{REGISTRY}/cove-test/{uuid.uuid4().hex[:8]}:1"
        run("docker", "import", "-", image, stdin=shell_image.archive())
        run("docker", "push", image)
        run("docker", "rmi", image)
        for engine in ENGINES:
            with self.subTest(engine=engine):
                refused = cove(engine, image, "-c", "echo ran", code=None)
                self.assertNotEqual(refused.returncode, 0)
                self.assertEqual(refused.stdout, b"")
                self.assertIn(f"{engine} pull {image}".encode(), refused.stderr)
                self.assertNotEqual(run(engine, "image", "inspect", image, code=None).returncode, 0)
                self.assertEqual(cove(engine, image, "--pull", "-c", "echo pulled").stdout, b"pulled\n")
                self.assertEqual(cove(engine, image, "-c", "echo there").stdout, b"there\n")
                run(engine, "rmi", image)

    def test_what_no_registry_has_is_an_error(self):
        for engine in ENGINES:
            image = f"{REGISTRY}/cove-test/no-such:1"
            failed = cove(engine, image, "--pull", "-c", "echo ran", code=None)
            self.assertNotEqual(failed.returncode, 0, engine)
            self.assertEqual(failed.stdout, b"")
            self.assertIn(b"cannot be pulled", failed.stderr)


@unittest.skipUnless(os.environ.get("DOCKER_HOST"), "no engine of its own: run with scripts/test-containers")
class Runtime(unittest.TestCase):
    PYTHON = "cove-test/python"

    def test_it_is_used_and_reported(self):
        for engine, asks in (("docker", "{{.HostConfig.Runtime}}"), ("podman", "{{.OCIRuntime}}")):
            with self.subTest(engine=engine):
                runtimes = []

                def look(engine=engine, asks=asks, runtimes=runtimes):
                    deadline = time.monotonic() + 30
                    while not runtimes and time.monotonic() < deadline:
                        names = run(engine, "ps", "--quiet", code=None).stdout.split()
                        runtimes.extend(run(engine, "inspect", "--format", asks, name, code=None).stdout.decode().strip()
                                        for name in names)
                looking = threading.Thread(target=look)
                looking.start()
                done = cove(engine, self.PYTHON, "--runtime", "crun", "--json", "-c", "echo ran; sleep 3")
                looking.join()
                result = json.loads(done.stdout)
                self.assertEqual([result["stdout"], result["isolation"]], ["ran\n", "container/crun"])
                self.assertEqual({os.path.basename(each) for each in runtimes}, {"crun"})

    def test_one_that_is_not_there_is_an_error(self):
        for engine in ENGINES:
            failed = cove(engine, self.PYTHON, "--runtime", "no-such-runtime", "-c", "echo ran", code=None)
            self.assertNotEqual(failed.returncode, 0, engine)
            self.assertEqual(failed.stdout, b"")
            self.assertIn(b"no-such-runtime", failed.stderr)


if __name__ == "__main__":
    unittest.main()
