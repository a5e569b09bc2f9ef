# inotify tells the names of what happens in a directory.
import ctypes, sys
import kit

fd = kit.libc.inotify_init()
ctypes.set_errno(0)
watch = kit.libc.inotify_add_watch(fd, sys.argv[1].encode(), 0xFFF)
kit.report(watch="OK" if watch >= 0 else kit.errno.errorcode[ctypes.get_errno()])
