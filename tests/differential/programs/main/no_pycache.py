#: [files]
#: "a.py" = "x = 1\n"
import os

import a

print(sorted(os.listdir("/workspace")), os.listdir("/code"))
