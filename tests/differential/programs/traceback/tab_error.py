if True:
        print("spaces")
	print("tab")
