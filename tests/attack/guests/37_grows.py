# A child goes on writing to the file that is being collected.
import os, time

with open("growing", "wb", buffering=0) as file:
    if os.fork() == 0:
        try:
            os.setsid()
        except OSError:
            pass
        while True:
            try:
                file.write(b"x" * 4096)
            except OSError:
                time.sleep(0.01)
    time.sleep(0.05)
