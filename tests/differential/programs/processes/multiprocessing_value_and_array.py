import multiprocessing


def work(value, array):
    value.value += 1
    array[0] = 9.5


if __name__ == "__main__":
    value, array = multiprocessing.Value("i", 41), multiprocessing.Array("d", 2)
    process = multiprocessing.Process(target=work, args=(value, array))
    process.start()
    process.join()
    print(value.value, list(array))
