import os
import sys

sys.stderr.write("no newline, no flush")
os._exit(0)
