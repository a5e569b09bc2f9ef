def f(n):
    if n == 0:
        raise ValueError("bottom")
    f(n - 1)


f(20)
