class Phoenix:
    count = 0

    def __del__(self):
        Phoenix.count += 1
        print("del", Phoenix.count)
        global again
        again = self


x = Phoenix()
del x
print("resurrected", again is not None)
