import sys

module = sys.modules.get("sitecustomize")
print(module and module.__file__, module and sorted(vars(module)))
