import atexit
import os

atexit.register(print, "handler")
print("start", flush=True)
if os.fork() == 0:
    raise SystemExit(0)
os.wait()
print("parent")
