#: only = "guests"
import os

# Owners and device numbers differ from guest to guest.
for line in open("/proc/self/mountinfo"):
    fields = line.split()
    print(fields[4], fields[5])
print(sorted(os.listdir("/dev")), sorted(os.listdir("/")))
