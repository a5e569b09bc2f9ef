import os
import kit

total = 0
try:
    for place in (".", os.environ.get("TMPDIR", "/tmp")):
        with open(place + "/fill", "wb", buffering=0) as file:
            while total < 64 << 20:
                total += file.write(b"x" * (1 << 18))
except OSError as error:
    kit.report(total=total, stopped=kit.errno.errorcode[error.errno])
