# Takes memory until there is none; a sibling stands by and must go down with it.
import os, time
import kit

if os.fork() == 0:
    time.sleep(60)
    os._exit(0)
taken, held, stopped = 0, [], "OK"
try:
    while taken < 512:
        held.append(bytearray(4 << 20))
        taken += 4
except MemoryError:
    stopped = "MemoryError"
held.clear()
kit.report(mib=taken, stopped=stopped)
