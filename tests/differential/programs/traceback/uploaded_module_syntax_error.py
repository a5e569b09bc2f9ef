#: [files]
#: "broken.py" = "def f(:\n    pass\n"
import broken
