#: [env]
#: GREETING = "hällo wörld"
#: EMPTY = ""
#: WITH_EQUALS = "a=b=c"
import os

print(os.environ["GREETING"], repr(os.environ["EMPTY"]), os.environ["WITH_EQUALS"])
print(os.environb[b"GREETING"], os.getenv("MISSING"))
