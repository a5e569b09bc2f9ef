import contextlib
import sys


@contextlib.contextmanager
def block():
    try:
        yield
    finally:
        print("left the block")


with block():
    sys.exit(2)
