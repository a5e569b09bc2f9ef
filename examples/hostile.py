"""What hostile code would try first. Each attempt says how it ended; none should succeed."""
import ctypes
import os
import socket

libc = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def read_secrets():
    with open("/etc/shadow", encoding="utf-8") as shadow:
        shadow.read()


def change_the_system():
    with open("/usr/bin/python3", "ab") as interpreter:
        interpreter.write(b"\0")


def call_home():
    socket.create_connection(("192.0.2.1", 443), timeout=2)


def see_other_processes():
    others = [name for name in os.listdir("/proc") if name.isdigit() and len(name) > 4]
    if not others:
        raise PermissionError("only processes of this sandbox are visible")


def become_root():
    os.setuid(0)


def mount_something():
    call("mount", b"none", b"/tmp", b"tmpfs", 0, None)


def make_a_user_namespace():
    call("unshare", 0x10000000)


def trace_pid_1():
    call("ptrace", 16, 1, 0, 0)


worked = 0
for attempt in (read_secrets, change_the_system, call_home, see_other_processes, become_root,
                mount_something, make_a_user_namespace, trace_pid_1):
    try:
        attempt()
    except OSError as problem:
        print(f"  blocked  {attempt.__name__.replace('_', ' '):24} {problem}")
    else:
        worked += 1
        print(f"  WORKED   {attempt.__name__.replace('_', ' ')}")
raise SystemExit(1 if worked else 0)
