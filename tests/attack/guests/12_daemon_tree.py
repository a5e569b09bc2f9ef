# Daemons by the book, deaf to every signal that can be ignored, each under the name in argv[1].
import ctypes, os, signal, sys, time
import kit

PR_SET_NAME, DAEMONS = 15, 6
kit.libc.prctl(PR_SET_NAME, ctypes.c_char_p(sys.argv[1].encode()), 0, 0, 0)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.SIG_IGN)
reading, writing = os.pipe()
for _ in range(DAEMONS):
    if os.fork() == 0:
        kit.tried(os.setsid)
        if os.fork() == 0:
            os.write(writing, b".")
            time.sleep(60)
        os._exit(0)
    os.wait()
planted = 0
while planted < DAEMONS:
    planted += len(os.read(reading, DAEMONS))
print("planted", planted, flush=True)
time.sleep(60)
