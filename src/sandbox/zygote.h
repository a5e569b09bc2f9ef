#pragma once
#include <memory>
#include <mutex>

#include "base/result.h"
#include "sandbox/guest.h"
#include "sandbox/id_pool.h"
#include "sandbox/launcher.h"
#include "sandbox/spec.h"

namespace cove::sandbox {

// A warmed interpreter inside a finished sandbox that makes guests by forking. It never runs
// foreign code. Thread-safe.
class Zygote {
 public:
  // Guests alive at once below one zygote, each with an outer user id of its own when run as root.
  static constexpr std::uint32_t kMaxGuests = 128;

  // `spec` describes the guests; its executable and environment start the zygote.
  static Result<std::unique_ptr<Zygote>> launch(const SandboxSpec& spec, IdPool ids);
  ~Zygote();
  Zygote(const Zygote&) = delete;
  Zygote& operator=(const Zygote&) = delete;

  // A guest that is locked down and waits. It may outlive a call, but not the zygote.
  Result<std::unique_ptr<Guest>> fork_guest(std::unique_ptr<Cgroup> group);

  bool is_alive() const;

 private:
  Zygote(IdPool ids, SetupPlan guest_plan)
      : ids_(std::move(ids)), guest_plan_(std::move(guest_plan)) {}
  Result<std::uint32_t> take_slot();

  IdPool ids_;
  SetupPlan guest_plan_;
  std::unique_ptr<Guest> process_;
  UniqueFd commands_;
  std::uint32_t first_uid_ = 0;
  bool owns_ids_ = false;

  // Outlives the zygote in the hands of its guests.
  struct Slots;
  std::shared_ptr<Slots> slots_;
};

}  // namespace cove::sandbox
