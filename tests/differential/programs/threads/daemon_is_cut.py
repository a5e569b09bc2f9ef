import threading
import time


def work():
    print("started", flush=True)
    time.sleep(60)
    print("never")


threading.Thread(target=work, daemon=True).start()
time.sleep(0.05)
print("main done")
