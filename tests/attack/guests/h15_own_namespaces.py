import os
import kit

KINDS = ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup")
with open("/proc/net/dev") as devices:
    interfaces = [line.split(":")[0].strip() for line in devices if ":" in line]
kit.report(interfaces=interfaces, **{kind: os.readlink(f"/proc/self/ns/{kind}") for kind in KINDS})
