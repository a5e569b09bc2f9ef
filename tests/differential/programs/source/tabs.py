if True:
	print("tab")
	if True:
		print("two")
