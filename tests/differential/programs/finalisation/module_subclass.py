import sys
import types


class Module(types.ModuleType):
    def __del__(self):
        print("module goes")


sys.modules["special"] = Module("special")
