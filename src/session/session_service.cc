#include "session/session_service.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "base/random_id.h"
#include "base/strings.h"
#include "session/live_session.h"
#include "session/session_files.h"

namespace cove {
namespace {

constexpr std::size_t kMaxRemembered = 10'000;  // ended sessions whose reason can still be told

class NativeSessions final : public SessionService {
 public:
  NativeSessions(NativeHost host, RuntimeCatalog catalog, SessionServiceOptions options)
      : host_(std::move(host)), catalog_(std::move(catalog)), options_(options) {
    expiry_ = std::jthread([this](const std::stop_token& stop) { expire(stop); });
  }
  ~NativeSessions() override;
  NativeSessions(const NativeSessions&) = delete;
  NativeSessions& operator=(const NativeSessions&) = delete;

  Result<SessionInfo> open(const SessionOptions& options) override;
  Result<CellResult> execute(std::string_view id, const Cell& cell, std::stop_token cancel,
                             CellSink* sink) override {
    COVE_ASSIGN(const auto session, find(id));
    return session->execute(cell, cancel, sink);
  }
  Result<> interrupt(std::string_view id) override {
    COVE_ASSIGN(const auto session, find(id));
    return session->interrupt();
  }
  Result<> reset(std::string_view id) override {
    COVE_ASSIGN(const auto session, find(id));
    return session->reset();
  }
  Result<> remove(std::string_view id) override {
    COVE_ASSIGN(const auto session, find(id));
    session->end("deleted");
    bury(*session);
    return {};
  }

  Result<SessionInfo> fork(std::string_view id) override;
  Result<CheckpointInfo> checkpoint(std::string_view id, std::string name) override {
    COVE_ASSIGN(const auto session, find(id));
    COVE_ASSIGN(const Room room, reserve());
    return session->checkpoint(std::move(name));
  }
  Result<std::vector<CheckpointInfo>> checkpoints(std::string_view id) const override {
    COVE_ASSIGN(const auto session, find(id));
    return session->checkpoints();
  }
  Result<> rollback(std::string_view id, std::string_view checkpoint) override {
    COVE_ASSIGN(const auto session, find(id));
    return session->rollback(checkpoint);
  }
  Result<> remove_checkpoint(std::string_view id, std::string_view checkpoint) override {
    COVE_ASSIGN(const auto session, find(id));
    return session->remove_checkpoint(checkpoint);
  }

  Result<SessionInfo> info(std::string_view id) const override {
    COVE_ASSIGN(const auto session, find(id));
    return session->info();
  }
  std::vector<SessionInfo> list(std::string_view owner) const override;

  Result<std::vector<SessionFile>> files(std::string_view id) const override {
    COVE_ASSIGN(const auto place, place_of(id));
    return list_session_files(*place);
  }
  Result<std::string> read_file(std::string_view id, std::string_view name) const override {
    COVE_ASSIGN(const auto place, place_of(id));
    return read_session_file(*place, name);
  }
  Result<> write_file(std::string_view id, std::string_view name,
                      std::string_view content) override {
    COVE_ASSIGN(const auto place, place_of(id));
    return write_session_file(*place, name, content);
  }
  Result<> remove_file(std::string_view id, std::string_view name) override {
    COVE_ASSIGN(const auto place, place_of(id));
    return remove_session_file(*place, name);
  }

 private:
  using SessionPtr = std::shared_ptr<LiveSession>;

  // A place among the live ones while something is being made.
  class Room {
   public:
    explicit Room(NativeSessions& owner) : owner_(&owner) {}
    Room(Room&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)) {}
    Room& operator=(Room&&) = delete;
    ~Room() {
      if (owner_ == nullptr) return;
      const std::lock_guard lock(owner_->mutex_);
      --owner_->reserved_;
    }

   private:
    NativeSessions* owner_;
  };

  Result<Room> reserve();
  Result<SessionPtr> find(std::string_view id) const;
  Result<std::shared_ptr<const Place>> place_of(std::string_view id) const {
    COVE_ASSIGN(const auto session, find(id));
    session->touch();
    return session->place();
  }
  SessionInfo add(SessionPtr session);
  void bury(const LiveSession& session);
  void expire(const std::stop_token& stop);
  std::vector<SessionPtr> all() const;

