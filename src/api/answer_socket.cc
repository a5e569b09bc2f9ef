#include "api/answer_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <utility>

namespace cove {

AnswerSocket::AnswerSocket(int socket, bool head_only, std::function<bool()> keep_alive)
    : socket_(::fcntl(socket, F_DUPFD_CLOEXEC, 0)),
      head_only_(head_only),
      keep_alive_(std::move(keep_alive)) {}

AnswerSocket::Begun AnswerSocket::begin(const HttpResponse& response) const {
  Begun begun;
  begun.keep_alive = keep_alive_();
  ResponseFraming framing;
  framing.content_length = response.body.size();
  framing.keep_alive = begun.keep_alive;
  begun.head = response_head(response, framing);
  std::array<iovec, 2> parts{};
  parts[0] = {begun.head.data(), begun.head.size()};
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): sendmsg only reads it.
  parts[1] = {const_cast<char*>(response.body.data()), head_only_ ? 0 : response.body.size()};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  // Whatever goes wrong, the connection meets it too when it writes the rest.
  const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent > 0) begun.sent = static_cast<std::size_t>(sent);
  return begun;
}

}  // namespace cove
