#include <cerrno>
#include <fstream>

#include <fmt/format.h>

#include "engine/audit_log.h"

namespace cove {
namespace {

// What is wrong with a line in its place; empty: nothing.
std::string complaint_about(const Result<AuditLine>& line, const AuditVerdict& before) {
  if (!line) return line.error().message();
  if (line->previous != before.last_hash) {
    return "it does not follow the line before: one was removed, inserted or changed";
  }
  if (line->entry.sequence != before.entries + 1) {
    return fmt::format("its number is {} where {} was due", line->entry.sequence,
                       before.entries + 1);
  }
  return {};
}

}  // namespace

Result<AuditVerdict> verify_audit_log(const std::string& path, std::string_view expected) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Err(Error::from_errno("opening " + path));
  AuditVerdict verdict;
  verdict.last_hash = first_audit_hash();
  std::string text;
  // A line of any length must not fill the memory: read with a bound, which no entry reaches.
  std::string buffer(kMaxAuditLine + 2, '\0');
  while (in.getline(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
         in.gcount() > 0) {
    const auto size = static_cast<std::size_t>(in.gcount());
    std::string why;
    if (in.fail()) {
      why = "it is longer than any entry";
    } else if (in.eof()) {
      why = "it is unfinished, as a crash leaves it: the next start of the server cuts it off";
    } else {
      text.assign(buffer.data(), size - 1);
      const auto line = parse_audit_line(text);
      why = complaint_about(line, verdict);
      if (why.empty()) {
        ++verdict.entries;
        verdict.last_hash = line->hash;
        if (line->hash == expected) verdict.has_expected = true;
        continue;
      }
    }
    verdict.bad_line = verdict.entries + 1;
    verdict.why = std::move(why);
    return verdict;
  }
  if (in.bad()) return Err(Error(ErrorCode::Internal, "reading " + path + " failed"));
  return verdict;
}

}  // namespace cove
