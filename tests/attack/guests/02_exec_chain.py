# A line of programs, each started by the one before, which waits.
import os, subprocess, sys
import kit

with open("chain.sh", "w") as script:
    script.write('echo $1 >> depths\nif [ $1 -lt 100 ]; then sh chain.sh $(($1 + 1)); fi\nexit 0\n')
subprocess.run(["sh", "chain.sh", "1"], stderr=subprocess.DEVNULL)
with open("depths") as depths:
    kit.report(depth=len(depths.readlines()))
