#: [files]
#: "helper.py" = '''
#: def fail(value):
#:     raise TypeError(f"bad {value!r}")
#: '''
import helper

helper.fail([1, 2])
