# Changing how another process runs: the limits it has, its priority, its processors. Each is set to
# what it was, so that success harms nobody.
import os, resource, sys
import kit

pid = int(sys.argv[1])
CURRENT = 1 << 20
facts = dict(
    read_limit=kit.tried(resource.prlimit, pid, resource.RLIMIT_NOFILE),
    set_limit=kit.tried(lambda: resource.prlimit(pid, resource.RLIMIT_CORE, resource.prlimit(pid, resource.RLIMIT_CORE))),
    priority=kit.tried(lambda: os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid))),
    affinity=kit.tried(lambda: os.sched_setaffinity(pid, os.sched_getaffinity(pid))),
    scheduler=kit.tried(lambda: os.sched_setscheduler(pid, os.SCHED_OTHER, os.sched_param(0))),
    kill=kit.tried(os.kill, pid, 0),
    io_priority=kit.call("ioprio_set", 1, pid, 2 << 13 | 4),
    oom_score=kit.opens_for_writing(f"/proc/{pid}/oom_score_adj"),
)
kit.report(**facts)
