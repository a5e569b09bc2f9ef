# A set-user-id copy of a shell: worth nothing.
import os, subprocess
import kit

os.umask(0)
fd = os.open("shell", os.O_WRONLY | os.O_CREAT, 0o6755)  # the mode without any chmod
with open("/bin/sh", "rb") as original:
    os.write(fd, original.read())
os.close(fd)
marked = oct(os.stat("shell").st_mode & 0o7777)
ran = subprocess.run(["./shell", "-pc", "id -u; grep -E 'NoNewPrivs|CapEff|CapBnd' /proc/$$/status"], capture_output=True, text=True)
with open("/proc/self/status") as status:
    lines = dict(line.rstrip("\n").split(":\t", 1) for line in status if ":\t" in line)
kit.report(marked=marked, uid=os.getuid(), ran=ran.stdout.split("\n")[0], nosuid=bool(os.statvfs(".").f_flag & os.ST_NOSUID),
           no_new_privs=lines["NoNewPrivs"], effective=lines["CapEff"], permitted=lines["CapPrm"], inheritable=lines["CapInh"],
           ambient=lines["CapAmb"], groups=os.getgroups(), seccomp=lines["Seccomp"],
           become_root=kit.tried(os.setuid, 0), join_group=kit.tried(os.setgroups, [0]))
