import os
import kit

open_ones = []
for fd in range(3, 1024):
    if kit.tried(os.write, fd, b"x") != "EBADF" or kit.tried(os.fstat, fd) != "EBADF":
        open_ones.append(fd)
links = {}
for fd in os.listdir("/proc/self/fd"):
    try:
        links[fd] = os.readlink(f"/proc/self/fd/{fd}").split(":")[0]
    except OSError:
        pass
kit.report(open=open_ones, links=links,
           reopen=kit.tried(lambda: os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK)))
