class Stop(SystemExit):
    pass


raise Stop(4)
