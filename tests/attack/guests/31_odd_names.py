import os
import kit

names = [b"new\nline", b"bad\xff\xfeutf8", b"-rf", b"x" * 255, b"quote\"'$(id)`id`", b"\x1b[31mred",
         "\u202egnp.exe".encode(), b" ", b"...", b"~", b"back\\slash"]
for name in names:
    with open(name, "wb") as file:
        file.write(b"content")
kit.report(
    made=len(names),
    nul=kit.tried(open, "nul\0name", "w"),
    too_long=kit.tried(open, "x" * 256, "w"),
)
