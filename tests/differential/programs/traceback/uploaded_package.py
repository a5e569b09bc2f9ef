#: [files]
#: "pack/__init__.py" = "from .deep.worker import work\n"
#: "pack/deep/__init__.py" = ""
#: "pack/deep/worker.py" = '''
#: def work(depth):
#:     if depth == 0:
#:         raise OverflowError("deep enough")
#:     work(depth - 1)
#: '''
import pack

print(pack.__file__, pack.__path__)
pack.work(2)
