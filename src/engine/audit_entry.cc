#include "engine/audit_entry.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/parse_json.h"
#include "base/strings.h"
#include "base/write_json.h"
#include "engine/rfc3339.h"
#include "engine/sha256.h"

namespace cove {
namespace {

constexpr std::size_t kHashDigits = 64;
constexpr std::string_view kPrevious = ",\"prev\":\"";
constexpr std::string_view kHash = "\",\"hash\":\"";
constexpr std::string_view kEnd = "\"}";
constexpr std::size_t kTail =
    kPrevious.size() + kHashDigits + kHash.size() + kHashDigits + kEnd.size();

constexpr std::size_t kMaxDepth = 32;  // of details; half of what the reader takes

bool is_hash(std::string_view text) {
  return text.size() == kHashDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Err bad(std::string_view problem) {
  return Err(Error(ErrorCode::InvalidRequest, std::string(problem)));
}

Result<AuditEntry> decode_entry(const json::value& value) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  AuditEntry entry;
  for (const auto* name : {"seq", "time", "who", "what", "details", "prev", "hash"}) {
    COVE_TRY(fields.require(name));
  }
  std::optional<std::int64_t> sequence;
  COVE_TRY(fields.read("seq", sequence));
  if (!sequence || *sequence < 1) return fields.error("seq", "must be at least 1");
  entry.sequence = static_cast<std::uint64_t>(*sequence);
  std::string time;
  COVE_TRY(fields.read("time", time));
  const auto when = parse_rfc3339(time);
  if (!when) return fields.error("time", "is not a time");
  entry.time = *when;
  COVE_TRY(fields.read("who", entry.who));
  COVE_TRY(fields.read("what", entry.what));
  const json::value* details = fields.find("details");
  if (details == nullptr || !details->is_object()) {
    return fields.error("details", "must be an object");
  }
  entry.details = details->get_object();
  COVE_TRY(fields.no_others());
  return entry;
}

bool is_deeper(const json::value& value, std::size_t most) {
  const auto deeper = [most](const json::value& inner) {
    return most == 0 || is_deeper(inner, most - 1);
  };
  if (const auto* const list = value.if_array()) return std::ranges::any_of(*list, deeper);
  if (const auto* const object = value.if_object()) {
    return std::ranges::any_of(*object, [&](const auto& item) { return deeper(item.value()); });
  }
  return false;
}

}  // namespace

std::string first_audit_hash() {
  return std::string(kHashDigits, '0');
}

Result<std::string> encode_audit_line(const AuditEntry& entry, const std::string& previous,
                                      std::string& hash) {
  // What could not be read back would break the chain for good.
  if (is_deeper(entry.details, kMaxDepth)) {
    return Err(Error(ErrorCode::InvalidRequest,
                     fmt::format("an audit entry's details nest at most {} deep", kMaxDepth)));
  }
  std::string body = write_json(json::object{{"seq", entry.sequence},
                                             {"time", format_rfc3339(entry.time)},
                                             {"who", entry.who},
                                             {"what", entry.what},
                                             {"details", entry.details}});
  body.pop_back();  // the closing brace comes behind the hashes
  if (!is_valid_utf8(body)) body = sanitize_utf8(body);
  if (body.size() + kTail > kMaxAuditLine) {
    return Err(Error(ErrorCode::TooLarge,
                     fmt::format("an audit entry has at most {} bytes", kMaxAuditLine)));
  }
  hash = sha256_hex(previous + body);
  std::string line = fmt::format("{}{}{}{}{}{}", body, kPrevious, previous, kHash, hash, kEnd);
  return line + "\n";
}

Result<AuditLine> parse_audit_line(std::string_view line) {
  if (line.size() > kMaxAuditLine) return bad("it is longer than any entry");
  if (line.size() < kTail) return bad("it is too short for an entry");
  const std::string_view body = line.substr(0, line.size() - kTail);
  const std::string_view tail = line.substr(body.size());
  const std::string_view previous = tail.substr(kPrevious.size(), kHashDigits);
  const std::string_view hash = tail.substr(kTail - kEnd.size() - kHashDigits, kHashDigits);
  if (!tail.starts_with(kPrevious) || !tail.ends_with(kEnd) ||
      tail.substr(kPrevious.size() + kHashDigits, kHash.size()) != kHash || !is_hash(previous) ||
      !is_hash(hash)) {
    return bad("it does not end in its two hashes");
  }
  if (sha256_hex(std::string(previous) + std::string(body)) != hash) {
    return bad("its hash is not that of its text: it was changed");
  }
  JsonParseLimits limits;
  limits.size = Bytes{kMaxAuditLine};
  COVE_ASSIGN(const json::value value, parse_json(line, limits));
  COVE_ASSIGN(auto entry, decode_entry(value));
  return AuditLine{std::move(entry), std::string(previous), std::string(hash)};
}

}  // namespace cove
