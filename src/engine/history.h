#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "engine/history_store.h"
#include "engine/job.h"
#include "engine/job_filter.h"

namespace cove {

struct HistoryOptions {
  std::string path = ":memory:";
  std::chrono::seconds age{7 * 24 * 3600};
  Bytes bytes = Bytes::mib(256);
  // When writing begins to fail; and for records that were lost, because it failed or fell behind.
  // From any thread.
  std::function<void(const std::string& why)> on_problem;
  std::function<void(std::size_t count)> on_lost;
};

// What became of past jobs. put() only notes the record; a thread of the history's own writes it,
// so that neither a slow nor a full disk holds up or fails an execution. Until it is written a
// record is found all the same. While writing fails or falls behind, the newest records are kept in
// memory; the oldest of them are lost and counted. Thread-safe.
class History {
 public:
  // Of each stream this much is stored; past it the record says "truncated".
  static constexpr Bytes kMaxOutput = Bytes::kib(64);
  // That wait to be written.
  static constexpr std::size_t kMaxPending = 4096;
  static constexpr Bytes kMaxPendingBytes = Bytes::mib(64);

  static Result<std::unique_ptr<History>> open(HistoryOptions options);
  ~History();  // writes what waits
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  void put(JobRecord record);                         // a new job, or a new state of one
  Result<JobRecord> find(std::string_view id) const;  // NotFound, Gone
  std::vector<JobRecord> list(const JobFilter& filter) const;

  // Why the last attempt to write failed; nothing when it did not.
  std::optional<std::string> problem() const;
  // Waits until everything put so far is written. False: it took too long.
  bool flush(std::chrono::milliseconds patience);

 private:
  struct Pending {
    HistoryEntry entry;
    std::uint64_t version = 0;
    std::size_t bytes = 0;
  };
  using PendingMap = std::map<std::string, Pending, std::less<>>;

  History(HistoryOptions options, HistoryStore store);
  void write_loop(const std::stop_token& stop);
  bool write_pending();  // false: it failed
  void prune_if_due(bool now);
  std::size_t drop_excess();
  Result<std::int64_t> sequence_of(const std::string& id) const;

  const HistoryOptions options_;
  mutable std::mutex store_mutex_;  // taken before mutex_ where both are
  mutable HistoryStore store_;
  std::chrono::steady_clock::time_point pruned_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  PendingMap pending_;
  std::size_t pending_bytes_ = 0;
  std::map<std::string, std::int64_t, std::less<>> open_;  // sequence of jobs that are not over
  std::int64_t last_sequence_ = 0;
  std::uint64_t version_ = 0;
  bool urgent_ = false;
  std::optional<std::string> problem_;
  std::jthread writer_;
};

}  // namespace cove
