import os
import kit

kinds = dict(char=0o020666, block=0o060666)
kit.report(**{f"{name}_{place.strip('/').replace('/', '_')}": kit.tried(os.mknod, f"{place}/dev0", mode, os.makedev(1, 5))
              for name, mode in kinds.items() for place in ("/tmp", "/dev/shm")},
           char_here=kit.tried(os.mknod, "dev0", 0o020666, os.makedev(1, 5)),
           block_here=kit.tried(os.mknod, "dev1", 0o060666, os.makedev(8, 0)))
