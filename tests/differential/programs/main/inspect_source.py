import inspect


class A:
    def method(self):
        return 1  # a comment


def f(a, *, b: int = 2):
    return a + b


print(inspect.getsource(A))
print(inspect.getsource(f), inspect.getsourcefile(f), inspect.getfile(A), inspect.signature(f))
print(inspect.getmodule(f).__name__)
