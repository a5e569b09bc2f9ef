// What a compiler may call on its own, for code that is linked without a C library.
#include <stddef.h>

extern "C" {

void* memcpy(void* to, const void* from, size_t size) {
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  for (size_t i = 0; i < size; ++i) out[i] = in[i];
  return to;
}

void* memset(void* to, int value, size_t size) {
  auto* out = static_cast<char*>(to);
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<char>(value);
  return to;
}

}  // extern "C"
