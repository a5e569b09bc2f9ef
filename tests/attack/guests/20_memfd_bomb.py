import os
import kit

total, stopped = 0, "OK"
try:
    while total < 512 << 20:
        fd = os.memfd_create("bomb")
        for _ in range(4):  # each below the limit of one file
            total += os.write(fd, b"x" * (1 << 20))
except OSError as error:
    stopped = kit.errno.errorcode[error.errno]
kit.report(total=total, stopped=stopped)
