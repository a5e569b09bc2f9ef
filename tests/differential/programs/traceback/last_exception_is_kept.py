import atexit
import sys


@atexit.register
def look():
    print(sys.last_type.__name__, sys.last_value, sys.last_traceback.tb_lineno)


raise KeyError("kept")
