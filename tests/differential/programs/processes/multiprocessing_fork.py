import multiprocessing


def work(x):
    print("working on", x, flush=True)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    process = context.Process(target=work, args=(5,))
    process.start()
    process.join()
    print(process.exitcode)
