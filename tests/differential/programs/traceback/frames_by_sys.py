import sys
import traceback


def f():
    frame = sys._getframe()
    while frame:
        print(frame.f_code.co_name, frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back


f()
print([f.name for f in traceback.extract_stack()])
