def parse(text):
    try:
        return int(text)
    except ValueError as error:
        raise RuntimeError("cannot parse") from error


parse("abc")
