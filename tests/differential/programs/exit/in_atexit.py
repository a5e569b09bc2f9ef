import atexit
import sys

atexit.register(print, "registered first, runs last")
atexit.register(sys.exit, 9)
print("end of main")
