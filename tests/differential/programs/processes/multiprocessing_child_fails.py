import multiprocessing


def work():
    raise KeyError("child")


if __name__ == "__main__":
    process = multiprocessing.Process(target=work, name="Worker")
    process.start()
    process.join()
    print(process.exitcode)
