import sys

for name, module in sorted(sys.modules.items()):
    spec = getattr(module, "__spec__", None)
    print(name, getattr(module, "__file__", None), spec and spec.origin, spec and spec.cached)
