#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <utility>

namespace cove {

// Who may use a session's interpreter: one at a time, in the order in which they came.
class Turn {
 public:
  // Held for as long as the turn lasts; empty if it never came.
  class Hold {
   public:
    Hold() = default;
    explicit Hold(Turn* turn) : turn_(turn) {}
    Hold(Hold&& other) noexcept : turn_(std::exchange(other.turn_, nullptr)) {}
    Hold& operator=(Hold&&) = delete;
    ~Hold() {
      if (turn_ != nullptr) turn_->release();
    }
    explicit operator bool() const { return turn_ != nullptr; }

   private:
    Turn* turn_ = nullptr;
  };

  // Waits. Empty when the token is stopped or the turn closed first.
  Hold take(const std::stop_token& cancel = {}) {
    std::unique_lock lock(mutex_);
    const auto ticket = next_++;
    waiting_.push_back(ticket);
    const bool came = changed_.wait(
        lock, cancel, [&] { return closed_ || (!held_ && waiting_.front() == ticket); });
    std::erase(waiting_, ticket);
    changed_.notify_all();
    if (!came || closed_) return {};
    held_ = true;
    return Hold(this);
  }

  // Nobody gets a turn any more.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  bool in_use() const {
    const std::lock_guard lock(mutex_);
    return held_ || !waiting_.empty();
  }

 private:
  void release() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<unsigned long> waiting_;
  unsigned long next_ = 0;
  bool held_ = false;
  bool closed_ = false;
};

}  // namespace cove
