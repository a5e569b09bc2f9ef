import os
import kit

one = os.sched_param(1)
kit.report(
    fifo=kit.tried(os.sched_setscheduler, 0, os.SCHED_FIFO, one),
    round_robin=kit.tried(os.sched_setscheduler, 0, os.SCHED_RR, one),
    nice=kit.tried(os.setpriority, os.PRIO_PROCESS, 0, -20),
    ioprio=kit.call("ioprio_set", 1, 0, (1 << 13)),
)
