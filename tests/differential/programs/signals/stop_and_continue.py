import os
import signal
import time

pid = os.fork()
if pid == 0:
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(9)
print(os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1]))
os.kill(pid, signal.SIGCONT)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
