import os

value = "still here"


class Loud:
    def __del__(self):
        print(value, os.getcwd() if os else None)


x = Loud()
