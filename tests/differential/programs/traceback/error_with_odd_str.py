class Odd(Exception):
    def __str__(self):
        raise RuntimeError("no text")


raise Odd()
