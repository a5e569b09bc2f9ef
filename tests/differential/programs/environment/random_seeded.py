import random

random.seed(42)
print(random.random(), random.sample(range(100), 5), random.gauss(0, 1))
