import atexit
import threading


@atexit.register
def late():
    thread = threading.Thread(target=print, args=("from a late thread",))
    thread.start()
    thread.join()


print("main")
