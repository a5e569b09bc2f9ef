class Writer:
    def __del__(self):
        with open("/workspace/from_del.txt", "w") as f:
            f.write("written at exit\n")


x = Writer()
