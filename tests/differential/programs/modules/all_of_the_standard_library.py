import importlib
import sys

skip = {"antigravity", "this", "idlelib", "lib2to3", "tkinter", "turtle", "turtledemo", "__main__", "test"}
missing = []
import warnings

warnings.simplefilter("ignore")
for name in sorted(sys.stdlib_module_names - skip):
    try:
        importlib.import_module(name)
    except ImportError as error:
        missing.append((name, str(error)))
print(missing)
