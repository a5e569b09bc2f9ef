# clone3 is not there; threads and children are all the same.
import os, subprocess, threading
import kit

done = []
thread = threading.Thread(target=lambda: done.append("thread"))
thread.start()
thread.join()
child = subprocess.run(["sh", "-c", "echo child"], capture_output=True, text=True).stdout.strip()
kit.report(clone3=kit.call("clone3", None, 0), thread=done[0], child=child)
