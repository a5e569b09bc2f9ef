import os
import kit

depth, stopped = 0, "OK"
while depth < 4_000 and stopped == "OK":
    name = "d" if depth < 100 else "d" * 100  # first too deep, then too long
    stopped = kit.tried(os.mkdir, name)
    if stopped == "OK":
        os.chdir(name)
        depth += 1
    if depth == 80:
        with open("halfway", "w") as file:
            file.write("here")
if stopped == "OK":
    with open("bottom", "w") as file:
        file.write("here")
kit.report(depth=depth, stopped=stopped)
