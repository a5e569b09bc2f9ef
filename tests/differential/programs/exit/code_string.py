import sys

sys.exit("goodbye, wörld")
