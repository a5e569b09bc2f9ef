import resource
import kit

NAMES = ("CORE", "NOFILE", "MEMLOCK", "MSGQUEUE", "RTPRIO", "NICE", "SIGPENDING", "FSIZE", "NPROC")
kit.report(**{name: resource.getrlimit(getattr(resource, "RLIMIT_" + name)) for name in NAMES})
