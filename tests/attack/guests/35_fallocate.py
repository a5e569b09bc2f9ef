import os
import kit

total, stopped, number = 0, "OK", 0
while stopped == "OK" and total < 64 << 20:
    fd = os.open(f"f{number}", os.O_CREAT | os.O_RDWR)
    stopped = kit.tried(os.posix_fallocate, fd, 0, 1 << 20)
    total += (1 << 20) * (stopped == "OK")
    number += 1
one = os.open("one", os.O_CREAT | os.O_RDWR) if stopped == "OK" else os.open("f0", os.O_RDWR)
kit.report(total=total, stopped=stopped, too_large=kit.tried(os.posix_fallocate, one, 0, 9 << 20))
