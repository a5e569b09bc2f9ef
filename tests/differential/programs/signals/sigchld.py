import os
import signal

seen = []
signal.signal(signal.SIGCHLD, lambda *args: seen.append("child"))
pid = os.fork()
if pid == 0:
    os._exit(0)
os.waitpid(pid, 0)
print(seen)
