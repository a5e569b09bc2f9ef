import _thread
import time

try:
    _thread.interrupt_main()
    time.sleep(1)
except KeyboardInterrupt:
    print("interrupted")
