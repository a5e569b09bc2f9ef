#include "touch_pages.h"

#include <stdint.h>

#include "sandbox/raw/raw_syscalls.h"

namespace cove::sandbox {
namespace {

using raw::call;

constexpr uint64_t kPage = 4096;
constexpr uint64_t kPresent = uint64_t{1} << 63;
constexpr long kMapsSize = 64 << 10;
constexpr int kBatch = 64;

uint64_t parse_hex(const char*& at) {
  uint64_t value = 0;
  for (;; ++at) {
    const char c = *at;
    if (c >= '0' && c <= '9') {
      value = value * 16 + static_cast<uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value * 16 + static_cast<uint64_t>(c - 'a' + 10);
    } else {
      return value;
    }
  }
}

// Only pages that are there: touching the others would make the guest larger than its zygote.
void touch_range(int pagemap, uint64_t from, uint64_t to) {
  uint64_t entries[kBatch];
  for (uint64_t at = from; at < to; at += kBatch * kPage) {
    const uint64_t pages = (to - at) / kPage < kBatch ? (to - at) / kPage : kBatch;
    const long got = call(SYS_pread64, pagemap, entries, pages * 8, at / kPage * 8);
    if (got < static_cast<long>(pages * 8)) return;
    for (uint64_t i = 0; i < pages; ++i) {
      if ((entries[i] & kPresent) == 0) continue;
      auto* byte = reinterpret_cast<volatile char*>(at + i * kPage);
      *byte = *byte;
    }
  }
}

}  // namespace

void touch_pages() {
  static char maps[kMapsSize];
  const long file = call(SYS_openat, -100, "/proc/self/maps", 02000000, 0);
  const long pagemap = call(SYS_openat, -100, "/proc/self/pagemap", 02000000, 0);
  if (file >= 0 && pagemap >= 0) {
    const long size = raw::read_all(static_cast<int>(file), maps, kMapsSize - 1);
    maps[size > 0 ? size : 0] = '\0';
    // "from-to rw-p offset …": only private writable mappings are copied on write.
    for (const char* at = maps; *at != '\0';) {
      const uint64_t from = parse_hex(at);
      if (*at++ != '-') break;
      const uint64_t to = parse_hex(at);
      if (at[0] == ' ' && at[2] == 'w' && at[4] == 'p') touch_range(static_cast<int>(pagemap), from, to);
      while (*at != '\0' && *at != '\n') ++at;
      if (*at == '\n') ++at;
    }
  }
  call(SYS_close, file);
  call(SYS_close, pagemap);
}

}  // namespace cove::sandbox
