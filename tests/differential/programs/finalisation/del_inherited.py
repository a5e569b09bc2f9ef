class Base:
    def __del__(self):
        print("del of", type(self).__name__)


class Derived(Base):
    pass


x = Derived()
