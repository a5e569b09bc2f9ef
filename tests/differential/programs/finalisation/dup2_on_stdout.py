import os

print("to the file at exit, not to the pipe")
fd = os.open("/workspace/out.txt", os.O_WRONLY | os.O_CREAT)
os.dup2(fd, 1)
