import subprocess
import sys

code = "import sys; print(sorted(sys.modules)); print(sys.path, sys.flags)"
print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
