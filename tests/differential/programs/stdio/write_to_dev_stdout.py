with open("/dev/stdout", "w") as f:
    f.write("through the path\n")
with open("/proc/self/fd/2", "w") as f:
    f.write("error through the path\n")
