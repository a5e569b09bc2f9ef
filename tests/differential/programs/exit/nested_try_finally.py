import sys

try:
    try:
        sys.exit(3)
    finally:
        print("inner finally")
        try:
            raise ValueError
        except ValueError:
            print("handled")
finally:
    print("outer finally")
