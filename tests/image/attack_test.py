#!/usr/bin/python3
"""The attack suite, with guests whose root file system is an image's: cold and warm."""
import os
import pathlib
import subprocess
import sys

from image_store import COVE, NAME, store_with_python

# Of what the suite has, what does not depend on files that only the host has.
LEFT_OUT = []


def main():
    with store_with_python():
        environment = dict(os.environ, COVE_TEST_IMAGE=NAME)
        tests = pathlib.Path(COVE).parent / "attack_tests"
        wanted = "--gtest_filter=*" + ("-" + ":".join(LEFT_OUT) if LEFT_OUT else "")
        return subprocess.run([tests, wanted, "--gtest_brief=1"], env=environment,
                              check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
