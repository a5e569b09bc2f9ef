#: [env]
#: TOKEN = "value"
import ctypes
import os
import subprocess

print(subprocess.check_output(["printenv", "TOKEN"]))
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
print(getenv(b"TOKEN"), getenv(b"PATH"), getenv(b"NOPE"))
os.environ["LATER"] = "1"
print(getenv(b"LATER"))
