#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "engine/job.h"
#include "engine/job_filter.h"
#include "engine/sqlite_database.h"

namespace cove {

// A job and its place in the order of submission.
struct HistoryEntry {
  std::int64_t sequence = 0;
  JobRecord record;
};

// The history's SQLite file, or memory. Everything blocks; to be used by one thread at a time.
// A file that a killed server left behind is as good as one that was closed: it is in WAL mode and
// each batch is one transaction.
class HistoryStore {
 public:
  // ":memory:" for one that ends with the process. Jobs that a dead server left queued or running
  // become failed.
  static Result<HistoryStore> open(const std::string& path, WallTime now);

  Result<> save(const std::vector<HistoryEntry>& batch);  // all or none
  // Nothing: no such job. Gone: it was deleted for its age or for room.
  Result<std::optional<HistoryEntry>> find(std::string_view id);
  // Newest first, those older than `before` (0: all), without those that `skip` names.
  Result<std::vector<HistoryEntry>> list(const JobFilter& filter, std::int64_t before,
                                         const std::function<bool(const std::string&)>& skip);
  std::int64_t last_sequence() const { return last_sequence_; }

  // Deletes ended jobs submitted before `oldest`, then the oldest until no more than `most` is
  // used.
  Result<> prune(WallTime oldest, Bytes most);
  Result<Bytes> used();

 private:
  explicit HistoryStore(SqliteDatabase database) : database_(std::move(database)) {}
  Result<> migrate();
  Result<> remove_where(const std::string& condition, std::int64_t most_expired);
  Result<> in_transaction(const std::function<Result<>()>& work);

  SqliteDatabase database_;
  SqliteStatement upsert_;
  SqliteStatement select_;
  std::int64_t last_sequence_ = 0;
};

}  // namespace cove
