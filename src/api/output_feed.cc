#include "api/output_feed.h"

namespace cove {

void OutputFeed::open(const json::object& first) {
  const std::lock_guard lock(mutex_);
  if (open_) return;
  open_ = true;
  send_(first, true);
  for (const json::object& event : early_) send_(event, true);
  early_.clear();
}

void OutputFeed::deliver(const json::object& event, bool must_keep, Channel* channel,
                         std::size_t bytes) {
  if (event.empty()) return;
  if (!open_) {  // the moment between a submission and knowing its id
    early_.push_back(event);
    return;
  }
  if (channel != nullptr) report_dropped(*channel, must_keep);
  if (send_(event, must_keep) || channel == nullptr) return;
  channel->dropped += bytes;
}

void OutputFeed::report_dropped(Channel& channel, bool must_keep) {
  if (channel.dropped == 0) return;
  if (send_(dropped_event(channel.name, channel.dropped), must_keep)) channel.dropped = 0;
}

void OutputFeed::output(OutputStream stream, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  Channel& channel = stream == OutputStream::Stdout ? stdout_ : stderr_;
  deliver(channel.events.add(bytes), false, &channel, bytes.size());
}

void OutputFeed::event(const json::object& event) {
  const std::lock_guard lock(mutex_);
  deliver(event, true, nullptr, 0);
}

void OutputFeed::close(const json::object& last) {
  const std::lock_guard lock(mutex_);
  for (Channel* channel : {&stdout_, &stderr_}) {
    const json::object rest = channel->events.rest();
    deliver(rest, true, channel, 0);
    report_dropped(*channel, true);
  }
  deliver(last, true, nullptr, 0);
}

}  // namespace cove
