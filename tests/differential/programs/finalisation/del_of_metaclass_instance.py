class Meta(type):
    def __del__(cls):
        print("class goes", cls.__name__)


class A(metaclass=Meta):
    pass


print("end")
