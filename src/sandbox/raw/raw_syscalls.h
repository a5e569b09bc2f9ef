#pragma once
// System calls without a C library: this code runs between clone and exec, in the freestanding
// helper, and inside foreign interpreters of any libc. Every function returns -errno on failure.
#include <stdint.h>
#include <sys/syscall.h>

namespace cove::sandbox::raw {

inline long call6(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "memory");
  return x0;
#else
#error "no system call convention for this processor"
#endif
}

template <class T>
inline long arg(T value) {
  return (long)value;  // NOLINT: pointers and integers alike become registers
}
inline long arg(decltype(nullptr)) {
  return 0;
}

template <class A = long, class B = long, class C = long, class D = long, class E = long,
          class F = long>
inline long call(long number, A a = 0, B b = 0, C c = 0, D d = 0, E e = 0, F f = 0) {
  return call6(number, arg(a), arg(b), arg(c), arg(d), arg(e), arg(f));
}

[[noreturn]] inline void exit_now(int code) {
  for (;;) call(SYS_exit_group, code);
}

inline long length(const char* text) {
  long n = 0;
  while (text[n] != '\0') ++n;
  return n;
}

inline long read_all(int fd, void* into, long size) {
  long done = 0;
  while (done < size) {
    const long n = call(SYS_read, fd, static_cast<char*>(into) + done, size - done);
    if (n == -4) continue;  // EINTR
    if (n < 0) return n;
    if (n == 0) break;
    done += n;
  }
  return done;
}

inline long write_all(int fd, const void* from, long size) {
  long done = 0;
  while (done < size) {
    const long n = call(SYS_write, fd, static_cast<const char*>(from) + done, size - done);
    if (n == -4) continue;
    if (n < 0) return n;
    done += n;
  }
  return done;
}

}  // namespace cove::sandbox::raw
