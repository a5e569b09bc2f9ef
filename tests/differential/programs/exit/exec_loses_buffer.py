import os

print("lost")
os.execv("/bin/sh", ["sh", "-c", "echo shell; exit 12"])
