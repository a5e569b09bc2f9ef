import threading

threads = [threading.Thread(target=lambda: None) for _ in range(2)]
print([t.name for t in threads], threading.main_thread().ident == threading.get_ident())
print(threading.main_thread().native_id == threading.get_native_id())
