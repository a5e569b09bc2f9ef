# Larger than the disk, and as large as allowed but all holes.
import os
import kit

fd = os.open("huge", os.O_CREAT | os.O_RDWR)
facts = dict(
    terabyte=kit.tried(os.ftruncate, fd, 1 << 40),
    far_write=kit.tried(os.pwrite, fd, b"x", 1 << 40),
    fallocate=kit.tried(os.posix_fallocate, fd, 0, 1 << 40),
)
os.ftruncate(fd, 4 << 20)
kit.report(**facts)
