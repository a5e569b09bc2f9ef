import os
import kit

own = [name for name, value in os.environ.items() if "hunter2" in name + value]
others = []
readable = []
for pid in filter(str.isdigit, os.listdir("/proc") if kit.tried(os.listdir, "/proc") == "OK" else map(str, range(1, 400))):
    for what in ("environ", "cmdline", "maps", "stack"):
        text = kit.reads(f"/proc/{pid}/{what}")
        if "hunter2" in text:
            others.append(f"{pid}/{what}")
        elif what == "environ" and text not in ("EACCES", "ENOENT", "EPERM", "ESRCH") and int(pid) != os.getpid():
            readable.append(pid)
kit.report(own=own, others=others, readable=readable, init=kit.reads("/proc/1/environ"),
           names=sorted(os.environ))
