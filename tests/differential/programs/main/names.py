print(__name__, __file__, __doc__, __package__, __spec__, __builtins__)
print(__loader__.__class__, __loader__.name, __loader__.path)
print(__annotations__)
