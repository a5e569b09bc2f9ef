import multiprocessing

if __name__ == "__main__":
    with multiprocessing.Manager() as manager:
        shared = manager.dict(a=1)
        shared["b"] = 2
        print(dict(shared))
