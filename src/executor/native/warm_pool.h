#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "executor/native/guest_spec.h"
#include "executor/native/native_executor.h"
#include "executor/native/native_host.h"
#include "sandbox/guest.h"
#include "sandbox/zygote.h"

namespace cove {

// Guests that wait for work, a shelf a language. Threads of its own refill the shelves, and end and
// bury used guests off the caller's path. Thread-safe.
class WarmPool {
 public:
  WarmPool(const NativeHost& host, PoolOptions options);
  ~WarmPool();
  WarmPool(const WarmPool&) = delete;
  WarmPool& operator=(const WarmPool&) = delete;

  // A waiting guest; or one made at once where a zygote can; or null: run cold.
  std::unique_ptr<sandbox::Guest> take(const std::string& language);

  // Starts keeping guests of a language. Returns when the first one waits.
  Result<> add(const Runtime& runtime);
  // The same, later and by a thread of the pool; a failure is in the report.
  void add_later(const Runtime& runtime);
  // The language runs cold from now on; the report says why.
  void give_up(const std::string& language, const Error& why);
  // The runtime of a shelf, by the language's name or an alias in lower case.
  const Runtime* find(std::string_view language) const;

  // Takes a used guest off the caller's hands.
  void bury(std::unique_ptr<sandbox::Guest> guest);

  // A control group, used before or new; null where the host has none.
  Result<std::unique_ptr<sandbox::Cgroup>> take_group(const ResolvedLimits& limits);

  std::vector<PoolReport> report() const;
  std::vector<int> waiting_processes() const;
  // Waits until every shelf is full, for measuring.
  bool wait_until_full(std::chrono::milliseconds patience);

 private:
  struct Shelf;

  Result<std::unique_ptr<sandbox::Guest>> make_guest(Shelf& shelf);
  Result<std::unique_ptr<sandbox::Guest>> start_guest(Shelf& shelf);
  Shelf* hungry_shelf();
  bool any_hungry() const;
  void work();
  void add_wanted(std::unique_lock<std::mutex>& lock);
  void refill(Shelf& shelf, std::unique_lock<std::mutex>& lock);
  void dispose(std::unique_ptr<sandbox::Guest> guest);

  const NativeHost& host_;
  PoolOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable filled_;
  std::map<std::string, std::unique_ptr<Shelf>> shelves_;
  std::map<std::string, PoolReport> failed_;  // languages that could not be warmed
  std::deque<Runtime> wanted_;
  std::deque<std::unique_ptr<sandbox::Guest>> used_;
  std::vector<std::unique_ptr<sandbox::Cgroup>> free_groups_;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace cove
