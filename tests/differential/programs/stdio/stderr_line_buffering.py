import sys

print(sys.stderr.line_buffering, sys.stderr.write_through, sys.stdout.line_buffering)
print(sys.stdout.encoding, sys.stderr.encoding, sys.stdin.encoding)
print(sys.stdout.errors, sys.stderr.errors, sys.stdin.errors, sys.stdout.newlines)
