print(__loader__.get_source("__main__").splitlines()[0])
print(__loader__.get_filename("__main__"), __loader__.is_package("__main__"))
