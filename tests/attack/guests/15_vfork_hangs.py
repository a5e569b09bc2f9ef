# A child with CLONE_VFORK that never execs: its parent cannot go on.
import time
import kit

CLONE_VFORK, SIGCHLD = 0x4000, 17
print("before", flush=True)
if kit.sys("clone", CLONE_VFORK | SIGCHLD, 0, 0, 0, 0) == 0:
    while True:
        time.sleep(1)
print("after", flush=True)
