def main():
    print("run as a program")
    return 3


if __name__ == "__main__":
    raise SystemExit(main())
