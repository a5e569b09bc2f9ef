#pragma once
#include <cstddef>
#include <functional>
#include <string>

#include "api/http_message.h"
#include "base/unique_fd.h"

namespace cove {

// Writes an answer from the thread that has it, while its connection only waits for it: the client
// then need not wait until the connection's own thread is awake. What the socket does not take at
// once is left to the connection.
class AnswerSocket {
 public:
  // The head as it was begun, and how much of head and body is on its way.
  struct Begun {
    std::string head;
    bool keep_alive = false;
    std::size_t sent = 0;
  };

  AnswerSocket() = default;
  // Duplicates the descriptor: what the connection closes meanwhile may be somebody else's a moment
  // later.
  AnswerSocket(int socket, bool head_only, std::function<bool()> keep_alive);

  explicit operator bool() const { return bool(socket_); }
  Begun begin(const HttpResponse& response) const;

 private:
  UniqueFd socket_;
  bool head_only_ = false;
  std::function<bool()> keep_alive_;
};

}  // namespace cove
