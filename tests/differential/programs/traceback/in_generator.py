def numbers():
    yield 1
    raise StopIteration("inside a generator")


for number in numbers():
    print(number)
