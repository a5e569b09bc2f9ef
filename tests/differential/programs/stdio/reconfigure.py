import sys

sys.stdout.reconfigure(line_buffering=True, encoding="latin-1", errors="replace")
print("é €")
sys.stdout.reconfigure(newline="\r\n")
print("line")
