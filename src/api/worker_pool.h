#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cove {

// Threads for calls that wait: cells of sessions, files, large requests. Started as they are
// needed, bounded in number, and so is what waits for them. Thread-safe.
class WorkerPool {
 public:
  WorkerPool(std::size_t threads, std::size_t queue) : most_(threads), queue_limit_(queue) {}
  ~WorkerPool() { close(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // False: all threads are busy and the queue is full, or the pool is closed.
  bool run(std::function<void()> work);
  // Runs what waits, then ends the threads; takes nothing more. Not from one of them.
  void close();

 private:
  void work();

  const std::size_t most_;
  const std::size_t queue_limit_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  std::size_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace cove
