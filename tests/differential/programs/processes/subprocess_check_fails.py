import subprocess

subprocess.run(["/bin/sh", "-c", "exit 5"], check=True)
