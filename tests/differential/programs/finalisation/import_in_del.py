class A:
    def __del__(self):
        try:
            import colorsys

            print(colorsys.__name__)
        except ImportError as error:
            print("ImportError", error)


a = A()
