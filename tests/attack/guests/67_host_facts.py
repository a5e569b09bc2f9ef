import glob, os
import kit

paths = ("/sys", "/sys/kernel", "/sys/fs/cgroup", "/proc/kcore", "/proc/kallsyms", "/proc/keys", "/proc/timer_list",
         "/proc/modules", "/proc/cmdline", "/proc/sysrq-trigger", "/dev/mem", "/dev/kmsg", "/proc/kmsg", "/boot",
         "/root", "/home", "/var", "/etc/shadow", "/proc/1/root/etc/shadow", "/proc/kpagecount", "/proc/sched_debug",
         "/proc/interrupts", "/proc/config.gz", "/proc/scsi/scsi", "/proc/fs")
facts = {}
for path in paths:
    text = kit.tried(os.listdir, path) if os.path.isdir(path) else kit.reads(path)
    if os.path.isdir(path) and text == "OK":
        text = "listing:" + ",".join(sorted(os.listdir(path)))
    facts[path] = text[:200]
facts["release_agents"] = glob.glob("/sys/fs/cgroup/**/release_agent", recursive=True)
facts["hostname"] = os.uname().nodename
kit.report(**facts)
