#: stdin = "print(40 + 2)\nraise ValueError('x')\n"
import code

code.interact(banner="hello", local={}, exitmsg="bye")
