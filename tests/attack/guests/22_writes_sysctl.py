import kit

kit.report(
    overcommit=kit.opens_for_writing("/proc/sys/vm/overcommit_memory"),
    core_pattern=kit.opens_for_writing("/proc/sys/kernel/core_pattern"),
    modprobe=kit.opens_for_writing("/proc/sys/kernel/modprobe"),
    drop_caches=kit.opens_for_writing("/proc/sys/vm/drop_caches"),
    sysrq=kit.opens_for_writing("/proc/sysrq-trigger"),
    ping_range=kit.opens_for_writing("/proc/sys/net/ipv4/ping_group_range"),
    max_pids=kit.opens_for_writing("/proc/sys/kernel/pid_max"),
    userns=kit.opens_for_writing("/proc/sys/user/max_user_namespaces"),
)
