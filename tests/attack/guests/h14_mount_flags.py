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
        device = place.startswith(("/dev/", "/proc/")) and not os.path.isdir(place)
        wanted.add("noexec" if device else "nodev")
        if not device and place not in WRITABLE:
            wanted.add("ro")
        if not wanted <= set(flags):
            lacking[place] = sorted(wanted - set(flags))
kit.report(lacking=lacking, scratch=kit.tried(os.listdir, SCRATCH), door=kit.tried(os.chmod, os.path.dirname(SCRATCH), 0o755))
