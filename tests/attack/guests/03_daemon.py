# A daemon by the book: two forks, a session of its own, nothing open.
import os, time
import kit

if os.fork() == 0:
    try:
        os.setsid()
    except OSError:
        pass
    if os.fork() != 0:
        os._exit(0)
    os.closerange(0, 64)
    time.sleep(60)
    os._exit(0)
time.sleep(0.05)
kit.report(main="done")
