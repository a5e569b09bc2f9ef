import gc

gc.callbacks.append(lambda phase, info: None)
print("end")
