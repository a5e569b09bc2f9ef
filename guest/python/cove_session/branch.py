"""Forking the session: the new process has all its variables, and nothing else in common with it."""
import os
import sys
import threading


def _lost_threads():
    names = [t.name for t in threading.enumerate() if t is not threading.main_thread()]
    try:
        native = len(os.listdir("/proc/self/task")) - 1 - len(names)
    except OSError:
        native = 0
    if native > 0:
        names.append(f"{native} of a library's own")
    return names


def _wire(fds):
    """Puts the connections of the new process where it expects them."""
    control, output, errors = fds
    os.dup2(output, 1)
    os.dup2(errors, 2)
    os.close(output)
    os.close(errors)
    return control


def fork(channel, fds):
    """True in the new process. The old one has said what the new one lacks."""
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("not on the main thread")
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    lost = _lost_threads()
    # Twice, so that the branch is pid 1's child: a cell that waits for its children must not meet it.
    middle = os.fork()
    if middle == 0:
        try:
            if os.fork() != 0:
                os._exit(0)
        except OSError:
            os._exit(1)
        os.setsid()
        channel.become(_wire(fds))
        return True
    channel.send("forked", threads=lost)  # taking a large middle apart takes time: not Cove's
    for fd in fds:
        os.close(fd)
    try:
        failed = os.waitpid(middle, 0)[1] != 0
    except ChildProcessError:  # a cell has SIGCHLD ignored
        failed = False
    if failed:
        channel.send("refused", reason="no process could be made: see the process limit")
    return False


def _moved(path, previous, directory):
    if path == previous or path.startswith(previous + "/"):
        return directory + path[len(previous) :]
    return path


def settle(directory, cwd, tmp, previous):
    """Goes to the session's directory, with everything that pointed into the previous one."""
    if previous == directory:
        os.makedirs(cwd, exist_ok=True)
        os.chdir(cwd)
    else:
        try:
            here = os.getcwd()
        except OSError:  # removed
            here = previous
        try:
            os.chdir(_moved(here, previous, directory))
        except OSError:
            os.chdir(directory)
    sys.path[:] = [_moved(entry, previous, directory) for entry in sys.path]
    for name in ("PYTHONPATH", "PWD", "OLDPWD"):
        if name in os.environ:
            parts = os.environ[name].split(":")
            os.environ[name] = ":".join(_moved(part, previous, directory) for part in parts)
    if tmp != "/tmp":
        os.environ["TMPDIR"] = tmp
        tempfile = sys.modules.get("tempfile")
        if tempfile is not None:
            tempfile.tempdir = None
