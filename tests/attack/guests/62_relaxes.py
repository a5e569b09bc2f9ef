import ctypes, os
import kit

PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, PR_SET_SECUREBITS, PR_CAP_AMBIENT, PR_SET_MM = 4, 38, 22, 28, 47, 35

class Filter(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte), ("jf", ctypes.c_ubyte), ("k", ctypes.c_uint)]

class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.POINTER(Filter))]

allow = (Filter * 1)(Filter(6, 0, 0, 0x7FFF0000))
program = Program(1, allow)
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
every = (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
facts = dict(
    dumpable=kit.call("prctl", PR_SET_DUMPABLE, 1, 0, 0, 0),
    new_privs=kit.call("prctl", PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0),
    strict_off=kit.call("prctl", PR_SET_SECCOMP, 0, 0, 0, 0),
    securebits=kit.call("prctl", PR_SET_SECUREBITS, 0, 0, 0, 0),
    ambient=kit.call("prctl", PR_CAP_AMBIENT, 2, 21, 0, 0),
    set_mm=kit.call("prctl", PR_SET_MM, 13, 0, 0, 0),
    capset=kit.call(126, header, every),
    stacked=kit.call("seccomp", 1, 0, ctypes.byref(program)),
    after_unshare=kit.call("unshare", 0x10000000),
    after_mount=kit.call("mount", b"none", b"/tmp", b"tmpfs", 0, None),
    after_ptrace=kit.call("ptrace", 16, 1, 0, 0),
)
with open("/proc/self/status") as status:
    facts["filters"] = [line.split()[1] for line in status if line.startswith("Seccomp_filters")][0]
kit.report(**facts)
