import fcntl, os, struct
import kit

FS_IOC_SETFLAGS, FS_IMMUTABLE = 0x40086602, 0x10
os.makedirs("closed/inner")
with open("closed/inner/file", "w") as file:
    file.write("x")
immutable = kit.tried(lambda: fcntl.ioctl(os.open("closed/inner/file", os.O_RDONLY), FS_IOC_SETFLAGS,
                                          struct.pack("l", FS_IMMUTABLE)))
by_path = kit.tried(os.chmod, "closed/inner", 0o700)
directories = [os.open(path, os.O_RDONLY) for path in ("closed/inner", "closed", ".")]
closed = [kit.tried(os.fchmod, fd, 0) for fd in directories]
kit.report(immutable=immutable, chmod=by_path, closed=closed)
