import __main__


def show():
    return 5


print(__main__.show is show)
__main__.__dict__["injected"] = 6
print(injected)
