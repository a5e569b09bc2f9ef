class A:
    @property
    def p(self):
        return self.q

    def __repr__(self):
        return f"<A {self.p}>"


print([A()])
