# Memory of kinds that a limit on the data segment might not count: argv[1] says which.
import ctypes, mmap, os, sys
import kit

STEP, GOAL = 16 << 20, 512 << 20
READ, WRITE, SHARED, PRIVATE, ANONYMOUS, GROWSDOWN = 1, 2, 1, 2, 0x20, 0x100
kit.libc.mmap.restype = ctypes.c_void_p
kit.libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
kit.libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def take(flags, fd=-1, protection=READ | WRITE):
    ctypes.set_errno(0)
    at = kit.libc.mmap(None, STEP, protection, flags, fd, 0)
    if at == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap")
    return at


total, stopped = 0, "OK"
try:
    while total < GOAL:
        if sys.argv[1] == "shared_anonymous":
            ctypes.memset(take(SHARED | ANONYMOUS), 1, STEP)
        elif sys.argv[1] == "shared_validate":
            ctypes.memset(take(3 | ANONYMOUS), 1, STEP)
        elif sys.argv[1] == "dev_zero":
            ctypes.memset(take(SHARED, os.open("/dev/zero", os.O_RDWR)), 1, STEP)
        elif sys.argv[1] == "dev_zero_read":
            at = take(SHARED, os.open("/dev/zero", os.O_RDONLY), READ)
            for page in range(at, at + STEP, 4096):
                ctypes.c_char.from_address(page).value
        elif sys.argv[1] == "stack_like":
            ctypes.memset(take(PRIVATE | ANONYMOUS | GROWSDOWN), 1, STEP)
        elif sys.argv[1] == "made_read_only":
            at = take(PRIVATE | ANONYMOUS)
            ctypes.memset(at, 1, STEP)
            kit.libc.mprotect(at, STEP, READ)
        total += STEP
except OSError as error:
    stopped = kit.errno.errorcode[error.errno]
with open("/proc/self/status") as status:
    facts = dict(line.rstrip("\n").split(":\t", 1) for line in status if ":\t" in line)
kit.report(mapped_mib=total >> 20, stopped=stopped, resident_mib=int(facts["VmRSS"].split()[0]) >> 10)
