#include "net/load_driver.h"

#include <arpa/inet.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <vector>

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "base/unique_fd.h"

namespace cove {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kLastAnswers{30};
constexpr std::size_t kLargestAnswer = 4U << 20U;

struct Lane {
  UniqueFd fd;
  std::string received;
  Clock::time_point sent;
  Clock::time_point pause_until;
  bool waiting = false;  // for an answer
  bool pausing = false;
};

// Where an answer ends: head and Content-Length; 0: not all of it is there.
std::size_t answer_size(const std::string& text) {
  const std::size_t head = text.find("\r\n\r\n");
  if (head == std::string::npos) return 0;
  constexpr std::string_view kName = "\r\ncontent-length:";
  std::size_t length = 0;
  for (std::size_t at = text.find("\r\n"); at < head; at = text.find("\r\n", at + 2)) {
    if (::strncasecmp(text.c_str() + at, kName.data(), kName.size()) != 0) continue;
    const char* first = text.c_str() + at + kName.size();
    while (*first == ' ') ++first;
    std::from_chars(first, text.c_str() + text.size(), length);
  }
  const std::size_t size = head + 4 + length;
  return text.size() >= size ? size : 0;
}

class Driver {
 public:
  explicit Driver(const LoadPlan& plan)
      : plan_(plan),
        request_(fmt::format("POST {} HTTP/1.1\r\nHost: {}:{}\r\nContent-Type: application/json\r\n"
                             "{}Content-Length: {}\r\n\r\n{}",
                             plan.path, plan.host, plan.port,
                             plan.key.empty() ? "" : "Authorization: Bearer " + plan.key + "\r\n",
                             plan.body.size(), plan.body)),
        lanes_(plan.connections) {}

  Result<LoadOutcome> run();

 private:
  Result<> connect(std::size_t index);
  void send(std::size_t index);
  void receive(std::size_t index);
  void take_answer(Lane& lane, std::size_t size);
  void reconnect(std::size_t index);
  void wake_pausing(Clock::time_point now);

  const LoadPlan& plan_;
  std::string request_;
  std::vector<Lane> lanes_;
  UniqueFd epoll_;
  bool counting_ = false;
  bool stopping_ = false;
  LoadOutcome out_;
};

Result<> Driver::connect(std::size_t index) {
  Lane& lane = lanes_[index];
  lane = Lane();
  lane.fd.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!lane.fd) return Err(Error::from_errno("opening a socket"));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(plan_.port);
  if (::inet_pton(AF_INET, plan_.host.c_str(), &address.sin_addr) != 1) {
    return Err(Error(ErrorCode::InvalidRequest, plan_.host + " is no IPv4 address"));
  }
  if (::connect(lane.fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return Err(Error::from_errno(fmt::format("connecting to {}:{}", plan_.host, plan_.port)));
  }
  const int on = 1;
  ::setsockopt(lane.fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = index;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, lane.fd.get(), &event) != 0) {
    return Err(Error::from_errno("watching a socket"));
  }
  return {};
}

// Requests are small and the lane is idle: the socket's buffer takes them whole.
void Driver::send(std::size_t index) {
  Lane& lane = lanes_[index];
  lane.pausing = false;
  if (stopping_) return;
  lane.sent = Clock::now();
  lane.waiting = true;
  const ssize_t done = ::send(lane.fd.get(), request_.data(), request_.size(), MSG_NOSIGNAL);
  if (done != static_cast<ssize_t>(request_.size())) reconnect(index);
}

void Driver::reconnect(std::size_t index) {
  if (counting_ && lanes_[index].waiting) ++out_.broken;
  lanes_[index] = Lane();
  if (stopping_ || !connect(index)) return;
  // A server that closes at once would otherwise be asked without end.
  lanes_[index].pausing = true;
  lanes_[index].pause_until = Clock::now() + plan_.pause_when_busy;
}

void Driver::receive(std::size_t index) {
  Lane& lane = lanes_[index];
  std::array<char, 16384> room;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const ssize_t got = ::recv(lane.fd.get(), room.data(), room.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0 || lane.received.size() > kLargestAnswer) return reconnect(index);
  lane.received.append(room.data(), static_cast<std::size_t>(got));
  const std::size_t size = answer_size(lane.received);
  if (size == 0) return;
  take_answer(lane, size);
  if (!lane.pausing) send(index);
}

void Driver::take_answer(Lane& lane, std::size_t size) {
  const double took = std::chrono::duration<double, std::milli>(Clock::now() - lane.sent).count();
  const std::string answer = lane.received.substr(0, size);
  lane.received.erase(0, size);
  lane.waiting = false;
  const std::string_view status = std::string_view(answer).substr(9, 3);
  const bool busy = status == "429";
  const auto pause = busy ? plan_.pause_when_busy : plan_.pause;
  lane.pausing = pause.count() > 0;
  lane.pause_until = Clock::now() + pause;
  if (!counting_) return;
  if (busy) {
    ++out_.busy;
  } else if (status == "200" && answer.find(plan_.expected) != std::string::npos) {
    out_.answered.add(took);
    if (!stopping_) ++out_.in_time;
  } else {
    if (out_.wrong++ == 0) out_.first_wrong = answer.substr(0, 600);
  }
}

void Driver::wake_pausing(Clock::time_point now) {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i].pausing && lanes_[i].pause_until <= now) send(i);
  }
}

Result<LoadOutcome> Driver::run() {
  epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_) return Err(Error::from_errno("creating an epoll"));
  for (std::size_t i = 0; i < lanes_.size(); ++i) COVE_TRY(connect(i));
  for (std::size_t i = 0; i < lanes_.size(); ++i) send(i);
  const auto start = Clock::now() + plan_.warm_up;
  const auto end = start + plan_.duration;
  std::array<epoll_event, 256> events{};
  for (;;) {
    const int ready = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 5);
    for (int i = 0; i < ready; ++i) receive(events[static_cast<std::size_t>(i)].data.u64);
    const auto now = Clock::now();
    counting_ = counting_ || now >= start;
    wake_pausing(now);
    if (!stopping_ && now >= end) {
      stopping_ = true;
      out_.seconds = std::chrono::duration<double>(now - start).count();
    }
    const auto waiting = std::ranges::count_if(lanes_, &Lane::waiting);
    if (stopping_ && waiting == 0) break;
    if (stopping_ && now >= end + kLastAnswers) {
      out_.lost = static_cast<std::size_t>(waiting);
      break;
    }
  }
  return std::move(out_);
}

}  // namespace

void LoadOutcome::add(const LoadOutcome& other) {
  answered.add_all(other.answered);
  in_time += other.in_time;
  busy += other.busy;
  wrong += other.wrong;
  broken += other.broken;
  lost += other.lost;
  seconds += other.seconds;
  if (first_wrong.empty()) first_wrong = other.first_wrong;
}

Result<LoadOutcome> drive_load(const LoadPlan& plan) {
  return Driver(plan).run();
}

}  // namespace cove
