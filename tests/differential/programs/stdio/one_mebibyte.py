#: stdin = "0123456789abcdef0123456789abcde\n"
#: stdin_times = 32768
import hashlib
import sys

data = sys.stdin.buffer.read()
print(len(data), hashlib.sha256(data).hexdigest())
sys.stdout.buffer.write(data)
