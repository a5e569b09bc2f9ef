#!/usr/bin/python3
"""The cases of the suite whose backend is a stored image, in a store that exists only for them."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "image"))
from image_store import COVE, NAME, cove, store_with_python  # noqa: E402


def main():
    with store_with_python() as place:
        tests = pathlib.Path(COVE).parent / "conformance_tests"
        failed = subprocess.run([tests, "--gtest_filter=*/Image*", "--gtest_brief=1"],
                                check=False).returncode
        cove("image", "rm", NAME)  # nobody holds it any more
        left = [str(path) for path in (place / "images").rglob("*") if path.is_file() and path.name != "lock"]
        mounts = [line for line in open("/proc/self/mountinfo", encoding="utf8") if str(place) in line]
        for thing in left + mounts:
            print("left behind:", thing, file=sys.stderr)
        return failed or (1 if left or mounts else 0)


if __name__ == "__main__":
    sys.exit(main())
