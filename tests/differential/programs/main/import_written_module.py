open("fresh.py", "w").write("answer = 42\n")
import fresh

print(fresh.answer)
