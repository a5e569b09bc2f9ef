#include "touch_pages.h"

#include <stdint.h>

#include "sandbox/raw/raw_syscalls.h"

namespace cove::sandbox {
namespace {

using raw::call;

constexpr uint64_t kPage = 4096;
constexpr uint64_t kPresent = uint64_t{1} << 63;
constexpr uint64_t kExclusive = uint64_t{1} << 56;   // nobody else maps this page
constexpr uint64_t kKernelHalf = uint64_t{1} << 63;  // [vsyscall] lies beyond
constexpr long kMapsSize = 64 << 10;
constexpr uint64_t kBatch = 64;
constexpr uint32_t kMostPages = 16384;
constexpr uint32_t kMostRuns = 1024;
constexpr uint64_t kGap = 0;
constexpr int kPopulateRead = 22;
constexpr int kPopulateWrite = 23;

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

// A fork copies the page table of a read-only file mapping only if the mapping holds a page of its
// own; otherwise each child pays a fault for each page that it reads. So one byte is written over
// itself in the zygote. False where the kernel does not let a process write to itself this way.
bool make_forks_inherit(int memory, uint64_t page) {
  char byte = 0;
  return call(SYS_pread64, memory, &byte, 1, page) == 1 &&
         call(SYS_pwrite64, memory, &byte, 1, page) == 1;
}

// Shared between the zygote and its rehearsing child, which alone writes to it.
struct Record {
  uint32_t written;
  uint32_t read;
  uint64_t writes[kMostPages];
  uint64_t reads[kMostPages];
};
Record* record = nullptr;

// What the guests take, as ranges: one system call each, far cheaper than a page fault a page.
struct Run {
  uint64_t from, to;
  bool write;
};
Run runs[kMostRuns];
uint32_t run_count = 0;

struct Mapping {
  uint64_t from, to;
  bool writable;
  bool of_file;  // the kernel's own pages ([vvar]) must not be touched
};

// Calls `use(mapping)` for each private mapping that can be read.
template <class Use>
void for_each_mapping(const Use& use) {
  static char maps[kMapsSize];
  const long file = call(SYS_openat, -100, "/proc/self/maps", 02000000, 0);
  const long size = file < 0 ? 0 : raw::read_all(static_cast<int>(file), maps, kMapsSize - 1);
  call(SYS_close, file);
  maps[size > 0 ? size : 0] = '\0';
  for (const char* at = maps; *at != '\0';) {  // "from-to rw-p offset …"
    Mapping mapping = {};
    mapping.from = parse_hex(at);
    if (*at++ != '-') break;
    mapping.to = parse_hex(at);
    mapping.writable = at[2] == 'w';
    const bool used = at[1] == 'r' && at[4] == 'p';
    for (; *at != '\0' && *at != '\n'; ++at) mapping.of_file = mapping.of_file || *at == '/';
    if (*at == '\n') ++at;
    if (used && mapping.from < kKernelHalf) use(mapping);
  }
}

// Calls `use(page, entry)` for each page of a mapping that is present.
template <class Use>
void for_each_page(int pagemap, const Mapping& mapping, const Use& use) {
  uint64_t entries[kBatch];
  for (uint64_t page = mapping.from; page < mapping.to; page += kBatch * kPage) {
    const uint64_t left = (mapping.to - page) / kPage;
    const uint64_t count = left < kBatch ? left : kBatch;
    const long got = call(SYS_pread64, pagemap, entries, count * 8, page / kPage * 8);
    if (got < static_cast<long>(count * 8)) return;
    for (uint64_t i = 0; i < count; ++i) {
      if ((entries[i] & kPresent) != 0) use(page + i * kPage, entries[i]);
    }
  }
}

int open_pagemap() {
  return static_cast<int>(call(SYS_openat, -100, "/proc/self/pagemap", 02000000, 0));
}

void add_run(uint64_t page, bool write) {
  Run* last = run_count == 0 ? nullptr : &runs[run_count - 1];
  if (last != nullptr && last->write == write && page >= last->to && page - last->to <= kGap) {
    last->to = page + kPage;
  } else if (run_count < kMostRuns) {
    runs[run_count++] = {page, page + kPage, write};
  }
}

// The recorded pages of one mapping; those of memory that only the rehearsal had fall out.
void add_runs(const Mapping& mapping, const uint64_t* pages, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (pages[i] >= mapping.from && pages[i] < mapping.to) add_run(pages[i], mapping.writable);
  }
}

// The pages that the rehearsal read become present here, and with that in all later children.
void inherit_reads(int memory, const Mapping& mapping) {
  const uint32_t first = run_count;
  add_runs(mapping, record->reads, record->read);
  if (run_count == first || !make_forks_inherit(memory, runs[first].from)) return;
  for (uint32_t i = first; i < run_count; ++i) {
    call(SYS_madvise, runs[i].from, runs[i].to - runs[i].from, kPopulateRead);
  }
  run_count = first;
}

}  // namespace

void prepare_page_record() {
  const long at = call(SYS_mmap, nullptr, sizeof(Record), 3 /* READ|WRITE */,
                       0x21 /* SHARED|ANONYMOUS */, -1, 0);
  if (at > 0 || at < -4095) record = reinterpret_cast<Record*>(at);
}

void record_pages() {
  if (record == nullptr) return;
  const int pagemap = open_pagemap();
  for_each_mapping([pagemap](const Mapping& mapping) {
    for_each_page(pagemap, mapping, [&mapping](uint64_t page, uint64_t entry) {
      if (mapping.writable && (entry & kExclusive) != 0 && record->written < kMostPages) {
        record->writes[record->written++] = page;
      } else if (!mapping.writable && mapping.of_file && record->read < kMostPages) {
        record->reads[record->read++] = page;
      }
    });
  });
  call(SYS_close, pagemap);
}

void finish_page_record() {
  if (record == nullptr) return;
  const auto memory = static_cast<int>(call(SYS_openat, -100, "/proc/self/mem", 02000002, 0));
  for_each_mapping([memory](const Mapping& mapping) {
    if (mapping.writable) {
      add_runs(mapping, record->writes, record->written);
    } else if (mapping.of_file) {
      inherit_reads(memory, mapping);
    }
  });
  call(SYS_close, memory);
  call(SYS_munmap, record, sizeof(Record));
  record = nullptr;
}

void touch_pages() {
  for (uint32_t i = 0; i < run_count; ++i) {
    // Without these calls (before Linux 5.14) the program pays its page faults itself.
    call(SYS_madvise, runs[i].from, runs[i].to - runs[i].from,
         runs[i].write ? kPopulateWrite : kPopulateRead);
  }
}

}  // namespace cove::sandbox
