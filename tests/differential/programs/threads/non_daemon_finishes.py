import threading
import time


def work():
    for i in range(3):
        time.sleep(0.03)
        print("step", i)


threading.Thread(target=work).start()
print("main done")
