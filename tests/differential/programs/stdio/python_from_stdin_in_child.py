#: stdin = "print(6 * 7)\n"
import subprocess
import sys

sys.stdout.flush()
subprocess.run([sys.executable, "-"])
