#: only = "guests"
import os

# Owners, device numbers and the order differ from guest to guest.
mounts = {tuple(line.split()[4:6]) for line in open("/proc/self/mountinfo")}
print(sorted(mounts))
print(sorted(os.listdir("/dev")), sorted(os.listdir("/")))
