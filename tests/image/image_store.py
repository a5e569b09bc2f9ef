"""A store of its own, with the image of this host's Python in it, for the time of a test."""
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile

import python_image

COVE = os.environ.get("COVE_COMMAND") or str(
    pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/cove")
NAME = "cove-test/python:host"


def cove(*words, code=0, **options):
    """Runs the command; its exit code must be `code`, or one of them. Gives the finished process."""
    done = subprocess.run([COVE, *words], capture_output=True, check=False, **options)
    if done.returncode not in (code if isinstance(code, tuple) else (code,)):
        sys.stderr.write(f"cove {' '.join(words)} exited with {done.returncode}, not {code}\n"
                         f"{done.stdout.decode(errors='replace')}{done.stderr.decode(errors='replace')}")
        raise SystemExit(1)
    return done


@contextlib.contextmanager
def store_with_python():
    with tempfile.TemporaryDirectory(prefix="cove-image-test-") as place:
        os.environ["COVE_IMAGE_DIR"] = place + "/images"
        archive = place + "/python.tar"
        python_image.write_archive(archive)
        cove("image", "import", archive)
        yield pathlib.Path(place)
