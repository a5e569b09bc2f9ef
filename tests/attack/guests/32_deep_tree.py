import os
import kit

depth, stopped = 0, "OK"
while depth < 10_000 and stopped == "OK":
    stopped = kit.tried(os.mkdir, "d" * 100)
    if stopped == "OK":
        os.chdir("d" * 100)
        depth += 1
if stopped == "OK":
    with open("bottom", "w") as file:
        file.write("here")
kit.report(depth=depth, stopped=stopped)
