#: stdin = "q\n"
breakpoint()
print("not reached")
