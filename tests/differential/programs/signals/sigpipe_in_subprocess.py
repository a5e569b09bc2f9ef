import subprocess

out = subprocess.run("yes | head -1; echo ${PIPESTATUS[0]}", shell=True, executable="/bin/bash", capture_output=True)
print(out)
