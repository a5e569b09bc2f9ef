#include "engine/history.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/strings.h"

namespace cove {
namespace {

using namespace std::chrono_literals;

// Collecting for a moment makes one transaction of many, and most jobs are over by then: they are
// written once instead of three times.
constexpr auto kGather = 25ms;
constexpr auto kRetry = 1s;
constexpr auto kPruneEvery = 30s;

bool is_over(JobState state) {
  return state == JobState::Done || state == JobState::Failed;
}

void cut(std::string& text, bool& truncated) {
  if (text.size() <= History::kMaxOutput.value) return;
  text.resize(utf8_cut(text, History::kMaxOutput.value));
  truncated = true;
}

void shorten(JobRecord& record) {
  const auto& full = record.result;
  if (!full || (full->stdout_data.size() <= History::kMaxOutput.value &&
                full->stderr_data.size() <= History::kMaxOutput.value)) {
    return;
  }
  auto copy = std::make_shared<ExecutionResult>(*full);
  cut(copy->stdout_data, copy->stdout_truncated);
  cut(copy->stderr_data, copy->stderr_truncated);
  record.result = std::move(copy);
}

// Roughly, for the bound on what waits.
std::size_t weight(const JobRecord& record) {
  std::size_t bytes = 1024;
  if (record.result) {
    const auto& result = *record.result;
    bytes += result.stdout_data.size() + result.stderr_data.size();
    bytes += result.display_stdout ? result.display_stdout->size() : 0;
    bytes += 256 * (result.output_files.size() + result.skipped_files.size());
  }
  if (record.error) bytes += record.error->message().size();
  return bytes;
}

bool matches(const JobFilter& filter, const HistoryEntry& entry, std::int64_t before) {
  return (filter.caller.empty() || filter.caller == entry.record.caller) &&
         (!filter.state || *filter.state == entry.record.state) &&
         (before == 0 || entry.sequence < before);
}

}  // namespace

Result<std::unique_ptr<History>> History::open(HistoryOptions options) {
  COVE_ASSIGN(auto store, HistoryStore::open(options.path, std::chrono::system_clock::now()));
  return std::unique_ptr<History>(new History(std::move(options), std::move(store)));
}

History::History(HistoryOptions options, HistoryStore store)
    : options_(std::move(options)),
      store_(std::move(store)),
      last_sequence_(store_.last_sequence()),
      writer_([this](const std::stop_token& stop) { write_loop(stop); }) {}

History::~History() {
  writer_.request_stop();
  writer_.join();
}

void History::put(JobRecord record) {
  shorten(record);
  std::unique_lock lock(mutex_);
  const auto [known, is_new] = open_.try_emplace(record.id, last_sequence_ + 1);
  if (is_new) ++last_sequence_;
  const std::int64_t sequence = known->second;
  if (is_over(record.state)) open_.erase(known);
  // The writer looks again by itself while something waits: waking it for each would cost a server
  // more than the writing.
  const bool is_first = pending_.empty();
  Pending& place = pending_[record.id];
  pending_bytes_ -= place.bytes;
  place.bytes = weight(record);
  pending_bytes_ += place.bytes;
  place.version = ++version_;
  place.entry = {sequence, std::move(record)};
  const std::size_t lost = drop_excess();
  if (is_first) changed_.notify_all();
  lock.unlock();
  if (lost > 0 && options_.on_lost) options_.on_lost(lost);
}

Result<JobRecord> History::find(std::string_view id) const {
  {
    const std::lock_guard lock(mutex_);
    const auto pending = pending_.find(id);
    if (pending != pending_.end()) return pending->second.entry.record;
  }
  const std::lock_guard lock(store_mutex_);
  COVE_ASSIGN(auto found, store_.find(id));
  if (found) return std::move(found->record);
  return Err(Error(ErrorCode::NotFound, fmt::format("there is no execution {}", quoted(id))));
}

Result<std::int64_t> History::sequence_of(const std::string& id) const {
  {
    const std::lock_guard lock(mutex_);
    const auto pending = pending_.find(id);
    if (pending != pending_.end()) return pending->second.entry.sequence;
  }
  const std::lock_guard lock(store_mutex_);
  COVE_ASSIGN(const auto found, store_.find(id));
  return found ? found->sequence : 1;  // before the first there is nothing
}

std::vector<JobRecord> History::list(const JobFilter& filter) const {
  std::int64_t before = 0;
  if (!filter.before.empty()) before = sequence_of(filter.before).value_or(1);
  // First what waits, then what is stored: a record on its way is seen at least once, and what is
  // seen twice is the waiting one, which is newer.
  PendingMap waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting = pending_;
  }
  std::vector<HistoryEntry> entries;
  {
    const std::lock_guard lock(store_mutex_);
    auto stored =
        store_.list(filter, before, [&](const std::string& id) { return waiting.contains(id); });
    if (stored) entries = std::move(*stored);
  }
  for (auto& [id, pending] : waiting) {
    if (matches(filter, pending.entry, before)) entries.push_back(std::move(pending.entry));
  }
  std::ranges::sort(entries, std::greater<>(), &HistoryEntry::sequence);
  if (entries.size() > filter.limit) entries.resize(filter.limit);
  std::vector<JobRecord> out;
  out.reserve(entries.size());
  for (auto& entry : entries) out.push_back(std::move(entry.record));
  return out;
}

