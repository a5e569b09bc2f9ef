# Memory that the kernel holds for us: argv[1] says which kind.
import ctypes, fcntl, os, select, socket, sys
import kit

kind = sys.argv[1]
held, total, stopped = [], 0, "OK"
try:
    while total < 1 << 30:
        if kind == "pipe":
            reading, writing = os.pipe()
            held += [reading, writing]
            try:
                fcntl.fcntl(writing, 1031, 1 << 20)  # F_SETPIPE_SZ
            except OSError:
                pass
            os.set_blocking(writing, False)
            try:
                while True:
                    total += os.write(writing, b"x" * 65536)
            except BlockingIOError:
                pass
        elif kind == "socket":
            one, two = socket.socketpair()
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 << 20)
            one.setblocking(False)
            held += [one, two]
            try:
                while True:
                    total += one.send(b"x" * 65536)
            except BlockingIOError:
                pass
        elif kind == "epoll":
            held.append(select.epoll())
            total += 1
        elif kind == "inotify":
            fd = kit.libc.inotify_init()
            if fd < 0:
                raise OSError(ctypes.get_errno(), "inotify_init")
            total += 1
        elif kind == "shm":
            segment = kit.sys("shmget", 0, 64 << 20, 0o1600)
            if isinstance(segment, str):
                raise OSError(getattr(kit.errno, segment), segment)
            kit.libc.shmat.restype = ctypes.c_void_p
            at = kit.libc.shmat(segment, None, 0)
            ctypes.memset(at, 1, 64 << 20)
            total += 64 << 20
        elif kind == "msg":
            queue = kit.sys("msgget", 0, 0o1600)
            if isinstance(queue, str):
                raise OSError(getattr(kit.errno, queue), queue)
            message = ctypes.create_string_buffer(b"\1" + b"\0" * 7 + b"x" * 8192, 8200)
            while not isinstance(kit.sys("msgsnd", queue, message, 8192, 0o4000), str):
                total += 8192
except OSError as error:
    stopped = kit.errno.errorcode[error.errno]
kit.report(total=total, stopped=stopped)
