import sys

assert sys._getframe().f_back is None
try:
    sys._getframe(1)
except ValueError as error:
    print(error)
