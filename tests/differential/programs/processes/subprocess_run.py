import subprocess
import sys

done = subprocess.run(
    [sys.executable, "-c", "import sys; print(sys.argv, len(sys.path)); sys.exit(7)", "arg"],
    capture_output=True, text=True,
)
print(done.returncode, done.stdout, done.stderr)
