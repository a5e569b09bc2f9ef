import _thread
import time


def fail():
    raise ValueError("low level")


_thread.start_new_thread(fail, ())
time.sleep(0.05)
