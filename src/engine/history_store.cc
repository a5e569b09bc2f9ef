#include "engine/history_store.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/strings.h"
#include "engine/history_row.h"

namespace cove {
namespace {

// What turns version n of the schema into version n + 1. Never changed once released: append.
constexpr auto kMigrations = std::to_array<const char*>({
    R"sql(
create table executions (
  seq integer primary key, id text not null unique, caller text not null, language text not null,
  policy text not null, code_hash text not null, state text not null, created integer not null,
  started integer, finished integer, result text, error_code text, error_message text,
  error_field text, request_id text not null, traceparent text not null);
create index executions_by_caller on executions(caller, seq);
create index executions_by_time on executions(created);
-- Ids of what was deleted, so that "expired" can be told from "never there".
create table expired (seq integer primary key, id text not null unique);
)sql",
});

// Ids of the deleted take room too: of what the history may use, a tenth at most.
constexpr std::int64_t kMaxExpired = 100'000;
constexpr std::int64_t kExpiredShare = 10;
constexpr std::int64_t kExpiredBytes = 128;  // a row and its place in the index, generously
constexpr int kPruneShare = 20;              // a twentieth of the rows at a time

}  // namespace

Result<HistoryStore> HistoryStore::open(const std::string& path, WallTime now) {
  COVE_ASSIGN(auto database, SqliteDatabase::open(path));
  HistoryStore store(std::move(database));
  // auto_vacuum counts only before the first table. NORMAL: a power cut may lose the last batches,
  // never the consistency; a killed process loses nothing that was committed.
  COVE_TRY(store.database_.execute(
      "pragma auto_vacuum = incremental; pragma journal_mode = wal; pragma synchronous = normal;"
      "pragma journal_size_limit = 8388608; pragma temp_store = memory;"
      "pragma trusted_schema = off;"));
  COVE_TRY(store.migrate());
  COVE_ASSIGN(auto left, store.database_.prepare(
                             "update executions set state = 'failed', finished = ?, "
                             "error_code = 'execution_failed', error_message = ?, error_field = '' "
                             "where state in ('queued', 'running')"));
  const auto time = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch());
  COVE_TRY(left.bind(time.count()).bind("the server ended before this was over").run());
  COVE_ASSIGN(store.last_sequence_,
              store.database_.number("select max((select coalesce(max(seq), 0) from executions), "
                                     "(select coalesce(max(seq), 0) from expired))"));
  COVE_ASSIGN(store.upsert_,
              store.database_.prepare(fmt::format(
                  "insert into executions({}) values(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) "
                  "on conflict(id) do update set state = excluded.state, "
                  "started = excluded.started, finished = excluded.finished, "
                  "result = excluded.result, error_code = excluded.error_code, "
                  "error_message = excluded.error_message, error_field = excluded.error_field",
                  kHistoryColumns)));
  COVE_ASSIGN(store.select_, store.database_.prepare(fmt::format(
                                 "select {} from executions where id = ?", kHistoryColumns)));
  return store;
}

Result<> HistoryStore::migrate() {
  COVE_ASSIGN(const auto version, database_.number("pragma user_version"));
  const auto newest = static_cast<std::int64_t>(kMigrations.size());
  if (version > newest) {
    return Err(Error(ErrorCode::InvalidRequest,
                     fmt::format("the history has format {}, this version of Cove knows up to {}: "
                                 "use a newer Cove or another data directory",
                                 version, newest)));
  }
  for (std::int64_t i = version; i < newest; ++i) {
    COVE_TRY(in_transaction([&]() -> Result<> {
      COVE_TRY(database_.execute(kMigrations.at(static_cast<std::size_t>(i))));
      return database_.execute(fmt::format("pragma user_version = {}", i + 1).c_str());
    }));
  }
  return {};
}

Result<> HistoryStore::in_transaction(const std::function<Result<>()>& work) {
  COVE_TRY(database_.execute("begin immediate"));
  auto done = work();
  if (done) done = database_.execute("commit");
  // After some errors (a full disk) SQLite has rolled back by itself; then this one fails.
  if (!done) static_cast<void>(database_.execute("rollback"));
  return done;
}

