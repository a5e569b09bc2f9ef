print("\udcff")
