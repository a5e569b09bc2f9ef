import faulthandler

faulthandler.dump_traceback_later(30)
print("cancelled by exit")
