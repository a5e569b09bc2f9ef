#: append = " + 1"
#: append_times = 900
print(0) ; x = 1
