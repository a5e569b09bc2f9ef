# Changes an input, keeping its size and time stamps.
import os
import kit

before = os.stat("input.txt")
fd = os.open("input.txt", os.O_RDWR)
os.write(fd, b"forged")
os.close(fd)
kit.report(utime=kit.tried(os.utime, "input.txt", ns=(before.st_atime_ns, before.st_mtime_ns)),
           size=os.stat("input.txt").st_size)