  NativeHost host_;
  RuntimeCatalog catalog_;
  SessionServiceOptions options_;
  mutable std::mutex mutex_;  // everything below
  std::map<std::string, SessionPtr, std::less<>> sessions_;
  std::map<std::string, std::string, std::less<>> ended_;  // id -> why
  std::deque<std::string> ended_order_;
  std::size_t reserved_ = 0;
  std::condition_variable_any tick_;
  std::jthread expiry_;
};

NativeSessions::~NativeSessions() {
  expiry_.request_stop();
  expiry_.join();
  std::map<std::string, SessionPtr, std::less<>> sessions;
  {
    const std::lock_guard lock(mutex_);
    sessions.swap(sessions_);
  }
  for (const auto& [id, session] : sessions) session->end("the service ended");
}

Result<NativeSessions::SessionPtr> NativeSessions::find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = sessions_.find(id); found != sessions_.end()) return found->second;
  if (const auto past = ended_.find(id); past != ended_.end()) {
    return Err(Error(ErrorCode::Gone, fmt::format("session {} is gone: {}", id, past->second)));
  }
  return Err(Error(ErrorCode::NotFound, fmt::format("there is no session {}", quoted(id))));
}

std::vector<NativeSessions::SessionPtr> NativeSessions::all() const {
  std::vector<SessionPtr> out;
  const std::lock_guard lock(mutex_);
  out.reserve(sessions_.size());
  for (const auto& [id, session] : sessions_) out.push_back(session);
  return out;
}

Result<NativeSessions::Room> NativeSessions::reserve() {
  std::size_t live = 0;
  for (const auto& session : all()) live += session->processes();
  const std::lock_guard lock(mutex_);
  if (live + reserved_ >= options_.max_sessions) {
    return Err(Error(ErrorCode::Busy,
                     fmt::format("{} sessions and checkpoints are live, as many as this server "
                                 "allows: delete one, or wait until one expires",
                                 live)));
  }
  ++reserved_;
  return Room(*this);
}

SessionInfo NativeSessions::add(SessionPtr session) {
  auto info = session->info();
  const std::lock_guard lock(mutex_);
  sessions_.emplace(info.id, std::move(session));
  return info;
}

void NativeSessions::bury(const LiveSession& session) {
  const auto info = session.info();
  SessionPtr kept;
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(info.id);
  if (found == sessions_.end()) return;
  kept = std::move(found->second);  // its end is nothing to wait for under the lock
  sessions_.erase(found);
  ended_[info.id] = info.gone_reason;
  ended_order_.push_back(info.id);
  if (ended_order_.size() > kMaxRemembered) {
    ended_.erase(ended_order_.front());
    ended_order_.pop_front();
  }
}

void NativeSessions::expire(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    for (const auto& session : all()) {
      const auto patience = session->info().idle_timeout;
      if (!session->ended() && session->idle() >= patience) {
        session->end(fmt::format("expired after {} s idle", patience.count()));
      }
      if (session->ended()) bury(*session);
    }
    std::unique_lock lock(mutex_);
    tick_.wait_for(lock, stop, std::chrono::milliseconds(500), [] { return false; });
  }
}

Result<SessionInfo> NativeSessions::open(const SessionOptions& options) {
  if (options.idle_timeout && (*options.idle_timeout <= std::chrono::seconds(0) ||
                               *options.idle_timeout > options_.max_idle_timeout)) {
    return Err(Error::invalid_field(
        "idle_timeout",
        fmt::format("must be between 1 s and {} s, got {} s", options_.max_idle_timeout.count(),
                    options.idle_timeout->count())));
  }
  COVE_ASSIGN(auto recipe, make_recipe(host_, catalog_, options));
  COVE_ASSIGN(const Room room, reserve());
  COVE_ASSIGN(auto started, start_fresh(recipe, 0, nullptr));
  auto family = std::make_shared<Family>();
  family->id = random_id("fam_");
  SessionInfo info;
  info.id = random_id("ses_");
  return add(std::make_shared<LiveSession>(std::make_shared<SessionRecipe>(std::move(recipe)),
                                           std::move(family), std::move(started), std::move(info),
                                           options_));
}

Result<SessionInfo> NativeSessions::fork(std::string_view id) {
  COVE_ASSIGN(const auto session, find(id));
  COVE_ASSIGN(const Room room, reserve());
  COVE_ASSIGN(auto branch, session->fork(random_id("ses_")));
  return add(std::move(branch));
}

std::vector<SessionInfo> NativeSessions::list(std::string_view owner) const {
  std::vector<SessionInfo> out;
  for (const auto& session : all()) {
    auto info = session->info();
    if (info.state != SessionState::Gone && (owner.empty() || info.owner == owner)) {
      out.push_back(std::move(info));
    }
  }
  std::ranges::sort(out, {}, &SessionInfo::created);
  return out;
}

}  // namespace

Result<std::unique_ptr<SessionService>> SessionService::create(RuntimeCatalog catalog,
                                                               SessionServiceOptions options) {
  COVE_ASSIGN(auto host, NativeHost::probe("namespaces"));
  return std::make_unique<NativeSessions>(std::move(host), std::move(catalog), options);
}

}  // namespace cove
