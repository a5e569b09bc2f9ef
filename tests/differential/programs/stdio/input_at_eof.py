input("prompt> ")
