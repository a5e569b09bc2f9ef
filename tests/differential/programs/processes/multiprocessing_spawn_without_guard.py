import multiprocessing

print("module runs in", __name__, flush=True)
if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    process = multiprocessing.Process(target=print, args=("spawned",))
    process.start()
    process.join()
