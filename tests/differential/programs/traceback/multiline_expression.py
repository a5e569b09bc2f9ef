def f(a, b, c):
    return a / b / c


result = f(
    1,
    0,
    c=[
        3
    ],
)
