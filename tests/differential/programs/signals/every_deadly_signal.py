import os
import signal
import sys

for name in ("SIGHUP", "SIGQUIT", "SIGTERM", "SIGUSR2", "SIGXCPU", "SIGFPE", "SIGBUS", "SIGILL", "SIGTRAP", "SIGSYS"):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        os.kill(os.getpid(), getattr(signal, name))
        os._exit(0)
    print(name, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
