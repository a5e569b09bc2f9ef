import os
import subprocess

r, w = os.pipe()
out = subprocess.run(["/bin/sh", "-c", "ls /proc/self/fd | wc -l"], pass_fds=[w], capture_output=True)
print(out.stdout)
