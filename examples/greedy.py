"""Takes memory until there is no more: cove run examples/greedy.py --memory 64m"""
print("so far so good", flush=True)
blocks = []
while True:
    blocks.append(bytearray(b"x") * (8 << 20))
