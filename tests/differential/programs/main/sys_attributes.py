import sys

print([name for name in dir(sys)])
