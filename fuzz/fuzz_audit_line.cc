#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/audit_entry.h"

// A line is refused with a reason, or its hash covers every byte of it: no other line has it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line = cove::parse_audit_line(text);
  if (!line && line.error().message().empty()) std::abort();
  if (line && (line->hash.size() != 64 || line->entry.sequence == 0)) std::abort();

  // The same bytes as what somebody did: always a line that reads back.
  cove::AuditEntry entry;
  entry.sequence = 1 + size;
  entry.who = text.substr(0, size / 2);
  entry.what = text.substr(size / 2);
  std::string hash;
  const auto written = cove::encode_audit_line(entry, cove::first_audit_hash(), hash);
  if (!written) return 0;
  std::string own = written->substr(0, written->size() - 1);
  const auto back = cove::parse_audit_line(own);
  if (!back || back->hash != hash || back->entry.sequence != entry.sequence) std::abort();
  own[size % own.size()] ^= 1;
  if (cove::parse_audit_line(own)) std::abort();
  return 0;
}
