import _thread
import time

_thread.start_new_thread(lambda: (print("low", flush=True), time.sleep(60)), ())
time.sleep(0.05)
print("main does not wait")
