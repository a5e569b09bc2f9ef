import sys

print("text")
sys.stdout.buffer.write(b"binary\n")
print("more")
