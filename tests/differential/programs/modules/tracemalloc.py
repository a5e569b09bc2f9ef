import tracemalloc

print(tracemalloc.is_tracing())
tracemalloc.start()
x = [0] * 1000
print(tracemalloc.get_traced_memory()[0] > 0)
