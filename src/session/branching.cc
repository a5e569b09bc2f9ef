#include "session/branching.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include <fmt/format.h>

#include "session/runner_message.h"

namespace cove {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto kStartPatience = std::chrono::seconds(20);
constexpr auto kForkPatience = std::chrono::seconds(5);

Error did_not(std::string_view what) {
  return {ErrorCode::ExecutionFailed, fmt::format("the session's interpreter did not {}", what)};
}

bool wait_readable(std::span<pollfd> slots, Clock::time_point deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
  if (left <= 0) return false;
  return ::poll(slots.data(), slots.size(), static_cast<int>(left)) != 0;
}

// What a fresh interpreter said on stderr before it gave up.
std::string last_words(const Member& member) {
  std::array<char, 2000> buffer{};
  const ssize_t n = member.errors ? ::read(member.errors.get(), buffer.data(), buffer.size()) : 0;
  return n > 0 ? ": " + std::string(buffer.data(), static_cast<std::size_t>(n)) : "";
}

Result<> await_ready(Member& member, Clock::time_point deadline) {
  for (;;) {
    while (auto frame = member.channel.next()) {
      COVE_ASSIGN(const auto message, parse_runner_message(*frame));
      if (std::holds_alternative<RunnerReady>(message)) return {};
    }
    std::array<pollfd, 2> slots{pollfd{member.channel.fd(), POLLIN, 0},
                                pollfd{member.pidfd(), POLLIN, 0}};
    if (!wait_readable(slots, deadline)) return Err(did_not("answer in time"));
    const bool open = member.channel.fill();
    const bool silent = slots[0].revents == 0 && !member.alive();
    if (!open || silent) return Err(did_not("start" + last_words(member)));
  }
}

Result<> start(const SessionRecipe& recipe, Member& member, const Place& to,
               const std::string& previous, Clock::duration patience) {
  const auto deadline = Clock::now() + patience;
  std::string cwd = to.path();
  if (const auto& below = recipe.options.policy.working_directory; below && !below->empty()) {
    cwd += "/" + *below;
  }
  const std::string body = fmt::format("{}\n{}\n{}\n{}", to.path(), cwd, to.tmp(), previous);
  COVE_TRY(member.channel.send("start", 0, body, {}, deadline));
  return await_ready(member, deadline);
}

// Who is at the other end of a new control socket, by the kernel's word: the sender of its first
// bytes, which are only looked at.
Result<pid_t> first_sender(int socket) {
  std::array<char, 256> bytes{};
  iovec vector = {bytes.data(), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
  msghdr message = {};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t n = ::recvmsg(socket, &message, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (n <= 0) return Err(did_not("fork"));
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_CREDENTIALS) continue;
    ucred who = {};
    std::memcpy(&who, CMSG_DATA(part), sizeof who);
    return who.pid;
  }
  return Err(did_not("say who it is"));
}

}  // namespace

Result<StartedMember> start_fresh(const SessionRecipe& recipe, unsigned place_number,
                                  const Place* files) {
  COVE_ASSIGN(auto launched, FamilySandbox::launch(recipe));
  StartedMember started;
  COVE_ASSIGN(started.place, Place::open(*launched.sandbox, place_number));
  if (files != nullptr) COVE_TRY(started.place->replace_with(*files));
  COVE_ASSIGN(started.member, Member::adopt(recipe, std::move(launched.sandbox), launched.pid,
                                            std::move(launched.ends)));
  COVE_TRY(start(recipe, *started.member, *started.place, started.place->path(), kStartPatience));
  return started;
}

Result<Branch> fork_member(const SessionRecipe& recipe, Member& from) {
  const auto deadline = Clock::now() + kForkPatience;
  COVE_ASSIGN(auto sockets, make_member_sockets(from.sandbox()->uid(), from.sandbox()->gid()));
  const std::array handed = {sockets.theirs.control.get(), sockets.theirs.output.get(),
                             sockets.theirs.errors.get()};
  COVE_TRY(from.channel.send("fork", 0, "", handed, deadline));
  sockets.theirs = {};
  Branch branch;
  bool told = false;
  bool speaks = false;
  while (!told || !speaks) {
    std::array<pollfd, 3> slots{pollfd{from.channel.fd(), POLLIN, 0},
                                pollfd{speaks ? -1 : sockets.ours.control.get(), POLLIN, 0},
                                pollfd{from.pidfd(), POLLIN, 0}};
    if (!wait_readable(slots, deadline)) return Err(did_not("fork in time"));
    if (slots[1].revents != 0) speaks = true;
    if (slots[0].revents == 0) {
      if (slots[2].revents != 0) return Err(did_not("survive being forked"));
      continue;
    }
    if (!from.channel.fill()) return Err(did_not("fork"));
    while (auto frame = from.channel.next()) {
      COVE_ASSIGN(const auto message, parse_runner_message(*frame));
      if (const auto* refused = std::get_if<RunnerRefused>(&message)) {
        return Err(Error(ErrorCode::Conflict, "the session cannot be forked: " + refused->reason));
      }
      if (const auto* forked = std::get_if<RunnerForked>(&message)) {
        branch.lost_threads = forked->lost_threads;
        told = true;
      }
    }
  }
  COVE_ASSIGN(const pid_t pid, first_sender(sockets.ours.control.get()));
  COVE_ASSIGN(branch.member, Member::adopt(recipe, from.sandbox(), pid, std::move(sockets.ours)));
  COVE_TRY(await_ready(*branch.member, deadline));
  return branch;
}

Result<> start_branch(const SessionRecipe& recipe, Member& branch, const Place& to,
                      const std::string& previous) {
  return start(recipe, branch, to, previous, kForkPatience);
}

}  // namespace cove
