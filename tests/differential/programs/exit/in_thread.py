import sys
import threading

thread = threading.Thread(target=lambda: sys.exit(5))
thread.start()
thread.join()
print("the thread's exit is its own")
