import sys
import threading
import time


def work():
    time.sleep(0.1)
    print("thread finished")


threading.Thread(target=work).start()
sys.exit(5)
