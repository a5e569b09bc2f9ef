import os
import kit

with open("new", "wb") as file:
    written = file.write(b"x" * (6 << 20))
kit.report(written=written, found=sorted(os.listdir(".")) + sorted(os.listdir("/tmp" if os.getcwd() == "/workspace" else ".")))
