import os
import sys

print("buffered 1")
os.write(1, b"direct 2\n")
sys.stdout.flush()
os.write(1, b"direct 3\n")
print("buffered 4")
