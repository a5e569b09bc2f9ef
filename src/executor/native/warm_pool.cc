#include "executor/native/warm_pool.h"

#include <algorithm>

#include "executor/native/guest_files.h"
#include "sandbox/launcher.h"
#include "sandbox/plan_builder.h"
#include "sandbox/rootfs.h"

namespace cove {

using sandbox::Cgroup;
using sandbox::Guest;

namespace {

// They mostly wait for the kernel to set up or take down namespaces, so more than there are cores.
constexpr unsigned kWorkers = 8;
constexpr std::size_t kSpareGroups = 64;
// A shelf whose guests do not come up is left alone for a while instead of burning a processor.
constexpr auto kRetryDelay = std::chrono::seconds(1);
constexpr auto kRefillDelay = std::chrono::milliseconds(20);

// A zygote's guests get their own /tmp, which would hide an interpreter that lies there.
Result<> check_mounts(const Runtime& runtime) {
  for (const auto& path : runtime.mounts) {
    if (!sandbox::is_covered_by_scratch(path)) continue;
    return Err(Error(ErrorCode::BackendUnavailable,
                     runtime.profile.name + " cannot be kept warm: " + path + " lies below /tmp"));
  }
  return {};
}

}  // namespace

struct WarmPool::Shelf {
  Runtime runtime;
  ResolvedLimits limits;
  sandbox::SandboxSpec spec;
  std::mutex zygote_mutex;
  std::shared_ptr<sandbox::Zygote> zygote;  // Fork only
  std::deque<std::unique_ptr<Guest>> ready;
  std::size_t starting = 0;
  std::chrono::steady_clock::time_point not_before;
  PoolReport report;
};

WarmPool::WarmPool(const NativeHost& host, PoolOptions options)
    : host_(host), options_(std::move(options)) {
  for (unsigned i = 0; i < kWorkers; ++i) workers_.emplace_back([this] { work(); });
}

WarmPool::~WarmPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (auto& worker : workers_) worker.join();
  used_.clear();
  // Guests before their zygote.
  for (auto& [name, shelf] : shelves_) shelf->ready.clear();
}

Result<std::unique_ptr<Cgroup>> WarmPool::take_group(const ResolvedLimits& limits) {
  if (!host_.has_cgroups()) return std::unique_ptr<Cgroup>();
  std::unique_ptr<Cgroup> group;
  {
    const std::lock_guard lock(mutex_);
    if (!free_groups_.empty()) {
      group = std::move(free_groups_.back());
      free_groups_.pop_back();
    }
  }
  if (!group) {
    COVE_ASSIGN(group, host_.cgroups.host->create());
  }
  COVE_TRY(group->set_limits(group_limits(limits)));
  return group;
}

Result<std::unique_ptr<Guest>> WarmPool::make_guest(Shelf& shelf) {
  COVE_ASSIGN(auto guest, start_guest(shelf));
  COVE_TRY(make_program_file(*guest, shelf.runtime.profile.extension));
  return guest;
}

Result<std::unique_ptr<Guest>> WarmPool::start_guest(Shelf& shelf) {
  COVE_ASSIGN(auto group, take_group(shelf.limits));
  if (shelf.runtime.profile.warm == WarmMode::Fork) {
    std::shared_ptr<sandbox::Zygote> zygote;
    {
      const std::lock_guard lock(shelf.zygote_mutex);
      if (!shelf.zygote || !shelf.zygote->is_alive()) {
        COVE_ASSIGN(shelf.zygote, sandbox::Zygote::launch(shelf.spec, host_.ids));
      }
      zygote = shelf.zygote;
    }
    COVE_ASSIGN(auto guest, zygote->fork_guest(std::move(group)));
    // The guest keeps its zygote alive, whatever becomes of the shelf.
    guest->on_gone = [zygote, before = std::move(guest->on_gone)] { before(); };
    return guest;
  }
  sandbox::IdPool ids = host_.ids;
  COVE_ASSIGN(const auto uid, ids.take());
  COVE_ASSIGN(const auto plan, sandbox::guest_plan(shelf.spec));
  sandbox::LaunchRequest request;
  request.plan = &plan;
  request.ids = sandbox::IdMap{.inside = sandbox::kGuestUid,
                               .outside_uid = uid,
                               .outside_gid = ids.can_change_ids() ? uid : ids.own_gid()};
  request.uid = uid;
  request.gid = ids.can_change_ids() ? uid : ids.own_gid();
  request.group = std::move(group);
  auto guest = sandbox::launch(std::move(request));
  if (!guest) {
    ids.release(uid);
    return guest;
  }
  (*guest)->on_gone = [ids, uid]() mutable { ids.release(uid); };
  return guest;
}

Result<> WarmPool::add(const Runtime& runtime) {
  auto shelf = std::make_unique<Shelf>();
  shelf->runtime = runtime;
  shelf->limits = resolve_limits({}, {}, runtime.profile.limits);
  shelf->report.language = runtime.profile.name;
  COVE_TRY(check_mounts(runtime));
  const ExecutionRequest plain;
  const StartMode mode = runtime.profile.warm == WarmMode::Fork    ? StartMode::Zygote
                         : runtime.profile.warm == WarmMode::Spawn ? StartMode::Waiting
                                                                   : StartMode::AwaitJob;
  COVE_ASSIGN(shelf->spec, make_spec(host_, runtime, plain, shelf->limits, GuestPaths{}, mode));
  COVE_ASSIGN(auto first, make_guest(*shelf));
  shelf->ready.push_back(std::move(first));
  shelf->report.started = 1;
  {
    const std::lock_guard lock(mutex_);
    shelves_.emplace(runtime.profile.name, std::move(shelf));
  }
  wake_.notify_all();
  return {};
}

