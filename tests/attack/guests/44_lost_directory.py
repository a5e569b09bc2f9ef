import os
import kit

os.mkdir("gone")
os.chdir("gone")
os.rmdir("../gone")
facts = dict(getcwd=kit.tried(os.getcwd), up=kit.tried(os.stat, "../../../../../../boot"))
seen = []
for fd in range(1024):
    if kit.tried(os.fchdir, fd) == "OK":
        seen.append(fd)
kit.report(directories=seen, **facts)
