import atexit

atexit.register(print, "cleaned up")
raise KeyboardInterrupt("by hand")
