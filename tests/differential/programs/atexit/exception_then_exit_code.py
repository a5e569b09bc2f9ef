import atexit
import sys


@atexit.register
def fail():
    1 / 0


sys.exit(3)
