import os

print("before", flush=True)
pid = os.fork()
if pid == 0:
    print("child", flush=True)
    os._exit(3)
print("child ended with", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
