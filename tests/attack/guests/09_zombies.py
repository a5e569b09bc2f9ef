# Orphans that end at once: only if somebody reaps them there is room for the next.
import os
import kit

for i in range(300):
    while True:
        try:
            pid = os.fork()
            break
        except BlockingIOError:
            pass  # the orphans of a moment ago are still being reaped
    if pid == 0:
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
    os.waitpid(pid, 0)
kit.report(orphans=300)
