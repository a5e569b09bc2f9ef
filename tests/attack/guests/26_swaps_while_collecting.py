# A child swaps files and directories for links as fast as it can while the parent ends. (Also 27.)
import os, time

for name in ("a", "b"):
    os.mkdir(name)
    for i in range(50):
        with open(f"{name}/passwd{i}", "w") as file:
            file.write("mine")
    with open(f"{name}/passwd", "w") as file:
        file.write("mine")
os.symlink("/etc", "etc")
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        while True:
            for old, new in (("a", "hold"), ("etc", "a"), ("a", "etc"), ("hold", "a")):
                try:
                    os.rename(old, new)
                except OSError:
                    pass
time.sleep(0.1)
