import atexit
import os

atexit.register(print, "never")
print("flushed", flush=True)
os._exit(0)
