import ctypes
import kit

zeros = ctypes.create_string_buffer(256)
kit.report(
    clock_settime=kit.call("clock_settime", 0, zeros),
    settimeofday=kit.call("settimeofday", zeros, None),
    adjtimex=kit.call("adjtimex", zeros),
    clock_adjtime=kit.call("clock_adjtime", 0, zeros),
)
