"""What a program sees inside: itself, its runtime, an empty working directory."""
import os
import platform
import sys

print(f"Hello from Python {platform.python_version()} inside the sandbox.")
print(f"host name: {platform.node()}   uid: {os.getuid()}   pid: {os.getpid()}")
print(f"working directory: {os.getcwd()} with {os.listdir('.')}")
print(f"environment: {sorted(os.environ)}")

with open("answer.txt", "w", encoding="utf-8") as answer:
    answer.write("files left in the working directory come back with the result\n")
print("this line goes to stderr", file=sys.stderr)
