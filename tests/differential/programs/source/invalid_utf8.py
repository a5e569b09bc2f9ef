print("ok")
x = "ÿþ"
