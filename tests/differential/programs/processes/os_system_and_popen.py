import os

print(os.waitstatus_to_exitcode(os.system("exit 4")), os.popen("echo hi").read())
