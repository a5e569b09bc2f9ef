#pragma once
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/json.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "engine/audit_entry.h"

namespace cove {

// Who did what, one JSON line each, appended and chained by hashes: changing, removing or inserting
// a line breaks the chain behind it. Cutting off the end does not show in the file itself; compare
// the last hash, which verify_audit_log() gives, with one noted elsewhere. There is no rotation: a
// server's log is one chain. Thread-safe.
//
// append() writes at once, so a killed process loses nothing; the sync to the disk follows within
// a fraction of a second, in order. What cannot be written (a full disk) is counted, and the first
// entry that can be written again is preceded by one that says how many are missing.
class AuditLog {
 public:
  // Goes on with the chain that is there. A last line that a crash left unfinished is cut off, and
  // an entry "audit.torn" says so; a last line that is damaged otherwise is an error.
  static Result<std::unique_ptr<AuditLog>> open(const std::string& path);
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  Result<> append(std::string_view who, std::string_view what, json::object details);

  std::uint64_t lost() const;                  // entries that could not be written
  std::optional<std::string> problem() const;  // of the last attempt

 private:
  AuditLog(std::string path, UniqueFd file) : path_(std::move(path)), file_(std::move(file)) {}
  Result<> continue_chain();
  Result<> append_locked(std::string_view who, std::string_view what, json::object details);
  Result<> write_locked(std::string_view line);
  void sync_loop(const std::stop_token& stop);

  const std::string path_;
  UniqueFd file_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t size_ = 0;  // of the file up to the last whole line
  std::uint64_t sequence_ = 0;
  std::string hash_ = first_audit_hash();
  std::uint64_t lost_ = 0;
  std::uint64_t unreported_ = 0;
  bool half_line_ = false;
  bool unsynced_ = false;
  std::optional<std::string> problem_;
  std::jthread syncer_;
};

struct AuditVerdict {
  std::uint64_t entries = 0;   // that are good, from the start
  std::string last_hash;       // of the last of them
  std::uint64_t bad_line = 0;  // the first one that is not, from 1; 0: all are good
  std::string why;
  bool has_expected = false;  // a good entry has the hash that was asked for
};

// Reads the whole log, line by line. An error means that it could not be read. `expected`: a hash
// noted at an earlier time; if no entry has it, the end was cut off since.
Result<AuditVerdict> verify_audit_log(const std::string& path, std::string_view expected = {});

}  // namespace cove
