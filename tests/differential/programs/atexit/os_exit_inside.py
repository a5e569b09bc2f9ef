import atexit
import os

atexit.register(print, "never")
atexit.register(os._exit, 11)