void WarmPool::add_later(const Runtime& runtime) {
  {
    const std::lock_guard lock(mutex_);
    const auto same = [&](const Runtime& other) {
      return other.profile.name == runtime.profile.name;
    };
    if (failed_.contains(runtime.profile.name) || std::ranges::any_of(wanted_, same)) return;
    wanted_.push_back(runtime);
  }
  wake_.notify_one();
}

void WarmPool::give_up(const std::string& language, const Error& why) {
  const std::lock_guard lock(mutex_);
  failed_[language] = {.language = language, .last_error = why.message()};
}

const Runtime* WarmPool::find(std::string_view language) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, shelf] : shelves_) {
    const auto& profile = shelf->runtime.profile;
    if (name == language || std::ranges::find(profile.aliases, language) != profile.aliases.end()) {
      return &shelf->runtime;
    }
  }
  return nullptr;
}

std::unique_ptr<Guest> WarmPool::take(const std::string& language) {
  Shelf* shelf = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = shelves_.find(language);
    if (found == shelves_.end()) return nullptr;
    shelf = found->second.get();
    while (!shelf->ready.empty()) {
      auto guest = std::move(shelf->ready.front());
      shelf->ready.pop_front();
      if (guest->wait_until_gone(std::chrono::milliseconds(0))) {
        used_.push_back(std::move(guest));  // died while it waited
        continue;
      }
      ++shelf->report.hits;
      // Making the next one would get in the way of this run: wait for its end, or a moment.
      if (shelf->ready.empty()) {
        wake_.notify_one();
      } else {
        shelf->not_before = std::chrono::steady_clock::now() + kRefillDelay;
      }
      return guest;
    }
    ++shelf->report.misses;
  }
  // A fork is still far cheaper than a cold start.
  if (shelf->runtime.profile.warm != WarmMode::Fork) return nullptr;
  auto guest = make_guest(*shelf);
  return guest ? std::move(*guest) : nullptr;
}

void WarmPool::bury(std::unique_ptr<Guest> guest) {
  {
    const std::lock_guard lock(mutex_);
    used_.push_back(std::move(guest));
    for (auto& [name, shelf] : shelves_) {
      if (shelf->report.last_error.empty()) shelf->not_before = {};
    }
  }
  wake_.notify_one();
}

void WarmPool::dispose(std::unique_ptr<Guest> guest) {
  auto group = std::move(guest->group);
  guest.reset();  // ends what is left and waits for it
  if (!group || !group->is_empty()) return;
  group->reset();
  const std::lock_guard lock(mutex_);
  if (free_groups_.size() < kSpareGroups) free_groups_.push_back(std::move(group));
}

WarmPool::Shelf* WarmPool::hungry_shelf() {
  const auto now = std::chrono::steady_clock::now();
  for (auto& [name, shelf] : shelves_) {
    if (shelf->ready.size() + shelf->starting < options_.size && now >= shelf->not_before) {
      return shelf.get();
    }
  }
  return nullptr;
}

bool WarmPool::any_hungry() const {
  return std::ranges::any_of(shelves_, [this](const auto& entry) {
    return entry.second->ready.size() + entry.second->starting < options_.size;
  });
}

void WarmPool::refill(Shelf& shelf, std::unique_lock<std::mutex>& lock) {
  ++shelf.starting;
  lock.unlock();
  auto guest = make_guest(shelf);
  lock.lock();
  --shelf.starting;
  if (guest) {
    shelf.ready.push_back(std::move(*guest));
    shelf.report.last_error.clear();
    ++shelf.report.started;
  } else {
    shelf.report.last_error = guest.error().message();
    shelf.not_before = std::chrono::steady_clock::now() + kRetryDelay;
  }
}

void WarmPool::add_wanted(std::unique_lock<std::mutex>& lock) {
  const Runtime runtime = std::move(wanted_.front());
  wanted_.pop_front();
  lock.unlock();
  const auto added = find(runtime.profile.name) != nullptr ? Result<>{} : add(runtime);
  lock.lock();
  if (!added) {
    failed_[runtime.profile.name] = {.language = runtime.profile.name,
                                     .last_error = added.error().message()};
  }
}

void WarmPool::work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (Shelf* shelf = hungry_shelf(); shelf != nullptr) {
      refill(*shelf, lock);
    } else if (!used_.empty()) {
      auto guest = std::move(used_.front());
      used_.pop_front();
      lock.unlock();
      dispose(std::move(guest));
      lock.lock();
    } else if (!wanted_.empty()) {
      add_wanted(lock);
    } else {
      wake_.wait_for(lock, any_hungry() ? kRefillDelay : kRetryDelay);
      continue;
    }
    filled_.notify_all();
  }
}

std::vector<PoolReport> WarmPool::report() const {
  const std::lock_guard lock(mutex_);
  std::vector<PoolReport> out;
  for (const auto& [name, shelf] : shelves_) {
    out.push_back(shelf->report);
    out.back().ready = shelf->ready.size();
  }
  for (const auto& [name, report] : failed_) out.push_back(report);
  return out;
}

std::vector<int> WarmPool::waiting_processes() const {
  const std::lock_guard lock(mutex_);
  std::vector<int> out;
  for (const auto& [name, shelf] : shelves_) {
    for (const auto& guest : shelf->ready) out.push_back(guest->main_pid);
  }
  return out;
}

bool WarmPool::wait_until_full(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return filled_.wait_for(lock, patience, [this] {
    return used_.empty() && std::ranges::all_of(shelves_, [this](const auto& entry) {
             return entry.second->ready.size() >= options_.size;
           });
  });
}

}  // namespace cove
