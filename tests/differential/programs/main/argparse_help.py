#: args = ["--help"]
import argparse

argparse.ArgumentParser(description="what it does").parse_args()
