import contextlib
import io
import sys

with contextlib.redirect_stdout(io.StringIO()) as text, contextlib.redirect_stderr(sys.stdout):
    print("captured")
    print("also", file=sys.stderr)
print(repr(text.getvalue()))
