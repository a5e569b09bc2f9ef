#: args = ["--count", "three"]
import argparse

parser = argparse.ArgumentParser(description="d")
parser.add_argument("--count", type=int)
parser.parse_args()
