import os
import kit

kit.report(
    mount_tmpfs=kit.call("mount", b"none", b"/tmp", b"tmpfs", 0, None),
    remount=kit.call("mount", b"none", b"/", None, 32 | 4096, None),
    bind=kit.call("mount", b"/proc", b"/tmp", None, 4096, None),
    umount=kit.call("umount2", b"/proc", 2),
    fsopen=kit.call("fsopen", b"tmpfs", 0),
    fsconfig=kit.call("fsconfig", 0, 6, None, None, 0),
    fsmount=kit.call("fsmount", 0, 0, 0),
    fspick=kit.call("fspick", -100, b"/", 0),
    move_mount=kit.call("move_mount", -100, b"/proc", -100, b"/tmp", 0),
    open_tree=kit.call("open_tree", -100, b"/", 1),
    mount_setattr=kit.call("mount_setattr", -100, b"/", 0, None, 0),
    pivot_root=kit.call("pivot_root", b"/", b"/tmp"),
    chroot=kit.tried(os.chroot, "/tmp"),
    listmount=kit.call("listmount", None, None, 0, 0),
    statmount=kit.call("statmount", None, None, 0, 0),
    open_tree_attr=kit.call("open_tree_attr", -100, b"/", 1, None, 0),
)
