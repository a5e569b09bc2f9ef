# Tries to get out of the process group that one signal ends.
import os, time
import kit

before = (os.getpgid(0), os.getsid(0))
child = os.fork()
if child == 0:
    facts = dict(setsid=kit.call("setsid"), setpgid=kit.call("setpgid", 0, 0))
    facts["session_changed"] = os.getsid(0) != before[1]
    facts["group_changed"] = os.getpgid(0) != before[0]
    kit.report(**facts)
    os.close(1)
    os.close(2)
    time.sleep(60)
time.sleep(0.3)
