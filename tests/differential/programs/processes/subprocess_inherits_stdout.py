import subprocess

print("first", flush=True)
subprocess.run("echo second; echo error >&2", shell=True)
print("third")
