import gc
import sys

names = {getattr(o, "__name__", "") for o in gc.get_objects() if isinstance(o, type(sys))}
print(sorted(n for n in names if "cove" in n or "zygote" in n or "warm" in n))
functions = [o for o in gc.get_objects() if type(o).__name__ == "function"]
print(sorted({f.__code__.co_filename for f in functions if "cove" in f.__code__.co_filename}))
print([key for key in __builtins__.__dict__ if "cove" in key.lower()])
