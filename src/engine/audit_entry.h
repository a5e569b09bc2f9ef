#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "engine/job.h"

namespace cove {

// What happened, and who did it.
struct AuditEntry {
  std::uint64_t sequence = 0;  // from 1, without gaps
  WallTime time;
  std::string who;
  std::string what;      // "execution.start", "key.add", …
  json::object details;  // of an execution: id, language, policy, code_sha256, outcome
};

// One line of the log: {"seq":…,"time":…,"who":…,"what":…,"details":{…},"prev":"…","hash":"…"}
//
// `hash` is SHA-256 over the digits of `prev` and the text of the line before ,"prev", byte for
// byte; so a checker need not agree with us on how JSON is written. `prev` is the hash of the line
// before, or 64 zeros.
struct AuditLine {
  AuditEntry entry;
  std::string previous;
  std::string hash;
};

inline constexpr std::size_t kMaxAuditLine = 64UL << 10U;
std::string first_audit_hash();  // what the first line has as `prev`

// The line with its line feed. TooLarge past kMaxAuditLine. `hash` gets the line's.
Result<std::string> encode_audit_line(const AuditEntry& entry, const std::string& previous,
                                      std::string& hash);

// A line without its line feed; checks its form and that its hash is its own.
Result<AuditLine> parse_audit_line(std::string_view line);

}  // namespace cove
