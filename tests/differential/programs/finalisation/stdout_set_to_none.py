import sys

print("visible")
sys.stdout = None
print("nowhere")
