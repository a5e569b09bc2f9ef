#: args = ["--count", "3", "name"]
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--count", type=int)
parser.add_argument("who")
print(parser.parse_args())
