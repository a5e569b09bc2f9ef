# A harnessed program provides run(input): cove run examples/harness.py --input '{"words": ["a", "b"]}'
def run(input):
    print("anything printed stays ordinary output")
    return {"count": len(input["words"]), "joined": " ".join(input["words"])}