std::optional<std::string> History::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

bool History::flush(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  urgent_ = true;
  changed_.notify_all();
  return changed_.wait_for(lock, patience, [this] { return pending_.empty(); });
}

void History::write_loop(const std::stop_token& stop) {
  prune_if_due(true);
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, kPruneEvery, [this] { return !pending_.empty(); });
      changed_.wait_for(lock, stop, kGather, [this] { return urgent_; });
    }
    const bool failed = !write_pending();
    prune_if_due(false);
    std::unique_lock lock(mutex_);
    urgent_ = false;
    if (failed) changed_.wait_for(lock, stop, kRetry, [] { return false; });
  }
  const bool written = write_pending();
  const std::lock_guard lock(mutex_);
  if (!written && !pending_.empty() && options_.on_lost) {
    options_.on_lost(pending_.size());
  }
}

bool History::write_pending() {
  std::vector<HistoryEntry> batch;
  std::uint64_t newest = 0;
  {
    const std::lock_guard lock(mutex_);
    if (pending_.empty()) return true;
    newest = version_;
    batch.reserve(pending_.size());
    for (const auto& [id, pending] : pending_) batch.push_back(pending.entry);
  }
  std::ranges::sort(batch, std::less<>(), &HistoryEntry::sequence);
  Result<> saved;
  {
    const std::lock_guard lock(store_mutex_);
    saved = store_.save(batch);
  }
  bool is_news = false;
  {
    const std::lock_guard lock(mutex_);
    if (saved) {
      problem_.reset();
      // What was put meanwhile is a newer state and stays.
      std::erase_if(pending_, [&](const auto& item) {
        const bool written = item.second.version <= newest;
        if (written) pending_bytes_ -= item.second.bytes;
        return written;
      });
      changed_.notify_all();
    } else {
      is_news = !problem_;
      problem_ = saved.error().message();
    }
  }
  if (is_news && options_.on_problem) options_.on_problem(saved.error().message());
  return saved.has_value();
}

// Makes room where writing fails or falls behind, at the cost of the oldest that are over. It makes
// so much of it that the cost of finding them is spread over many calls.
std::size_t History::drop_excess() {
  if (pending_.size() <= kMaxPending && pending_bytes_ <= kMaxPendingBytes.value) return 0;
  std::vector<std::pair<std::int64_t, std::string>> over;
  for (const auto& [id, pending] : pending_) {
    if (is_over(pending.entry.record.state)) over.emplace_back(pending.entry.sequence, id);
  }
  std::ranges::sort(over);
  std::size_t lost = 0;
  for (const auto& [sequence, id] : over) {
    if (pending_.size() <= kMaxPending / 2 && pending_bytes_ <= kMaxPendingBytes.value / 2) break;
    const auto place = pending_.find(id);
    pending_bytes_ -= place->second.bytes;
    pending_.erase(place);
    ++lost;
  }
  return lost;
}

void History::prune_if_due(bool now) {
  const std::lock_guard lock(store_mutex_);
  const auto used = store_.used();
  const auto clock = std::chrono::steady_clock::now();
  if (!now && used && *used <= options_.bytes && clock - pruned_ < kPruneEvery) return;
  pruned_ = clock;
  const auto oldest = std::chrono::system_clock::now() - options_.age;
  auto pruned = store_.prune(oldest, options_.bytes);
  if (pruned) return;
  const std::lock_guard note(mutex_);
  problem_ = pruned.error().message();
}

}  // namespace cove
