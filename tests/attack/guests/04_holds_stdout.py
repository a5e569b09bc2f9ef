# The parent ends; a child keeps both streams and writes now and then.
import os, time
import kit

if os.fork() == 0:
    while True:
        os.write(2, b".")
        time.sleep(0.02)
kit.report(main="done")
