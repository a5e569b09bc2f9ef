import subprocess

print("\n".join(sorted(subprocess.check_output(["env"], text=True).splitlines())))
