import mmap
import kit

MAP_LOCKED = 0x2000
kit.report(
    mlockall=kit.call("mlockall", 1),
    map_locked=kit.tried(mmap.mmap, -1, 16 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_LOCKED),
)
