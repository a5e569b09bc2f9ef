// Forking a session, and the checkpoints that build on it.
#include <algorithm>
#include <mutex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/random_id.h"
#include "base/strings.h"
#include "session/live_session.h"

namespace cove {
namespace {

using std::chrono::system_clock;

constexpr std::size_t kMaxName = 200;

// What a fork cannot take along, for people.
std::vector<std::string> fork_notes(const std::vector<std::string>& threads) {
  std::vector<std::string> notes;
  if (!threads.empty()) {
    std::vector<std::string> names;
    names.reserve(threads.size());
    for (const auto& name : threads) names.push_back(quoted(name));
    notes.push_back(fmt::format(
        "{} {} did not survive the fork: {}. Locks that they held stay locked", threads.size(),
        threads.size() == 1 ? "thread" : "threads", fmt::join(names, ", ")));
    notes.emplace_back(
        "the first cell runs under a watchdog: if it waits for such a lock, its timeout ends it");
  }
  return notes;
}

Error cannot_fork(const SessionRecipe& recipe) {
  return {ErrorCode::Conflict, fmt::format("only python sessions can be forked, this one is {}",
                                           recipe.options.language)};
}

}  // namespace

Result<std::shared_ptr<LiveSession>> LiveSession::fork(std::string id) {
  if (!recipe_->can_fork) return Err(cannot_fork(*recipe_));
  COVE_ASSIGN(const auto hold, take_turn());
  const auto from = member();
  COVE_ASSIGN(const auto here, place());
  if (!from) return Err(gone());
  COVE_ASSIGN(auto there, Place::open(*from->sandbox(), family_->next_place++));
  if (auto copied = there->replace_with(*here); !copied) {
    there->clear();
    return Err(copied.error());
  }
  auto branch = fork_member(*recipe_, *from);
  if (branch) {
    if (auto started = start_branch(*recipe_, *branch->member, *there, here->path()); !started) {
      branch = Err(started.error());
    }
  }
  if (!branch) {
    there->clear();
    return Err(branch.error());
  }
  SessionInfo info;
  info.id = std::move(id);
  {
    const std::lock_guard lock(mutex_);
    info.parent = info_.id;
    info.cells = info_.cells;
  }
  info.notes = fork_notes(branch->lost_threads);
  auto made = std::make_shared<LiveSession>(
      recipe_, family_, StartedMember{std::move(branch->member), std::move(there)}, std::move(info),
      options_);
  // What this one lost, its branch never had: whoever uses it has to hear of it, too.
  const std::scoped_lock lock(mutex_, made->mutex_);
  made->loss_ = loss_;
  made->loss_untold_ = loss_untold_;
  return made;
}

Result<CheckpointInfo> LiveSession::checkpoint(std::string name) {
  if (!recipe_->can_fork) return Err(cannot_fork(*recipe_));
  if (name.size() > kMaxName) {
    return Err(Error::invalid_field("name", fmt::format("has more than {} bytes", kMaxName)));
  }
  COVE_ASSIGN(const auto hold, take_turn());
  const auto from = member();
  COVE_ASSIGN(const auto here, place());
  if (!from) return Err(gone());
  Checkpoint made;
  COVE_ASSIGN(made.files, Place::hidden(*from->sandbox(), family_->next_place++));
  COVE_TRY(made.files->replace_with(*here));
  COVE_ASSIGN(auto branch, fork_member(*recipe_, *from));
  made.member = std::move(branch.member);
  made.info = {.id = random_id("cp_"), .name = std::move(name), .created = system_clock::now()};
  const std::lock_guard lock(mutex_);
  if (info_.state == SessionState::Gone) {
    return Err(Error(ErrorCode::Gone, fmt::format("session {} is gone", info_.id)));
  }
  made.info.cells = info_.cells;
  auto info = made.info;
  checkpoints_.emplace(info.id, std::move(made));
  return info;
}

std::vector<CheckpointInfo> LiveSession::checkpoints() const {
  std::vector<CheckpointInfo> out;
  const std::lock_guard lock(mutex_);
  out.reserve(checkpoints_.size());
  for (const auto& [id, checkpoint] : checkpoints_) out.push_back(checkpoint.info);
  std::ranges::sort(out, {}, &CheckpointInfo::created);
  return out;
}

Result<LiveSession::Checkpoint> LiveSession::find_checkpoint(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto found = checkpoints_.find(id);
  if (found != checkpoints_.end()) return found->second;
  // By the name it was given; of several the latest.
  const Checkpoint* latest = nullptr;
  for (const auto& [key, checkpoint] : checkpoints_) {
    if (checkpoint.info.name != id || id.empty()) continue;
    if (latest == nullptr || checkpoint.info.created >= latest->info.created) latest = &checkpoint;
  }
  if (latest != nullptr) return *latest;
  return Err(Error(ErrorCode::NotFound,
                   fmt::format("session {} has no checkpoint {}", info_.id, quoted(id))));
}

Result<> LiveSession::rollback(std::string_view id) {
  COVE_ASSIGN(const auto hold, take_turn());
  COVE_ASSIGN(const auto checkpoint, find_checkpoint(id));
  if (!checkpoint.member->alive()) {
    return Err(Error(ErrorCode::Gone,
                     "the checkpoint's process died: " + checkpoint.member->how_it_ended()));
  }
  COVE_ASSIGN(const auto here, place());
  // From here on the checkpoint's own sandbox is the session's again, at the same path.
  COVE_ASSIGN(auto branch, fork_member(*recipe_, *checkpoint.member));
  std::shared_ptr<Member> old;
  {
    const std::lock_guard lock(mutex_);
    if (info_.state == SessionState::Gone) return Err(Error(ErrorCode::Gone, "session is gone"));
    old = std::exchange(member_, branch.member);
  }
  old.reset();  // nobody writes to the directory while it is replaced
  if (auto back = move_back(branch, checkpoint, here->number()); !back) {
    end("rolling back failed half-way: " + back.error().message());
    return Err(back.error());
  }
  return {};
}

Result<> LiveSession::move_back(const Branch& branch, const Checkpoint& checkpoint,
                                unsigned number) {
  COVE_ASSIGN(auto there, Place::open(*branch.member->sandbox(), number));
  COVE_TRY(there->replace_with(*checkpoint.files));
  COVE_TRY(start_branch(*recipe_, *branch.member, *there, there->path()));
  const std::lock_guard lock(mutex_);
  place_ = std::move(there);
  info_.cells = checkpoint.info.cells;
  info_.notes = fork_notes(branch.lost_threads);
  loss_.clear();
  loss_untold_ = false;
  first_after_fork_ = true;
  return {};
}

Result<> LiveSession::remove_checkpoint(std::string_view id) {
  Checkpoint removed;
  const std::lock_guard lock(mutex_);
  const auto found = checkpoints_.find(id);
  if (found == checkpoints_.end()) {
    return Err(Error(ErrorCode::NotFound,
                     fmt::format("session {} has no checkpoint {}", info_.id, quoted(id))));
  }
  removed = std::move(found->second);
  checkpoints_.erase(found);
  return {};
}

}  // namespace cove
