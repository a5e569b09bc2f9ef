# Two guests lock one file of the runtime: argv[1] is "hold" or "try".
import fcntl, os, sys, time
import kit

fd = os.open(os.__file__, os.O_RDONLY)
if sys.argv[1] == "hold":
    held = kit.tried(fcntl.flock, fd, fcntl.LOCK_EX)
    time.sleep(1)
    kit.report(held=held)
else:
    kit.report(tried=kit.tried(fcntl.flock, fd, fcntl.LOCK_EX | fcntl.LOCK_NB))
