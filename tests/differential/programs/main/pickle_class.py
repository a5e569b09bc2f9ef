import pickle


class Point:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x


data = pickle.dumps(Point(3), protocol=4)
print(data)
print(pickle.loads(data) == Point(3))
