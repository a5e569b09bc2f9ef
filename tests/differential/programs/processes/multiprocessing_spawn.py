import multiprocessing


class Thing:
    def __init__(self, x):
        self.x = x


def work(thing, queue):
    queue.put((thing.x + 1, __name__, type(thing).__module__))


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=work, args=(Thing(1), queue))
    process.start()
    print(queue.get())
    process.join()
    print(process.exitcode)
