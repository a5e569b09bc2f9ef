import os
import shutil

print(shutil.get_terminal_size())
os.get_terminal_size()
