#pragma once
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "api/event_codec.h"
#include "base/json.h"
#include "engine/job.h"

namespace cove {

// The events of one run on their way to one client, in order. A client that reads too slowly loses
// output events, not the run: what was dropped is said by an event of its own, and the result at
// the end holds the whole output. Thread-safe.
class OutputFeed {
 public:
  // Gives an event to the client; false when it was not taken. `must_keep`: it has to be.
  using Send = std::function<bool(const json::object& event, bool must_keep)>;
  explicit OutputFeed(Send send) : send_(std::move(send)) {}

  // Events are held back until the first one, which names the run, can be sent.
  void open(const json::object& first);
  void output(OutputStream stream, std::string_view bytes);
  void event(const json::object& event);  // kept, whatever the client does
  // What is left of the output, then the last event.
  void close(const json::object& last);

 private:
  struct Channel {
    explicit Channel(std::string_view given) : name(given), events(given) {}
    std::string_view name;
    OutputEvents events;
    std::uint64_t dropped = 0;
  };

  void deliver(const json::object& event, bool must_keep, Channel* channel, std::size_t bytes);
  void report_dropped(Channel& channel, bool must_keep);

  Send send_;
  std::mutex mutex_;
  bool open_ = false;
  std::vector<json::object> early_;
  Channel stdout_{"stdout"};
  Channel stderr_{"stderr"};
};

}  // namespace cove
