# Orphans that end at once: only if somebody reaps them there is room for the next.
import os
import kit


def make_orphan():
    """True when it was born; else those of a moment ago still take up the room."""
    try:
        parent = os.fork()
    except BlockingIOError:
        return False
    if parent == 0:
        try:
            os.fork()
        except BlockingIOError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(parent, 0)[1] == 0


orphans = 0
while orphans < 300:
    orphans += make_orphan()
kit.report(orphans=orphans)
