#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "docker/engine_api.h"

namespace cove {

// Whose processes and files are to go: see container_scripts.h.
struct ExecutionRemains {
  std::string work_dir;
  std::string name;  // of the execution, in it
  std::uint32_t uid = 0;

  std::string user() const;  // "UID:GID"
};

// Ends whatever is left of an execution and removes its files, by a process that no program could
// have touched before. False when that cannot be vouched for: the container should go.
bool clean_execution(EngineApi& api, const std::string& container, const ExecutionRemains& remains);

// Does that for one execution after the other, on a thread of its own. Thread-safe.
class ExecutionCleaner {
 public:
  // Both must outlive it; `failed` is called on its thread, and nothing is cleaned after that.
  ExecutionCleaner(EngineApi& api, std::string container, std::function<void()> failed);

  void add(ExecutionRemains remains);

 private:
  void work(const std::stop_token& stop);

  EngineApi& api_;
  std::string container_;
  std::function<void()> failed_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<ExecutionRemains> waiting_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace cove
