#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "executor/container/container_events.h"
#include "executor/container/container_plan.h"
#include "executor/container/container_workspace.h"
#include "executor/local/process_tree.h"
#include "executor/pool_report.h"

namespace cove {

// A started container whose shell waits for one line on stdin. Its program, its words and its
// variables are put into its directory when a request takes it; it serves that one and ends.
struct WaitingContainer {
  WaitingContainer(ContainerEvents& followed, ContainerPlan decided, ContainerWorkspace place);
  WaitingContainer(const WaitingContainer&) = delete;
  WaitingContainer& operator=(const WaitingContainer&) = delete;
  ~WaitingContainer();

  // Writes the request's files and what the shell shall do. Then "go\n" on stdin starts it.
  Result<> give(const ExecutionRequest& request, const ContainerPlan& asked);

  ContainerEvents& events;
  ContainerPlan plan;
  ContainerWorkspace workspace;
  UniqueFd wake;
  UniqueFd out;  // pipes of its own: they end with the program, not with the engine's tidying up
  UniqueFd err;
  std::unique_ptr<ProcessTree> client;
};

// A bounded number of waiting containers of each language, refilled in the background. A request
// whose policy or limits differ from theirs is not served from here. Thread-safe.
class ContainerPool {
 public:
  struct Settings {
    ContainerOptions options;
    ContainerEngine engine;
    std::string owner;
  };
  ContainerPool(Settings settings, ContainerEvents& events);
  ContainerPool(const ContainerPool&) = delete;
  ContainerPool& operator=(const ContainerPool&) = delete;
  ~ContainerPool();  // ends all

  void add(const LanguageProfile& profile);
  // One that fits this plan, or null.
  std::unique_ptr<WaitingContainer> take(const ContainerPlan& plan, const SandboxPolicy& policy);
  // The engine is still removing it.
  void bury(std::unique_ptr<WaitingContainer> used);
  bool wait_until_full(std::chrono::milliseconds patience);
  std::string last_error() const;
  std::vector<PoolReport> report() const;

 private:
  struct Shelf {
    LanguageProfile profile;
    std::deque<std::unique_ptr<WaitingContainer>> waiting;
    std::chrono::steady_clock::time_point not_before;  // after a failure
    PoolReport report;
  };
  std::unique_ptr<WaitingContainer> take_from(Shelf& shelf, const ContainerPlan& plan);
  void work(const std::stop_token& stop);
  Result<std::unique_ptr<WaitingContainer>> start_one(const LanguageProfile& profile);
  void end(WaitingContainer& container) const;
  bool alive(const WaitingContainer& container) const;
  bool refill(const std::stop_token& stop);
  void put_away(bool all);

  Settings settings_;
  ContainerEvents& events_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, Shelf> shelves_;
  std::vector<std::unique_ptr<WaitingContainer>> buried_;
  std::string last_error_;
  // Clients are its children and would end with it: it goes last.
  std::jthread thread_;
};

}  // namespace cove
