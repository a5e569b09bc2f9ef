import sys

try:
    sys.exit(3)
finally:
    raise KeyError("wins")
