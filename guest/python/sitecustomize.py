"""Turns a starting interpreter into a zygote, and its children into ordinary program runs.

The `site` module imports this before the program is looked at. A zygote stays in here for good. In
a guest that it forked this returns when the job has come, and CPython goes on to run /code/main.py
by itself: no frame, no module and no variable of ours is left for the program to see.
"""


def _zygote():
    import sys

    import os

    # Only what the program would see after a plain start may stay.
    own = __file__.rpartition("/")[0]
    native = os.environ.pop("COVE_NATIVE", None)
    if native is None:  # a second interpreter in a guest: only the host's own customisation
        sys.path.remove(own)
        del sys.modules["sitecustomize"]
        try:
            import sitecustomize
        except ImportError:
            pass
        return sys.modules.get("sitecustomize")
    before = set(sys.modules)
    sys.path[:] = [native] + [entry for entry in sys.path if entry != own]
    import _cove_guest as guest
    import gc

    sys.path.remove(native)
    for entry in (own, native):
        sys.path_importer_cache.pop(entry, None)
    preload = [name for name in os.environ.pop("COVE_PRELOAD", "").split(",") if name]
    search = [entry for entry in os.environ.pop("PYTHONPATH", "").split(":") if entry != own]
    if search:
        os.environ["PYTHONPATH"] = ":".join(search)
    import atexit
    import _weakref

    ours = {"_cove_guest", "gc", "atexit", "_weakref"} - before
    # The host's own customisation, as a plain start would import it.
    del sys.modules["sitecustomize"]
    try:
        import sitecustomize
    except ImportError:
        pass
    customised = sys.modules.get("sitecustomize")
    for name in preload:
        __import__(name)
    def leave():
        # The last thing before the interpreter takes itself apart; see fast_exit.h.
        if sys._getframe().f_back is not None:
            return  # a program that calls atexit._run_exitfuncs goes on
        if can_leave():
            try:
                stdout.flush()
                stderr.flush()
            except BaseException:
                pass  # said by the interpreter itself, in its own words
            else:
                if rehearsal:
                    guest.record()
                guest.leave()
        # What was there before the program, such as the dictionary of __main__, takes part again:
        # a cycle through it is collected, and its objects finalised, as after a plain start.
        gc.unfreeze()

    def can_leave():
        if guest.exit_seen() or hasattr(sys, "last_type") or hasattr(sys, "last_exc"):
            return False
        if sys.stdout is not stdout or sys.stderr is not stderr or threads():
            return False
        for name, module in sys.modules.items():
            if name not in started and getattr(module, "__file__", "").endswith(".so"):
                if name not in harmless:
                    return False
        return guest.quiet(gc.get_objects())

    def warm_up():
        # The paths that every small program takes, so that their pages are ours already.
        space = {"__name__": "warm", "__builtins__": __builtins__}
        source = (
            "import sys\n"
            "def f(n):\n    return sum(i * i for i in range(n))\n"
            "class A:\n    def __init__(self): self.x = [1, 'a', 2.5]\n"
            "    def __repr__(self): return f'{self.x!r:>4}'\n"
            "try:\n    raise ValueError('x')\n"
            "except ValueError as error:\n    text = '%s %s %d' % (error, A(), f(9))\n"
            "b = text.encode().decode().split()\n"
        )
        exec(compile(source, "<warm>", "exec"), space)
        space.clear()

    def reseed():
        # Two guests of one zygote must not draw the same numbers.
        random = sys.modules.get("random")
        if random is not None:
            random.seed()
        numpy = sys.modules.get("numpy.random")
        if numpy is not None:
            numpy.seed()
        tempfile = sys.modules.get("tempfile")
        if tempfile is not None:
            tempfile._name_sequence = None

    warm_up()
    stdout, stderr = sys.stdout, sys.stderr
    threads = sys.modules["_thread"]._count
    started = frozenset(sys.modules)
    harmless = frozenset(("_json", "_decimal", "_bisect", "_heapq", "_datetime", "_contextvars"))
    # CPython asks first whether the program is a directory or an archive. It will not be.
    sys.path_importer_cache[sys.argv[0]] = None
    armed = guest.arm(_weakref.ref)
    atexit.register(guest.at_exit, leave if armed else gc.unfreeze, gc.unfreeze)
    rehearsal = []
    for name in ours:
        del sys.modules[name]
    guest.start()
    gc.collect()
    gc.freeze()
    # One child runs Cove's own sample at /code to the end, to learn which pages that takes.
    child = os.fork()
    if child == 0:
        rehearsal.append(True)
        null = os.open("/dev/null", os.O_RDWR)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.close(null)
        reseed()
        return customised
    os.waitpid(child, 0)
    guest.serve()
    while guest.await_command():
        if not guest.fork(os.fork):
            continue
        guest.lock_down()
        reseed()
        guest.ready()
        job = guest.take_job()
        if job is None:
            os._exit(0)
        args = [os.fsdecode(item) for item in job[0]]
        sys.argv.extend(args)
        if hasattr(sys, "orig_argv"):
            sys.orig_argv.extend(args)
        for item in job[1]:
            name, _, value = os.fsdecode(item).partition("=")
            os.environ[name] = value
        return customised
    os._exit(0)


if _zygote() is None:
    # No customisation on this host: `site` is content with that, and forgets this module.
    raise ImportError("no sitecustomize", name="sitecustomize")
