#: [files]
#: "failing.py" = "print('importing')\nraise ImportError('not today')\n"
import failing
