#include "base/live_input.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace cove {

LiveInput::LiveInput() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void LiveInput::wake() const {
  const std::uint64_t one = 1;
  if (::write(event_.get(), &one, sizeof one) < 0) return;  // full: it is readable already
}

void LiveInput::clear_event() {
  std::uint64_t count = 0;
  if (::read(event_.get(), &count, sizeof count) < 0) return;  // nothing to clear
}

bool LiveInput::write(std::string_view bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || pending_.size() + bytes.size() > kMaxPending) return false;
    pending_ += bytes;
  }
  wake();
  return true;
}

void LiveInput::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  wake();
}

void LiveInput::send_signal(int number) {
  {
    const std::lock_guard lock(mutex_);
    signals_.push_back(number);
  }
  wake();
}

void LiveInput::resize(TerminalSize size) {
  {
    const std::lock_guard lock(mutex_);
    size_ = size;
  }
  wake();
}

std::string LiveInput::peek(std::size_t most) const {
  const std::lock_guard lock(mutex_);
  return pending_.substr(0, most);
}

void LiveInput::consume(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  pending_.erase(0, bytes);
}

bool LiveInput::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_ && pending_.empty();
}

std::optional<int> LiveInput::next_signal() {
  const std::lock_guard lock(mutex_);
  if (signals_.empty()) return std::nullopt;
  const int number = signals_.front();
  signals_.pop_front();
  return number;
}

std::optional<TerminalSize> LiveInput::next_size() {
  const std::lock_guard lock(mutex_);
  return std::exchange(size_, std::nullopt);
}

}  // namespace cove
