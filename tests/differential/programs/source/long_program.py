#: append = "counter += 1\n"
#: append_times = 5000
counter = 0
