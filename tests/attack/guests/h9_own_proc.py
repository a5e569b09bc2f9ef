# What /proc lets a process do to itself and to its init, and terminals' old tricks.
import ctypes, os
import kit

def writes(path, text):
    def attempt():
        fd = os.open(path, os.O_WRONLY)
        try:
            os.write(fd, text)
        finally:
            os.close(fd)
    return kit.tried(attempt)

letter = ctypes.create_string_buffer(b"x")
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
kit.report(
    oom_immune=writes("/proc/self/oom_score_adj", b"-1000"),
    uid_map=writes("/proc/self/uid_map", b"0 0 1"),
    setgroups=writes("/proc/self/setgroups", b"allow"),
    init_oom=writes("/proc/1/oom_score_adj", b"1000"),
    init_mem=writes("/proc/1/mem", b"x"),
    init_maps=kit.reads("/proc/1/maps"),
    init_syscall=kit.reads("/proc/1/syscall"),
    clear_refs=writes("/proc/1/clear_refs", b"1"),
    sti=kit.call("ioctl", 0, TIOCSTI, letter),
    sti_hidden=kit.call("ioctl", 0, TIOCSTI | (1 << 32), letter),
    linux=kit.call("ioctl", 0, TIOCLINUX, letter),
    limit_of_init=kit.call(302, 1, 7, ctypes.create_string_buffer(16), None),
)
