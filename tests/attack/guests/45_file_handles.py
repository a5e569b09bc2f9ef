import ctypes
import kit

handle = ctypes.create_string_buffer(136)
ctypes.c_int.from_buffer(handle).value = 128
mount = ctypes.c_int()
kit.report(
    name_to_handle=kit.call("name_to_handle_at", -100, b"/", handle, ctypes.byref(mount), 0),
    open_by_handle=kit.call("open_by_handle_at", -100, handle, 0),
)
