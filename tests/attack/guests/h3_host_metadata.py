# A file of the host's, known by its path: what can be done to it beside reading?
import ctypes, fcntl, os, struct, sys
import kit

path = sys.argv[1]
past = (1, 1)
facts = dict(
    chmod=kit.tried(os.chmod, path, 0o777),
    chown=kit.tried(os.chown, path, os.getuid(), os.getgid()),
    lchown=kit.tried(os.lchown, path, os.getuid(), os.getgid()),
    utime=kit.tried(os.utime, path, past),
    setxattr=kit.tried(os.setxattr, path, "user.cove", b"x"),
    truncate=kit.tried(os.truncate, path, 0),
    append=kit.opens_for_writing(path, os.O_APPEND),
    unlink=kit.tried(os.unlink, path),
    rename=kit.tried(os.rename, path, path + ".moved"),
    link=kit.tried(os.link, path, "linked"),
)
try:
    fd = os.open(path, os.O_RDONLY)
except OSError as error:
    facts["opened"] = kit.errno.errorcode[error.errno]
else:
    facts.update(
        opened="OK",
        fchmod=kit.tried(os.fchmod, fd, 0o777),
        fchown=kit.tried(os.fchown, fd, os.getuid(), os.getgid()),
        futimens=kit.tried(os.utime, fd, past),
        fsetxattr=kit.tried(os.setxattr, fd, "user.cove", b"x"),
        lease=kit.tried(fcntl.fcntl, fd, fcntl.F_SETLEASE, fcntl.F_RDLCK),
        attributes=kit.tried(fcntl.ioctl, fd, 0x40086602, struct.pack("l", 0x80)),
    )
kit.report(**facts)
