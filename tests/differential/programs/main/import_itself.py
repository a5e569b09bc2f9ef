import sys

if __name__ == "__main__":
    import main

    print(main.__name__, main.__file__, main is sys.modules["__main__"])
else:
    print("imported as", __name__)
