#: [files]
#: "mymod.py" = "import sys\nprint(__name__, __file__, __cached__)\n"
import os

import mymod

print(os.getcwd(), sorted(os.listdir(".")))
