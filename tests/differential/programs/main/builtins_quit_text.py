quit("leaving")
