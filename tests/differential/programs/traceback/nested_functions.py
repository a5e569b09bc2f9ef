def outer(n):
    def inner(m):
        return [10 // (x - 2) for x in range(m)]

    return inner(n)


outer(5)
