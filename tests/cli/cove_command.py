"""Runs the cove command for the tests of this folder."""

import json
import os
import subprocess
import tempfile
import unittest

COVE = os.environ.get("COVE_COMMAND", "build/release/bin/cove")


class Run:
    def __init__(self, completed):
        self.code = completed.returncode
        self.out = completed.stdout
        self.err = completed.stderr

    @property
    def text(self):
        return self.out.decode("utf-8", "replace")

    @property
    def said(self):
        """Cove's own words and the program's stderr."""
        return self.err.decode("utf-8", "replace")

    def json(self):
        lines = self.out.decode("utf-8").splitlines()
        assert len(lines) == 1, f"--json printed {len(lines)} lines: {self.out[:300]!r}"
        return json.loads(lines[0])


def cove(*words, stdin=b"", timeout=60, env=None):
    completed = subprocess.run([COVE, *words], input=stdin, capture_output=True, timeout=timeout,
                               env={**os.environ, **(env or {})}, check=False)
    return Run(completed)


def run_json(*words, **options):
    return cove("run", "--json", *words, **options)


class CoveTestCase(unittest.TestCase):
    """A test with a scratch directory of its own."""

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="cove-cli-test-")
        self.addCleanup(self.scratch.cleanup)

    def path(self, name):
        return os.path.join(self.scratch.name, name)

    def write(self, name, content):
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def assert_error(self, run, code, *fragments):
        """One JSON object that says what is wrong, and exit code 125."""
        self.assertEqual(run.code, 125, run.said)
        error = run.json()["error"]
        self.assertEqual(error["code"], code)
        for fragment in fragments:
            self.assertIn(fragment, error["message"])
