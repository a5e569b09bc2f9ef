import json
import re

print(json.dumps({"b": [1, None, 2.5], "a": "é"}, sort_keys=True))
print(re.sub(r"(\w+)@(\w+)", r"\2 at \1", "user@host"))
json.loads("{bad}")
