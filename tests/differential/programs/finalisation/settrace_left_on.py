import sys


def trace(frame, event, arg):
    if event == "call" and frame.f_code.co_filename == __file__:
        print("call", frame.f_code.co_name)


class A:
    def __del__(self):
        pass


a = A()
sys.settrace(trace)
