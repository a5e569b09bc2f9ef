#include "sandbox/zygote.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <bitset>
#include <cstring>

#include <fmt/format.h>

#include "sandbox/plan_builder.h"

namespace cove::sandbox {
namespace {

Result<> send_command(int socket, std::uint32_t slot, const std::vector<int>& fds) {
  iovec vector = {&slot, sizeof slot};
  const std::size_t size = fds.size() * sizeof(int);
  alignas(cmsghdr) std::array<char, CMSG_SPACE((kForkFds + kMaxJoinFds) * sizeof(int))> control{};
  msghdr message = {};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = CMSG_SPACE(size);
  cmsghdr* part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(size);
  std::memcpy(CMSG_DATA(part), fds.data(), size);
  if (::sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
    return Err(Error::from_errno("ask the zygote"));
  return {};
}

}  // namespace

struct Zygote::Slots {
  std::mutex mutex;
  std::bitset<kMaxGuests + 1> used;
};

Result<std::unique_ptr<Zygote>> Zygote::launch(const SandboxSpec& spec, IdPool ids) {
  COVE_ASSIGN(const auto outer, zygote_plan(spec));
  COVE_ASSIGN(auto inner, forked_guest_plan(spec));
  std::unique_ptr<Zygote> zygote(new Zygote(std::move(ids), std::move(inner)));
  zygote->slots_ = std::make_shared<Slots>();
  zygote->slots_->used[0] = true;  // the zygote's own id
  const bool many = zygote->ids_.can_change_ids();
  const std::uint32_t count = many ? kMaxGuests + 1 : 1;
  COVE_ASSIGN(zygote->first_uid_, zygote->ids_.take(count));
  zygote->owns_ids_ = true;
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Err(Error::from_errno("socketpair"));
  }
  zygote->commands_.reset(ends[0]);
  LaunchRequest request;
  request.plan = &outer;
  request.ids = IdMap{.inside = 0,
                      .outside_uid = zygote->first_uid_,
                      .outside_gid = many ? zygote->first_uid_ : zygote->ids_.own_gid(),
                      .count = count};
  request.guest_plan = &zygote->guest_plan_;
  request.zygote_commands.reset(ends[1]);
  COVE_ASSIGN(zygote->process_, sandbox::launch(std::move(request)));
  return zygote;
}

Zygote::~Zygote() {
  commands_.reset();
  process_.reset();
  if (owns_ids_) ids_.release(first_uid_, ids_.can_change_ids() ? kMaxGuests + 1 : 1);
}

bool Zygote::is_alive() const {
  pollfd watch = {process_->init_pidfd.get(), POLLIN, 0};
  return ::poll(&watch, 1, 0) == 0;
}

Result<std::uint32_t> Zygote::take_slot() {
  const std::lock_guard lock(slots_->mutex);
  for (std::uint32_t slot = 1; slot <= kMaxGuests; ++slot) {
    if (!slots_->used[slot]) {
      slots_->used[slot] = true;
      return slot;
    }
  }
  return Err(Error(ErrorCode::BackendUnavailable,
                   fmt::format("{} guests of one zygote are alive: no more at once", kMaxGuests)));
}

Result<std::unique_ptr<Guest>> Zygote::fork_guest(std::unique_ptr<Cgroup> group) {
  COVE_ASSIGN(const std::uint32_t slot, take_slot());
  auto guest = std::make_unique<Guest>();
  guest->on_gone = [slots = slots_, slot] {
    const std::lock_guard lock(slots->mutex);
    slots->used[slot] = false;
  };
  const bool many = ids_.can_change_ids();
  guest->uid = many ? first_uid_ + slot : ids_.own_uid();
  guest->gid = many ? first_uid_ + slot : ids_.own_gid();
  guest->group = std::move(group);
  COVE_ASSIGN(auto ends, make_streams(*guest));
  COVE_ASSIGN(auto status, make_status_pair());
  guest->status = std::move(status.read);
  // An ordinary user has one id only; their guests differ by their user namespaces.
  std::vector<int> fds = {ends.input.get(), ends.output.get(), ends.errors.get(), ends.job.get(),
                          status.write.get()};
  if (guest->group) {
    for (const int fd : guest->group->join_fds()) fds.push_back(fd);
  }
  COVE_TRY(send_command(commands_.get(), many ? slot : 0, fds));
  ends = {};
  status.write.reset();
  COVE_TRY(await_ready(*guest, guest_plan_, nullptr));
  return guest;
}

}  // namespace cove::sandbox
