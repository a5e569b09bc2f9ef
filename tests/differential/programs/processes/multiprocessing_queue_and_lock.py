import multiprocessing


def work(queue, lock, i):
    with lock:
        queue.put(i)


if __name__ == "__main__":
    queue, lock = multiprocessing.Queue(), multiprocessing.Lock()
    processes = [multiprocessing.Process(target=work, args=(queue, lock, i)) for i in range(3)]
    for process in processes:
        process.start()
    print(sorted(queue.get() for _ in processes))
    for process in processes:
        process.join()
