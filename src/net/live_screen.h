#pragma once
#include <termios.h>

#include <chrono>
#include <stop_token>
#include <string>

namespace cove {

// The terminal while a live view has it: the other screen, no cursor, keys at once. What was there
// comes back when this ends, whatever the reason.
class LiveScreen {
 public:
  LiveScreen();
  ~LiveScreen();
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;

  // Shows the text from the top left, cut to the window.
  void show(const std::string& text) const;
  // Waits; false: `q` was pressed, or it is to stop.
  bool wait(std::chrono::milliseconds time, const std::stop_token& stop) const;

 private:
  termios before_{};
  bool changed_keys_ = false;
};

}  // namespace cove
