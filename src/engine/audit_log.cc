#include "engine/audit_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/strings.h"
#include "engine/private_file.h"
#include "engine/sha256.h"

namespace cove {
namespace {

constexpr auto kSyncEvery = std::chrono::milliseconds(200);

Result<std::string> read_at(int fd, std::uint64_t from, std::size_t size, const std::string& path) {
  std::string out(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got =
        ::pread(fd, out.data() + have, size - have, static_cast<off_t>(from + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Err(Error::from_errno("reading " + path));
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  out.resize(have);
  return out;
}

}  // namespace

Result<std::unique_ptr<AuditLog>> AuditLog::open(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return Err(Error::from_errno("opening " + path));
  std::unique_ptr<AuditLog> log(new AuditLog(path, std::move(file)));
  COVE_TRY(log->continue_chain());
  log->syncer_ = std::jthread([raw = log.get()](const std::stop_token& s) { raw->sync_loop(s); });
  return log;
}

AuditLog::~AuditLog() {
  if (!syncer_.joinable()) return;
  syncer_.request_stop();
  syncer_.join();
}

Result<> AuditLog::continue_chain() {
  struct stat about{};
  if (::fstat(file_.get(), &about) != 0) return Err(Error::from_errno("looking at " + path_));
  // The last line and an unfinished one behind it fit into twice the longest line.
  const auto total = static_cast<std::uint64_t>(about.st_size);
  const std::uint64_t from = total - std::min<std::uint64_t>(total, 2 * kMaxAuditLine + 2);
  COVE_ASSIGN(const std::string end,
              read_at(file_.get(), from, static_cast<std::size_t>(total - from), path_));
  const auto feed = end.rfind('\n');
  const std::size_t torn = feed == std::string::npos ? end.size() : end.size() - feed - 1;
  if (feed == std::string::npos && from > 0) {
    return Err(Error(ErrorCode::InvalidRequest,
                     path_ + " does not end in lines of an audit log; move it away"));
  }
  size_ = total - torn;
  if (feed != std::string::npos) {
    const auto before = feed == 0 ? std::string::npos : end.rfind('\n', feed - 1);
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    auto last = parse_audit_line(std::string_view(end).substr(start, feed - start));
    if (!last) {
      return Err(Error(ErrorCode::InvalidRequest,
                       fmt::format("the last entry of {} is damaged: {}. `cove audit verify` says "
                                   "more; move the file away to begin a new chain",
                                   path_, last.error().message())));
    }
    sequence_ = last->entry.sequence;
    hash_ = last->hash;
  }
  if (torn == 0) return {};
  if (::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) {
    return Err(Error::from_errno("cutting off an unfinished line of " + path_));
  }
  const std::string_view rest = std::string_view(end).substr(end.size() - torn);
  return append_locked("cove", "audit.torn", {{"bytes", torn}, {"sha256", sha256_hex(rest)}});
}

Result<> AuditLog::append(std::string_view who, std::string_view what, json::object details) {
  const std::lock_guard lock(mutex_);
  return append_locked(who, what, std::move(details));
}

Result<> AuditLog::append_locked(std::string_view who, std::string_view what,
                                 json::object details) {
  std::string text;
  std::uint64_t sequence = sequence_;
  std::string hash = hash_;
  const auto now = std::chrono::system_clock::now();
  const auto add = [&](AuditEntry entry) -> Result<> {
    const std::string previous = hash;
    COVE_ASSIGN(const std::string line, encode_audit_line(entry, previous, hash));
    text += line;
    sequence = entry.sequence;
    return {};
  };
  if (unreported_ > 0) {
    COVE_TRY(add({sequence + 1, now, "cove", "audit.gap", {{"lost", unreported_}}}));
  }
  COVE_TRY(add({sequence + 1, now, std::string(who), std::string(what), std::move(details)}));
  if (auto written = write_locked(text); !written) {
    ++lost_;
    ++unreported_;
    problem_ = written.error().message();
    return written;
  }
  sequence_ = sequence;
  hash_ = std::move(hash);
  unreported_ = 0;
  problem_.reset();
  // Who is about to sync, syncs this too.
  if (!std::exchange(unsynced_, true)) changed_.notify_all();
  return {};
}

Result<> AuditLog::write_locked(std::string_view line) {
  // Half a line from a failed attempt would break the chain: it goes first.
  if (half_line_ && ::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) {
    return Err(Error::from_errno("cutting off an unfinished line of " + path_));
  }
  half_line_ = false;
  auto written = write_all(file_.get(), line, path_);
  if (written) {
    size_ += line.size();
    return {};
  }
  half_line_ = ::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0;
  return written;
}

std::uint64_t AuditLog::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

std::optional<std::string> AuditLog::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

void AuditLog::sync_loop(const std::stop_token& stop) {
  bool stopping = false;
  while (!stopping) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, stop, [this] { return unsynced_; });
      changed_.wait_for(lock, stop, kSyncEvery, [] { return false; });
      stopping = stop.stop_requested();
      if (!unsynced_) continue;
      unsynced_ = false;
    }
    if (::fdatasync(file_.get()) == 0) continue;
    const int err = errno;
    const std::lock_guard lock(mutex_);
    problem_ = Error::from_errno("syncing " + path_, err).message();
  }
}

}  // namespace cove
