#include "executor/container/container_pool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "executor/stream_io.h"

namespace cove {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kRetryPause = std::chrono::seconds(5);
constexpr auto kEndPatience = std::chrono::seconds(10);

// POSIX shells read one byte at a time from a pipe, so what follows the line is the program's.
constexpr const char* kWait = "exec >/code/.out 2>/code/.err; read -r go && . /code/.job";

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += R"('\'')";
    } else {
      word += c;
    }
  }
  return word + "'";
}

// The container's limits cannot be changed any more.
bool same_limits(const ResolvedLimits& a, const ResolvedLimits& b) {
  return a.memory == b.memory && a.cpus == b.cpus && a.processes == b.processes &&
         a.descriptors == b.descriptors;
}

bool plain_policy(const SandboxPolicy& policy) {
  using Kind = FilesystemPolicy::Kind;
  const Kind kind = policy.filesystem.kind;
  return policy.network != NetworkPolicy::Enabled &&
         (kind == Kind::None || kind == Kind::Unrestricted) && !policy.working_directory;
}

bool is_ready(int fd) {
  pollfd entry{fd, POLLIN, 0};
  return ::poll(&entry, 1, 0) > 0;
}

Result<UniqueFd> open_pipe(const ContainerWorkspace& workspace, const char* name) {
  const std::string path = workspace.program_path() + "/" + name;
  // Everybody may write: only this container sees it, and only we can look into the directory.
  if (::mkfifo(path.c_str(), 0600) != 0 || ::chmod(path.c_str(), 0622) != 0) {
    return Err(Error::from_errno("making a pipe"));
  }
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) return Err(Error::from_errno("opening a pipe"));
  return fd;
}

}  // namespace

WaitingContainer::WaitingContainer(ContainerEvents& followed, ContainerPlan decided,
                                   ContainerWorkspace place)
    : events(followed),
      plan(std::move(decided)),
      workspace(std::move(place)),
      wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  events.follow(plan.run.name, wake.get());
}

WaitingContainer::~WaitingContainer() {
  client.reset();
  events.forget(plan.run.name);
}

Result<> WaitingContainer::give(const ExecutionRequest& request, const ContainerPlan& asked) {
  COVE_TRY(workspace.fill(request, plan.profile, true));
  std::string job;
  for (const auto& [name, value] : asked.variables) {
    job += fmt::format("export {}={}\n", name, shell_word(value));
  }
  job += "exec";
  for (const std::string& word : asked.file_argv) job += " " + shell_word(word);
  return workspace.write_beside(".job", job + "\n");
}

ContainerPool::ContainerPool(Settings settings, ContainerEvents& events)
    : settings_(std::move(settings)),
      events_(events),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

ContainerPool::~ContainerPool() = default;

void ContainerPool::add(const LanguageProfile& profile) {
  const std::lock_guard lock(mutex_);
  if (shelves_.contains(profile.name)) return;
  shelves_[profile.name].profile = profile;
  changed_.notify_all();
}

bool ContainerPool::alive(const WaitingContainer& container) const {
  return !is_ready(container.client->ended_fd()) && !events_.state(container.plan.run.name).died;
}

std::unique_ptr<WaitingContainer> ContainerPool::take(const ContainerPlan& plan,
                                                      const SandboxPolicy& policy) {
  const std::lock_guard lock(mutex_);
  const auto found = shelves_.find(plan.profile.name);
  if (found == shelves_.end()) return nullptr;
  Shelf& shelf = found->second;
  auto taken = plain_policy(policy) ? take_from(shelf, plan) : nullptr;
  ++(taken ? shelf.report.hits : shelf.report.misses);
  return taken;
}

std::unique_ptr<WaitingContainer> ContainerPool::take_from(Shelf& shelf,
                                                           const ContainerPlan& plan) {
  auto& waiting = shelf.waiting;
  while (!waiting.empty()) {
    if (!same_limits(waiting.front()->plan.run.limits, plan.run.limits)) return nullptr;
    if (!events_.state(waiting.front()->plan.run.name).started) return nullptr;
    auto taken = std::move(waiting.front());
    waiting.pop_front();
    changed_.notify_all();
    if (alive(*taken)) return taken;
    buried_.push_back(std::move(taken));
  }
  return nullptr;
}

std::vector<PoolReport> ContainerPool::report() const {
  const std::lock_guard lock(mutex_);
  std::vector<PoolReport> out;
  for (const auto& [name, shelf] : shelves_) {
    PoolReport& one = out.emplace_back(shelf.report);
    one.language = name;
    one.last_error = last_error_;
    one.ready = static_cast<std::size_t>(
        std::ranges::count_if(shelf.waiting, [this](const auto& container) {
          return events_.state(container->plan.run.name).started.has_value();
        }));
  }
  return out;
}

void ContainerPool::bury(std::unique_ptr<WaitingContainer> used) {
  const std::lock_guard lock(mutex_);
  buried_.push_back(std::move(used));
  changed_.notify_all();
}

