#include "session/live_session.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <ctime>

#include <fmt/format.h>

#include "base/parse_duration.h"
#include "base/random_id.h"
#include "base/strings.h"

namespace cove {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::system_clock;

constexpr std::size_t kMaxCode = 4U << 20U;

std::string time_now() {
  const std::time_t now = system_clock::to_time_t(system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

std::string why_lost(const CellResult& result) {
  if (result.status == ExecutionStatus::Oom) return "it ran out of memory";
  if (result.error && !result.error->value.empty()) return result.error->value;
  return result.notes.empty() ? "its process was killed" : join(result.notes, "; ");
}

}  // namespace

LiveSession::LiveSession(std::shared_ptr<const SessionRecipe> recipe,
                         std::shared_ptr<Family> family, StartedMember started, SessionInfo info,
                         const SessionServiceOptions& options)
    : recipe_(std::move(recipe)),
      family_(std::move(family)),
      options_(options),
      info_(std::move(info)),
      member_(std::move(started.member)),
      place_(std::move(started.place)),
      last_used_(Clock::now()) {
  info_.language = recipe_->options.language;
  info_.profile = recipe_->options.profile;
  const std::string& policy = recipe_->options.policy_name;
  info_.policy = policy.empty() ? "custom" : policy;
  info_.owner = recipe_->options.owner;
  info_.family = family_->id;
  info_.directory = place_->path();
  info_.created = info_.last_used = system_clock::now();
  info_.idle_timeout = recipe_->options.idle_timeout.value_or(options_.idle_timeout);
  first_after_fork_ = !info_.parent.empty();
}

LiveSession::~LiveSession() {
  end("ended with its service");
}

Error LiveSession::gone() const {
  const std::lock_guard lock(mutex_);
  return {ErrorCode::Gone, fmt::format("session {} is gone: {}", info_.id, info_.gone_reason)};
}

bool LiveSession::ended() const {
  const std::lock_guard lock(mutex_);
  return info_.state == SessionState::Gone;
}

Result<Turn::Hold> LiveSession::take_turn(const std::stop_token& cancel) {
  auto hold = turn_.take(cancel);
  if (ended()) return Err(gone());
  if (!hold) {
    return Err(Error(ErrorCode::Conflict, "cancelled while another cell of the session ran"));
  }
  touch();
  return hold;
}

void LiveSession::touch() {
  const std::lock_guard lock(mutex_);
  last_used_ = Clock::now();
  info_.last_used = system_clock::now();
}

std::shared_ptr<Member> LiveSession::member() const {
  const std::lock_guard lock(mutex_);
  return member_;
}

Clock::duration LiveSession::idle() const {
  if (turn_.in_use()) return Clock::duration::zero();
  const std::lock_guard lock(mutex_);
  return Clock::now() - last_used_;
}

SessionInfo LiveSession::info() const {
  std::shared_ptr<Member> member;
  SessionInfo info;
  {
    const std::lock_guard lock(mutex_);
    info = info_;
    if (!loss_.empty()) info.notes.push_back(loss_);
    member = member_;
  }
  if (member && info.state != SessionState::Gone) info.memory = member->memory();
  return info;
}

Result<std::shared_ptr<const Place>> LiveSession::place() const {
  if (ended()) return Err(gone());
  const std::lock_guard lock(mutex_);
  return std::shared_ptr<const Place>(place_);
}

std::size_t LiveSession::processes() const {
  const std::lock_guard lock(mutex_);
  return 1 + checkpoints_.size();
}

void LiveSession::end(const std::string& reason) {
  std::shared_ptr<Member> member;
  std::shared_ptr<Place> place;
  std::map<std::string, Checkpoint, std::less<>> checkpoints;
  {
    const std::lock_guard lock(mutex_);
    if (info_.state == SessionState::Gone) return;
    info_.state = SessionState::Gone;
    info_.gone_reason = reason;
    member = std::move(member_);
    checkpoints = std::move(checkpoints_);
    place = std::move(place_);
  }
  turn_.close();
  // A cell that runs holds the member too, and sees it die.
  if (member) member->kill();
  if (place) place->clear();  // siblings may live on in the sandbox
}

CellLimits LiveSession::limits_for(const Cell& cell, CellResult& result) const {
  CellLimits limits;
  limits.timeout = cell.timeout.value_or(recipe_->options.policy.timeout);
  if (limits.timeout > options_.max_cell_timeout) {
    limits.timeout = options_.max_cell_timeout;
    if (cell.timeout) {
      result.notes.push_back("the timeout was lowered to the server's maximum of " +
                             format_duration(options_.max_cell_timeout));
    }
  }
  limits.grace = options_.interrupt_grace;
  limits.output = recipe_->limits.stdout_bytes;
  limits.errors = recipe_->limits.stderr_bytes;
  limits.cpu_time = recipe_->limits.cpu_time;
  return limits;
}

Result<CellResult> LiveSession::execute(const Cell& cell, const std::stop_token& cancel,
                                        CellSink* sink) {
  if (cell.code.size() > kMaxCode) {
    return Err(Error(ErrorCode::TooLarge, fmt::format("a cell has at most {} MiB, this one has {} "
                                                      "bytes",
                                                      kMaxCode >> 20U, cell.code.size())));
  }
  if (cell.timeout && *cell.timeout <= milliseconds(0)) {
    return Err(Error::invalid_field("timeout_ms", "must be more than 0 ms"));
  }
  COVE_ASSIGN(const auto hold, take_turn(cancel));
  std::shared_ptr<void> place;
  if (sink != nullptr) {
    COVE_ASSIGN(place, sink->on_turn());
  }
  const auto member = this->member();
  if (!member) return Err(gone());
  CellResult early;
  CellRun run(*member, limits_for(cell, early), sink);
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = ++info_.cells;
    running_ = &run;
    info_.cell_started = system_clock::now();
    info_.state = info_.state == SessionState::Gone ? info_.state : SessionState::Running;
  }
  CellResult result = run.run(number, cell.code, cancel);
  result.notes.insert(result.notes.begin(), early.notes.begin(), early.notes.end());
  const bool heard = !cancel.stop_requested();
  settle(result, heard);
  if (ended()) return Err(gone());
  if (heard) tell_loss(result);
  return result;
}

void LiveSession::remember_loss(const CellResult& result, bool heard) {
  std::string loss =
      fmt::format("all variables were lost at {}, in cell {}: {}{}", time_now(), result.count,
                  heard ? "" : "its caller went away or cancelled it, and ", why_lost(result));
  const std::lock_guard lock(mutex_);
  loss_ = std::move(loss);
  loss_untold_ = !heard;
}

void LiveSession::tell_loss(CellResult& result) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(loss_untold_, false)) return;
  // For a client that keeps books it is the same as a loss in this cell: what it set up before is
  // gone. The note says that it happened earlier.
  result.state_lost = true;
  result.notes.push_back("before this cell " + loss_);
}

