class Node:
    def __init__(self, name):
        self.name = name
        self.me = self

    def __del__(self):
        print("del", self.name)


Node("unreachable cycle")
kept = Node("reachable cycle")
print("end of main")
