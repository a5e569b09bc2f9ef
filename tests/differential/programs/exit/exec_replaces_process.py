import os
import sys

print("before", flush=True)
os.execv(sys.executable, [sys.executable, "-c", "print('after'); raise SystemExit(4)"])
