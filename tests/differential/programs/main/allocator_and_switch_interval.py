import sys
import threading

print(sys.getswitchinterval(), threading.stack_size(), sys.getallocatedblocks() > 0)
print(threading.main_thread().name, threading.current_thread() is threading.main_thread())
print(threading.active_count(), [t.name for t in threading.enumerate()])
