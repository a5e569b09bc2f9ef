print("after a byte order mark", __file__)
