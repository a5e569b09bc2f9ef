import os
import kit

root = os.open("/", os.O_RDONLY | os.O_DIRECTORY) if kit.tried(os.listdir, "/") == "OK" else None
facts = dict(
    through_root=kit.opens_for_writing("/proc/self/root/etc/passwd"),
    make_in_root=kit.opens_for_writing("/proc/self/root/etc/new", os.O_CREAT),
    above_cwd=kit.opens_for_writing("/proc/self/cwd/../../../../../../etc/new", os.O_CREAT),
    program=kit.opens_for_writing(os.path.abspath(kit.__file__ + "/../../code/main.py")),
    new_code=kit.opens_for_writing(os.path.abspath(kit.__file__ + "/../../code/new.py"), os.O_CREAT),
    own_exe=kit.opens_for_writing("/proc/self/exe"),
    init_exe=kit.opens_for_writing("/proc/1/exe"),
    parent_exe=kit.opens_for_writing(f"/proc/{os.getppid()}/exe"),
    init_root=kit.tried(os.listdir, "/proc/1/root/"),
    init_cwd=kit.tried(os.listdir, "/proc/1/cwd/"),
    init_fds=kit.tried(os.listdir, "/proc/1/fd"),
    parent_fds=kit.tried(os.listdir, f"/proc/{os.getppid()}/fd"),
    interpreter=kit.opens_for_writing(os.path.realpath("/usr/bin/python3")),
    chmod_interpreter=kit.tried(os.chmod, os.path.realpath("/usr/bin/python3"), 0o777),
    chmod_root=kit.tried(os.chmod, "/etc/passwd", 0o666),
    rename_root=kit.tried(os.rename, "/etc/passwd", "/etc/other"),
    unlink_root=kit.tried(os.unlink, "/etc/passwd"),
    mkdir_root=kit.tried(os.mkdir, "/new"),
)
kit.report(**facts)
