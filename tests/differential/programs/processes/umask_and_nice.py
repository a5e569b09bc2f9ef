import os

mask = os.umask(0)
print(oct(mask), os.nice(0), os.getpriority(os.PRIO_PROCESS, 0))
