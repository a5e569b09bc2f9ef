import threading


class Loud:
    def __del__(self):
        print("local value deleted")


local = threading.local()


def work():
    local.x = Loud()


thread = threading.Thread(target=work)
thread.start()
thread.join()
print("joined")
