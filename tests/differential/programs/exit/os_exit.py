import os
import sys

sys.stdout.write("lost in the buffer")
sys.stderr.write("kept\n")
os._exit(6)
