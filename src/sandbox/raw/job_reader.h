#pragma once
// Reads the body of a job: two lists of length-prefixed strings, as encode_job() writes them. Used
// by the helper and inside interpreters, so it needs no C library. The job comes from the trusted
// parent, but a reader of lengths checks them all the same.
#include <stdint.h>

namespace cove::sandbox {

struct JobReader {
  const char* at;
  const char* end;
  bool ok = true;

  uint32_t number() {
    if (!ok || end - at < 4) {
      ok = false;
      return 0;
    }
    uint32_t value = 0;
    __builtin_memcpy(&value, at, 4);
    at += 4;
    return value;
  }

  // The next string, in place and not terminated; null when the job is malformed.
  const char* piece(uint32_t& size) {
    size = number();
    if (!ok || end - at < static_cast<long>(size)) {
      ok = false;
      return nullptr;
    }
    const char* start = at;
    at += size;
    return start;
  }

  // Copies the next string, terminated, to `into` and moves that on. What is written is never more
  // than what was read: a terminator takes less room than a length.
  const char* text(char*& into) {
    uint32_t size = 0;
    const char* bytes = piece(size);
    if (bytes == nullptr) return nullptr;
    char* start = into;
    __builtin_memcpy(start, bytes, size);
    start[size] = '\0';
    into += size + 1;
    return start;
  }
};

}  // namespace cove::sandbox
