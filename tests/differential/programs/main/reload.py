#: [files]
#: "config.py" = "value = 1\n"
import importlib

import config

print(config.value)
open("/workspace/config.py", "w").write("value = 22222\n")
importlib.invalidate_caches()
print(importlib.reload(config).value)
