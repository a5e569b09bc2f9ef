import os

import kit

home = os.path.dirname(os.path.abspath(__file__))


def create():
    with open(f"{home}/planted.py", "w"):
        pass


def change():
    with open(__file__, "a"):
        pass


kit.report(create=kit.tried(create), change=kit.tried(change))
