import atexit
import threading
import time

atexit.register(print, "atexit after the threads")


def slow():
    time.sleep(0.1)
    print("non-daemon thread")


threading.Thread(target=slow).start()
print("main ends")
