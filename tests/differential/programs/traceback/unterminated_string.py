text = "no end
