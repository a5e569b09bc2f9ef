#include "api/worker_pool.h"

#include <utility>

namespace cove {

void WorkerPool::close() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

bool WorkerPool::run(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return false;
  if (waiting_.size() >= idle_ && threads_.size() >= most_ &&
      waiting_.size() >= queue_limit_ + idle_) {
    return false;
  }
  waiting_.push_back(std::move(work));
  if (waiting_.size() > idle_ && threads_.size() < most_) {
    threads_.emplace_back([this] { this->work(); });
  }
  wake_.notify_one();
  return true;
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace cove
