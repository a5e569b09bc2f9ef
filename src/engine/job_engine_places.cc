// Who may run: jobs, which the engine's workers take, and work of others that only needs a place.
#include <utility>

#include "base/random_id.h"
#include "engine/job_engine.h"

namespace cove {
namespace {

using Steady = std::chrono::steady_clock;

constexpr double kMeanWeight = 0.1;  // of the latest job in the running mean

}  // namespace

std::size_t JobEngine::hand_out_locked() {
  std::size_t runnable = 0;
  while (const auto id = admission_.next()) {
    if (const auto place = places_.find(*id); place != places_.end()) {
      place->second = true;
      place_given_.notify_all();
    } else {
      runnable_.push_back(jobs_.find(*id)->second);
      ++runnable;
    }
  }
  show_counts_locked();
  return runnable;
}

void JobEngine::wake_workers(std::size_t count) {
  for (; count > 0; --count) work_waits_.notify_one();
}

void JobEngine::remember_length_locked(double seconds) {
  run_seconds_ += kMeanWeight * (seconds - run_seconds_);
}

Result<std::shared_ptr<void>> JobEngine::take_place(const Caller& caller,
                                                    const std::stop_token& cancel) {
  const std::string id = random_id("place_");
  std::unique_lock lock(mutex_);
  COVE_TRY(queue_locked(id, caller));
  bool& given = places_[id];
  wake_workers(hand_out_locked());
  place_given_.wait(lock, cancel, [&] { return given || draining_; });
  const bool came = given;
  places_.erase(id);
  if (came) {
    return std::shared_ptr<void>(
        nullptr, [this, id, since = Steady::now()](void*) { give_back(id, since); });
  }
  admission_.remove(id);
  wake_workers(hand_out_locked());
  if (draining_) return Err(Error(ErrorCode::BackendUnavailable, "the server is shutting down"));
  return Err(Error(ErrorCode::Conflict, "cancelled while it waited for its turn"));
}

void JobEngine::give_back(const std::string& place, Steady::time_point since) {
  std::size_t runnable = 0;
  {
    const std::lock_guard lock(mutex_);
    remember_length_locked(std::chrono::duration<double>(Steady::now() - since).count());
    admission_.finish(place);
    runnable = hand_out_locked();
  }
  wake_workers(runnable);
}

}  // namespace cove
