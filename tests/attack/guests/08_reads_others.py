import ctypes, os
import kit

PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
buffer = ctypes.create_string_buffer(64)
iov = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 64)
facts = {}
for name, pid in (("init", 1), ("parent", os.getppid())):
    facts["attach_" + name] = kit.call("ptrace", PTRACE_ATTACH, pid, 0, 0)
    facts["seize_" + name] = kit.call("ptrace", PTRACE_SEIZE, pid, 0, 0)
    facts["vm_readv_" + name] = kit.call("process_vm_readv", pid, iov, 1, iov, 1, 0)
    facts["vm_writev_" + name] = kit.call("process_vm_writev", pid, iov, 1, iov, 1, 0)
    facts["mem_" + name] = kit.reads(f"/proc/{pid}/mem")
    facts["getfd_" + name] = kit.call("pidfd_getfd", kit.sys("pidfd_open", pid, 0), 0, 0)
# Of itself a process may do all this, but for the filter.
facts["vm_readv_self"] = kit.call("process_vm_readv", os.getpid(), iov, 1, iov, 1, 0)
facts["vm_writev_self"] = kit.call("process_vm_writev", os.getpid(), iov, 1, iov, 1, 0)
facts["getfd_self"] = kit.call("pidfd_getfd", kit.sys("pidfd_open", os.getpid(), 0), 0, 0)
facts["traceme"] = kit.call("ptrace", 0, 0, 0, 0)
kit.report(**facts)
