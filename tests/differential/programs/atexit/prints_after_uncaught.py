import atexit
import sys

atexit.register(lambda: (print("out at exit"), print("err at exit", file=sys.stderr)))
raise RuntimeError("uncaught")
