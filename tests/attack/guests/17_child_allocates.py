# The child takes too much; the parent ends well.
import os
import kit

pid = os.fork()
if pid == 0:
    held = []
    try:
        while len(held) < 128:
            held.append(bytearray(4 << 20))
    except MemoryError:
        os._exit(33)
    os._exit(0)
_, status = os.waitpid(pid, 0)
kit.report(child_exit=os.waitstatus_to_exitcode(status))
