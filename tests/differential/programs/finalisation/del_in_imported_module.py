#: [files]
#: "holder.py" = '''
#: class Loud:
#:     def __del__(self):
#:         print("del in module")
#: thing = Loud()
#: '''
import holder

print("end")
