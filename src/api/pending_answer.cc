#include "api/pending_answer.h"

#include <utility>

namespace cove {

PendingAnswer::PendingAnswer(Bytes buffer, std::function<void()> wake)
    : limit_(buffer.value), wake_(std::move(wake)) {}

// Only when the connection found nothing last time: one wake-up for many pieces. Call it without
// the lock.
void PendingAnswer::notify() {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(wake_wanted_, false)) return;
  }
  wake_();
}

void PendingAnswer::send(HttpResponse response) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(answered_, true)) return;
    finished_ = true;
    // Not wanted: the connection is about to look, and may write something itself.
    const AnswerSocket socket = std::exchange(socket_, {});
    if (socket && wake_wanted_ && !abandoned_) ready_.begun = socket.begin(response);
    ready_.whole = std::move(response);
    ready_.finished = true;
    on_abandoned_ = nullptr;
  }
  notify();
}

void PendingAnswer::start_stream(HttpResponse head) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(answered_, true)) return;
    socket_ = {};
    ready_.stream_head = std::move(head);
  }
  notify();
}

bool PendingAnswer::write(std::string piece, bool must_keep) {
  {
    const std::lock_guard lock(mutex_);
    if (abandoned_ || finished_) return false;
    if (!must_keep && held_ + piece.size() > limit_) return false;
    held_ += piece.size();
    ready_.bytes += piece;
  }
  notify();
  return true;
}

void PendingAnswer::finish() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(finished_, true)) return;
    ready_.finished = true;
    on_abandoned_ = nullptr;
  }
  notify();
}

void PendingAnswer::on_abandoned(std::function<void()> callback) {
  {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    if (!abandoned_) {
      on_abandoned_ = std::move(callback);
      return;
    }
  }
  callback();
}

void PendingAnswer::upgrade(std::shared_ptr<WebSocketHandler> handler, HeaderList headers) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(answered_, true)) return;
    finished_ = true;
    socket_ = {};
    ready_.websocket = std::move(handler);
    ready_.websocket_headers = std::move(headers);
  }
  notify();
}

PendingAnswer::Part PendingAnswer::take() {
  const std::lock_guard lock(mutex_);
  Part part = std::exchange(ready_, {});
  wake_wanted_ = part.empty();
  return part;
}

void PendingAnswer::wait_at(AnswerSocket socket) {
  const std::lock_guard lock(mutex_);
  if (!answered_ && !abandoned_) socket_ = std::move(socket);
}

void PendingAnswer::written(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  held_ -= bytes;
}

void PendingAnswer::abandon() {
  std::function<void()> callback;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(abandoned_, true)) return;
    socket_ = {};
    callback = std::exchange(on_abandoned_, nullptr);
  }
  if (callback) callback();
}

}  // namespace cove
