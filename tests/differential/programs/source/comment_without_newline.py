print("x")
# end