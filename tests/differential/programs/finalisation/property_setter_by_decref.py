class Chain:
    def __init__(self, next):
        self.next = next

    def __del__(self):
        if self.next is None:
            print("end of the chain")


head = None
for _ in range(50):
    head = Chain(head)
