import faulthandler

faulthandler.enable()
print("end")