Result<> HistoryStore::save(const std::vector<HistoryEntry>& batch) {
  return in_transaction([&]() -> Result<> {
    for (const HistoryEntry& entry : batch) {
      bind_row(upsert_, entry);
      COVE_TRY(upsert_.run());
    }
    return {};
  });
}

Result<std::optional<HistoryEntry>> HistoryStore::find(std::string_view id) {
  auto found = select_.bind(id).step();
  std::optional<HistoryEntry> entry;
  if (found && *found) entry = read_row(select_);
  select_.reset();
  if (!found) return Err(std::move(found).error());
  if (entry) return entry;
  COVE_ASSIGN(auto expired, database_.prepare("select 1 from expired where id = ?"));
  COVE_ASSIGN(const bool was_here, expired.bind(id).step());
  if (!was_here) return std::nullopt;
  return Err(Error(ErrorCode::Gone,
                   fmt::format("execution {} is over and was deleted from the history: it keeps "
                               "a limited time and size",
                               quoted(id))));
}

Result<std::vector<HistoryEntry>> HistoryStore::list(
    const JobFilter& filter, std::int64_t before,
    const std::function<bool(const std::string&)>& skip) {
  std::string sql = fmt::format("select {} from executions where 1", kHistoryColumns);
  if (before > 0) sql += " and seq < ?";
  if (!filter.caller.empty()) sql += " and caller = ?";
  if (filter.state) sql += " and state = ?";
  sql += " order by seq desc";
  COVE_ASSIGN(auto select, database_.prepare(sql));
  if (before > 0) select.bind(before);
  if (!filter.caller.empty()) select.bind(filter.caller);
  if (filter.state) select.bind(job_state_name(*filter.state));
  std::vector<HistoryEntry> out;
  while (out.size() < filter.limit) {
    COVE_ASSIGN(const bool more, select.step());
    if (!more) break;
    if (!skip(select.text(1))) out.push_back(read_row(select));
  }
  return out;
}

Result<> HistoryStore::remove_where(const std::string& condition, std::int64_t most_expired) {
  return in_transaction([&]() -> Result<> {
    const std::string of = " from executions where state in ('done', 'failed') and " + condition;
    COVE_TRY(
        database_.execute(("insert or ignore into expired(seq, id) select seq, id" + of).c_str()));
    COVE_TRY(database_.execute(("delete" + of).c_str()));
    return database_.execute(fmt::format("delete from expired where seq <= (select max(seq) from "
                                         "expired) - {}",
                                         most_expired)
                                 .c_str());
  });
}

Result<Bytes> HistoryStore::used() {
  COVE_ASSIGN(const auto pages, database_.number("pragma page_count"));
  COVE_ASSIGN(const auto free, database_.number("pragma freelist_count"));
  COVE_ASSIGN(const auto size, database_.number("pragma page_size"));
  return Bytes{static_cast<std::uint64_t>((pages - free) * size)};
}

Result<> HistoryStore::prune(WallTime oldest, Bytes most) {
  const auto cut = std::chrono::duration_cast<std::chrono::microseconds>(oldest.time_since_epoch());
  const std::string too_old = fmt::format("created < {}", cut.count());
  const auto room = static_cast<std::int64_t>(most.value) / kExpiredShare / kExpiredBytes;
  const std::int64_t most_expired = std::min(room, kMaxExpired);
  COVE_ASSIGN(const auto count, database_.number("select count(*) from executions where "
                                                 "state in ('done', 'failed') and " +
                                                 too_old));
  if (count > 0) COVE_TRY(remove_where(too_old, most_expired));
  for (;;) {
    COVE_ASSIGN(const Bytes size, used());
    if (size <= most) break;
    COVE_ASSIGN(const auto rows, database_.number("select count(*) from executions where state in "
                                                  "('done', 'failed')"));
    if (rows == 0) break;
    COVE_TRY(remove_where(
        fmt::format("seq in (select seq from executions where state in ('done', 'failed') "
                    "order by seq limit {})",
                    std::max<std::int64_t>(1, rows / kPruneShare)),
        most_expired));
  }
  COVE_ASSIGN(const auto free, database_.number("pragma freelist_count"));
  if (free > 0) COVE_TRY(database_.execute("pragma incremental_vacuum"));
  return {};
}

}  // namespace cove
