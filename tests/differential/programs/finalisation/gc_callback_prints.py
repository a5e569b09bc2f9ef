import gc
import sys

events = []
gc.collect()
gc.callbacks.append(lambda phase, info: sys.stderr.write(f"gc {phase}\n"))
gc.collect()
gc.callbacks.clear()
