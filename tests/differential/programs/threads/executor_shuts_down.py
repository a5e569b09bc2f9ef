from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(2)
print(sorted(pool.map(lambda x: x * x, range(5))))
pool.submit(print, "submitted last")
