# Everything that can carry a signal to pid 1, and to the parent.
import ctypes, os, signal
import kit

signal.signal(signal.SIGTERM, signal.SIG_IGN)
info = ctypes.create_string_buffer(128)
ctypes.c_int.from_buffer(info, 0).value = signal.SIGKILL
ctypes.c_int.from_buffer(info, 8).value = -1  # SI_QUEUE
pidfd = kit.sys("pidfd_open", 1, 0)
parent = os.getppid()
facts = dict(
    kill_init=kit.tried(os.kill, 1, signal.SIGKILL),
    kill_parent=kit.tried(os.kill, parent, signal.SIGKILL),
    kill_parent_stop=kit.tried(os.kill, parent, signal.SIGSTOP),
    tgkill_init=kit.call("tgkill", 1, 1, signal.SIGKILL),
    tkill_init=kit.call("tkill", 1, signal.SIGKILL),
    queue_init=kit.call("rt_sigqueueinfo", 1, signal.SIGKILL, info),
    queue_thread=kit.call("rt_tgsigqueueinfo", 1, 1, signal.SIGKILL, info),
    pidfd_init=pidfd if isinstance(pidfd, str) else kit.call("pidfd_send_signal", pidfd, signal.SIGKILL, None, 0),
    kill_all=kit.tried(os.kill, -1, signal.SIGTERM),
    kill_group=kit.tried(os.kill, 0, signal.SIGTERM),
)
kit.report(**facts)
