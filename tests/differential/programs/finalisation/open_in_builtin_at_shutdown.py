class A:
    def __del__(self):
        print(open.__name__, len([1]), repr(A) if A else None)


a = A()
b = a
