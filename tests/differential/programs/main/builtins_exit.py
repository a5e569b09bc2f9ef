import atexit

atexit.register(print, "at exit")
exit(5)
