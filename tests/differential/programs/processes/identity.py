#: only = "guests"
import os

print(os.getpid(), os.getppid(), os.getpgrp(), os.getsid(0), os.getuid(), os.getgid(), os.getgroups())
print(os.uname().nodename, os.getcwd(), os.cpu_count(), sorted(os.sched_getaffinity(0)))
