import traceback

try:
    open("/no/such/file")
except OSError:
    traceback.print_exc()
traceback.print_stack()
print(traceback.format_stack())
