import os, time
import kit

time.sleep(0.3)
stopped = "OK"
for _ in range(8):
    try:
        if os.fork() == 0:
            time.sleep(0.1)
            os._exit(0)
    except OSError as error:
        stopped = kit.errno.errorcode[error.errno]
kit.report(stopped=stopped)
