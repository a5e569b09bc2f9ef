import gc

print([sorted(generation) for generation in gc.get_stats()])
