# 32-bit calls (int 0x80) and x32 calls, as machine code: argv[1] says which.
import ctypes, mmap, sys

CODE = {
    "int80": b"\xb8\x14\x00\x00\x00\xcd\x80\xc3",            # mov eax, 20 (getpid); int 0x80; ret
    "x32": b"\xb8\x27\x00\x00\x40\x0f\x05\xc3",              # mov eax, 0x40000000 + 39 (getpid); syscall; ret
    "x32_ioctl": b"\xb8\x02\x02\x00\x40\x0f\x05\xc3",        # x32 has numbers of its own from 512 on
}[sys.argv[1]]
page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(CODE)
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
print("calling", flush=True)
print("result", ctypes.CFUNCTYPE(ctypes.c_long)(address)(), flush=True)