bool ContainerPool::wait_until_full(std::chrono::milliseconds patience) {
  const auto full = [&] {
    return std::ranges::all_of(shelves_, [&](const auto& entry) {
      const auto& waiting = entry.second.waiting;
      return waiting.size() >= settings_.options.pool.size &&
             std::ranges::all_of(waiting, [&](const auto& container) {
               return events_.state(container->plan.run.name).started.has_value();
             });
    });
  };
  const auto deadline = Clock::now() + patience;
  std::unique_lock lock(mutex_);
  while (!full()) {
    if (Clock::now() >= deadline) return false;
    changed_.wait_for(lock, std::chrono::milliseconds(10));
  }
  return true;
}

std::string ContainerPool::last_error() const {
  const std::lock_guard lock(mutex_);
  return last_error_;
}

Result<std::unique_ptr<WaitingContainer>> ContainerPool::start_one(const LanguageProfile& profile) {
  const ContainerOptions& options = settings_.options;
  ExecutionRequest nothing;
  COVE_ASSIGN(ContainerPlan plan, plan_container(profile, options, nothing));
  COVE_ASSIGN(
      ContainerWorkspace workspace,
      ContainerWorkspace::create(settings_.owner, options.user, settings_.engine.facts.shifts_ids));
  for (ContainerMount& mount : workspace.mounts(true, true)) {
    plan.run.mounts.push_back(std::move(mount));
  }
  plan.run.owner = settings_.owner;
  plan.run.env.clear();
  plan.run.argv = {"sh", "-c", kWait};
  auto waiting = std::make_unique<WaitingContainer>(events_, std::move(plan), std::move(workspace));
  COVE_ASSIGN(waiting->out, open_pipe(waiting->workspace, ".out"));
  COVE_ASSIGN(waiting->err, open_pipe(waiting->workspace, ".err"));
  ProcessSpec spec;
  spec.argv = {settings_.engine.command.path};
  for (std::string& word :
       build_run_args(options, settings_.engine.command.kind, waiting->plan.run)) {
    spec.argv.push_back(std::move(word));
  }
  spec.env = own_environment();
  spec.keep_descendants = false;
  COVE_ASSIGN(ProcessTree client, ProcessTree::start(spec));
  waiting->client = std::make_unique<ProcessTree>(std::move(client));
  return waiting;
}

// Removes it whether or not it runs, and waits for the client.
void ContainerPool::end(WaitingContainer& container) const {
  if (!is_ready(container.client->ended_fd())) {
    (void)remove_container(settings_.engine.command.path, container.plan.run.name);
  }
  container.client->kill();
}

// True when something was started or has failed: there may be more to do.
bool ContainerPool::refill(const std::stop_token& stop) {
  std::optional<LanguageProfile> wanted;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [name, shelf] : shelves_) {
      if (shelf.waiting.size() < settings_.options.pool.size && Clock::now() >= shelf.not_before) {
        wanted = shelf.profile;
        break;
      }
    }
  }
  if (!wanted || stop.stop_requested()) return false;
  auto started = start_one(*wanted);
  // It counts once it runs; one that ends at once (no such image, no shell in it) does not.
  bool lives = false;
  if (started) {
    const auto deadline = Clock::now() + settings_.options.start_timeout;
    const std::string name = (*started)->plan.run.name;
    while (!stop.stop_requested() && Clock::now() < deadline && alive(**started) && !lives) {
      pollfd entry{(*started)->wake.get(), POLLIN, 0};
      (void)::poll(&entry, 1, 50);
      lives = events_.state(name).started.has_value() && alive(**started);
    }
  }
  const std::lock_guard lock(mutex_);
  Shelf& shelf = shelves_[wanted->name];
  if (lives) {
    shelf.waiting.push_back(std::move(*started));
  } else {
    shelf.not_before = Clock::now() + kRetryPause;
    last_error_ = started ? "a waiting container ended at once" : started.error().message();
    if (started) buried_.push_back(std::move(*started));
  }
  changed_.notify_all();
  return true;
}

void ContainerPool::put_away(bool all) {
  std::vector<std::unique_ptr<WaitingContainer>> gone;
  {
    const std::lock_guard lock(mutex_);
    for (auto& container : buried_) {
      if (all || is_ready(container->client->ended_fd())) gone.push_back(std::move(container));
    }
    std::erase(buried_, nullptr);
  }
  for (const auto& container : gone) {
    // What is being removed gets the time for it.
    pollfd entry{container->client->ended_fd(), POLLIN, 0};
    const auto patience =
        events_.state(container->plan.run.name).died ? kEndPatience : Clock::duration(0);
    (void)::poll(
        &entry, 1,
        static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(patience).count()));
    end(*container);
  }
}

void ContainerPool::work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    put_away(false);
    if (refill(stop)) continue;
    std::unique_lock lock(mutex_);
    const bool busy = !buried_.empty();
    changed_.wait_for(lock, stop, std::chrono::milliseconds(busy ? 50 : 500), [&] {
      return std::ranges::any_of(shelves_, [&](const auto& entry) {
        return entry.second.waiting.size() < settings_.options.pool.size &&
               Clock::now() >= entry.second.not_before;
      });
    });
  }
  {
    const std::lock_guard lock(mutex_);
    for (auto& [name, shelf] : shelves_) {
      for (auto& container : shelf.waiting) buried_.push_back(std::move(container));
      shelf.waiting.clear();
    }
  }
  put_away(true);
}

}  // namespace cove