void LiveSession::settle(CellResult& result, bool heard) {
  bool lost = false;
  {
    const std::lock_guard lock(mutex_);
    running_ = nullptr;
    info_.cell_started.reset();
    if (info_.state == SessionState::Gone) return;
    info_.state = SessionState::Idle;
    last_used_ = Clock::now();
    info_.last_used = system_clock::now();
    if (std::exchange(first_after_fork_, false) && result.status == ExecutionStatus::Timeout) {
      result.notes.emplace_back(
          "this was the first cell after a fork: it may have waited for a lock that a thread held "
          "which did not survive the fork");
    }
    if (being_reset_ && result.state_lost) {
      result.status = ExecutionStatus::Cancelled;
      result.error.reset();
      result.notes.emplace_back("the session was reset");
      return;  // who resets it starts it anew
    }
    lost = result.state_lost;
  }
  if (!lost) return;
  remember_loss(result, heard);
  result.notes.emplace_back("all variables are lost: a fresh interpreter was started; files stay");
  if (auto fresh = start_afresh(); !fresh) {
    end("its process was lost and a fresh one could not be started: " + fresh.error().message());
  }
}

Result<> LiveSession::start_afresh() {
  std::shared_ptr<Place> files;
  {
    const std::lock_guard lock(mutex_);
    files = place_;
  }
  if (!files) return Err(gone());
  COVE_ASSIGN(auto started, start_fresh(*recipe_, files->number(), files.get()));
  std::shared_ptr<Member> old;
  const std::lock_guard lock(mutex_);
  if (info_.state == SessionState::Gone) return {};
  old = std::exchange(member_, std::move(started.member));
  place_ = std::move(started.place);
  files->clear();
  return {};
}

Result<> LiveSession::interrupt() {
  const std::lock_guard lock(mutex_);
  if (info_.state == SessionState::Gone) {
    return Err(
        Error(ErrorCode::Gone, fmt::format("session {} is gone: {}", info_.id, info_.gone_reason)));
  }
  if (running_ == nullptr) {
    return Err(Error(ErrorCode::Conflict, "no cell of the session is running"));
  }
  running_->interrupt();
  return {};
}

Result<> LiveSession::reset() {
  {
    const std::lock_guard lock(mutex_);
    being_reset_ = true;
    if (running_ != nullptr && member_) member_->kill();
  }
  auto hold = take_turn();
  {
    const std::lock_guard lock(mutex_);
    being_reset_ = false;
    first_after_fork_ = false;
    info_.notes.clear();
    loss_.clear();
    loss_untold_ = false;
  }
  if (!hold) return Err(hold.error());
  return start_afresh();
}

}  // namespace cove
