f = open("/workspace/text.txt", "w")
f.write("never closed, never flushed")
