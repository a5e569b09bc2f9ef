import pickle


def f():
    return 7


print(pickle.loads(pickle.dumps(f))())
try:
    pickle.dumps(lambda: 0)
except pickle.PicklingError as error:
    print(str(error).split(" at 0x")[0])
