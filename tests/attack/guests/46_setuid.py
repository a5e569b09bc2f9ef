# A set-user-id copy of a shell: worth nothing.
import os, shutil, subprocess
import kit

shutil.copyfile("/bin/sh", "shell")
fd = os.open("shell", os.O_RDONLY)
marked = kit.tried(os.fchmod, fd, 0o6755)
os.close(fd)
ran = subprocess.run(["./shell", "-pc", "id -u; grep -E 'NoNewPrivs|CapEff|CapBnd' /proc/$$/status"], capture_output=True, text=True)
with open("/proc/self/status") as status:
    lines = dict(line.rstrip("\n").split(":\t", 1) for line in status if ":\t" in line)
kit.report(marked=marked, uid=os.getuid(), ran=ran.stdout.split("\n")[0], nosuid=bool(os.statvfs(".").f_flag & os.ST_NOSUID),
           no_new_privs=lines["NoNewPrivs"], effective=lines["CapEff"], permitted=lines["CapPrm"], inheritable=lines["CapInh"],
           ambient=lines["CapAmb"], groups=os.getgroups(), seccomp=lines["Seccomp"],
           become_root=kit.tried(os.setuid, 0), join_group=kit.tried(os.setgroups, [0]))
