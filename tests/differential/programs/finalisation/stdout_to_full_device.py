import os

fd = os.open("/dev/full", os.O_WRONLY)
print("in the buffer")
os.dup2(fd, 1)
