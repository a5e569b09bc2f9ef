import os
import signal
import sys

signal.signal(signal.SIGTERM, lambda *args: sys.exit(15))
os.kill(os.getpid(), signal.SIGTERM)
print("not reached")
