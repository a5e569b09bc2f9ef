from multiprocessing import shared_memory

memory = shared_memory.SharedMemory(create=True, size=16)
memory.buf[:5] = b"hello"
other = shared_memory.SharedMemory(memory.name)
print(bytes(other.buf[:5]))
other.close()
memory.close()
memory.unlink()
