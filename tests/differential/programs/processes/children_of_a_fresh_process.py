import os

try:
    os.wait()
except ChildProcessError as error:
    print(error)
