#: only = "guests"
keep = ("Umask", "Uid", "Gid", "Groups", "Cap", "Sig", "NoNew", "Seccomp", "NS", "Threads")
for line in open("/proc/self/status"):
    if line.startswith(keep) and not line.startswith("SigQ"):
        print(line, end="")
