import os
import stat
import sys

print([stat.S_ISFIFO(os.fstat(fd).st_mode) for fd in (0, 1, 2)], [os.isatty(fd) for fd in (0, 1, 2)])
print(sys.stdin, sys.stdout, sys.stderr)
