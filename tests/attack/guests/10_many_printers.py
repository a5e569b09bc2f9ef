import os
import kit

running = 0
for i in range(50):
    if os.fork() == 0:
        os.write(1, b"line %d\n" % i)
        os._exit(0)
    running += 1
    if running == 10:
        os.wait()
        running -= 1
while running:
    os.wait()
    running -= 1
kit.report(main="done")
