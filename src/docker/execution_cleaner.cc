#include "docker/execution_cleaner.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "docker/container_scripts.h"

namespace cove {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(5);
constexpr int kMostTries = 3;

}  // namespace

std::string ExecutionRemains::user() const {
  return fmt::format("{}:{}", uid, uid);
}

bool clean_execution(EngineApi& api, const std::string& container,
                     const ExecutionRemains& remains) {
  ExecSpec spec;
  spec.argv = {"sh",
               "-c",
               clean_script(),
               "sh",
               remains.work_dir,
               remains.name,
               std::to_string(remains.uid)};
  spec.user = remains.user();
  // What is left may be busy killing whoever has its user, and that includes this.
  for (int tries = 0; tries < kMostTries; ++tries) {
    const auto deadline = Clock::now() + kPatience;
    ExecTalk talk;
    talk.give_up = [deadline] { return Clock::now() >= deadline; };
    const auto code = api.run(container, spec, talk);
    if (code && *code == 0) return true;
  }
  return false;
}

ExecutionCleaner::ExecutionCleaner(EngineApi& api, std::string container,
                                   std::function<void()> failed)
    : api_(api),
      container_(std::move(container)),
      failed_(std::move(failed)),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

void ExecutionCleaner::add(ExecutionRemains remains) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(remains));
  }
  changed_.notify_one();
}

void ExecutionCleaner::work(const std::stop_token& stop) {
  for (;;) {
    ExecutionRemains next;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    if (stop.stop_requested()) return;  // the container goes, with all that is in it
    if (clean_execution(api_, container_, next)) continue;
    failed_();
    return;
  }
}

}  // namespace cove
