class Stop(BaseException):
    pass


raise Stop("not an Exception")
