import os
import signal

print("flushed", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
