#pragma once
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace cove {

struct TerminalSize {
  unsigned short rows = 24;
  unsigned short columns = 80;
};

// What a caller sends to a program while it runs: bytes for its standard input, signals, a new
// terminal size. Made and written to by the caller, from any thread; read by the executor that was
// given it. It may be filled before the program starts.
class LiveInput {
 public:
  static constexpr std::size_t kMaxPending = 4U << 20U;

  LiveInput();
  LiveInput(const LiveInput&) = delete;
  LiveInput& operator=(const LiveInput&) = delete;

  // False when more than kMaxPending bytes wait already: the program does not read them.
  bool write(std::string_view bytes);
  void close();                  // end of input, behind what was written
  void send_signal(int number);  // to the main process
  void resize(TerminalSize size);

  // For the executor. Readable when anything below has something to give.
  int event_fd() const { return event_.get(); }
  void clear_event();
  // Up to `most` bytes, left in place until consume().
  std::string peek(std::size_t most) const;
  void consume(std::size_t bytes);
  bool closed() const;  // and nothing is left to read
  std::optional<int> next_signal();
  std::optional<TerminalSize> next_size();

 private:
  void wake() const;

  UniqueFd event_;
  mutable std::mutex mutex_;
  std::string pending_;
  bool closed_ = false;
  std::deque<int> signals_;
  std::optional<TerminalSize> size_;
};

}  // namespace cove
