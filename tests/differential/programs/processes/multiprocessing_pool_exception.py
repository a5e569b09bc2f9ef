#: mask = ["(?:Traceback|  File .*|    .*|\"\"\")\\n"]
import multiprocessing


def fail(x):
    raise ValueError(f"bad {x}")


if __name__ == "__main__":
    with multiprocessing.Pool(1) as pool:
        try:
            pool.map(fail, [1])
        except ValueError as error:
            print("caught", error)
