# Every mount that a guest has, and which flags it lacks.
import os
import kit

SCRATCH = "/run/cove/private/scratch"  # what the writable ones are parts of, behind a closed door
WRITABLE = ("/workspace", "/tmp", "/dev/shm", "/proc", SCRATCH)
lacking = {}
with open("/proc/self/mountinfo") as mounts:
    for line in mounts:
        fields = line.split()
        place, flags = fields[4], fields[5].split(",")
        wanted = {"nosuid"}
        if place.startswith(("/dev/", "/proc/")) and place not in WRITABLE:
            wanted.add("noexec")  # one device each
        else:
            wanted.add("nodev")
            if place not in WRITABLE:
                wanted.add("ro")
        if not wanted <= set(flags):
            lacking[place] = sorted(wanted - set(flags))
kit.report(lacking=lacking, scratch=kit.tried(os.listdir, SCRATCH), door=kit.tried(os.chmod, os.path.dirname(SCRATCH), 0o755))
