import multiprocessing


def work(x):
    return x * 2


if __name__ == "__main__":
    with multiprocessing.get_context("forkserver").Pool(1) as pool:
        print(pool.map(work, [1, 2, 3]))
