import sys


def profile(frame, event, arg):
    if event == "call":
        names.append(frame.f_code.co_name)


names = []


class A:
    def __del__(self):
        print("calls:", names)


a = A()
sys.setprofile(profile)
