#: [env]
#: HOME = "/workspace"
#: PATH = "/usr/bin"
import os

print(os.path.expanduser("~"), os.environ["PATH"], os.get_exec_path())
