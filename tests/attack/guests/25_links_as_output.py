# Output that is a link to somewhere else. (Also cases 28, 29, 30: what is not a file.)
import os, socket
import kit

os.symlink("/etc/passwd", "passwd")
os.symlink("/proc/self/environ", "environ")
os.symlink("/dev/urandom", "urandom")
os.symlink("/etc", "directory")
os.symlink("../code/main.py", "relative")
os.symlink("passwd", "twice")
os.mkfifo("fifo")
listener = socket.socketpair()  # a socket without a name, where bind is not allowed
facts = dict(
    unix_socket=kit.tried(lambda: socket.socket(socket.AF_UNIX).bind("socket")),
    character_device=kit.tried(os.mknod, "device", 0o020666, os.makedev(1, 9)),
    block_device=kit.tried(os.mknod, "disk", 0o060666, os.makedev(8, 0)),
    hard_link_passwd=kit.tried(os.link, "/etc/passwd", "hard_passwd"),
    hard_link_program=kit.tried(os.link, kit.__file__.replace("kit.py", "../code/main.py"), "hard_program"),
)
with open("one_name", "w") as file:
    file.write("a file with two names")
os.link("one_name", "two_names")
with open("honest", "w") as file:
    file.write("honest")
kit.report(**facts)
