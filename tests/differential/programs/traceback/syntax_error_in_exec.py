exec("a b c")
