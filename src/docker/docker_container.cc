#include "docker/docker_container.h"

#include <chrono>
#include <future>

#include <fmt/format.h>

#include "base/parse_duration.h"
#include "base/random_id.h"
#include "base/strings.h"
#include "executor/container/owner_label.h"

namespace cove {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kKeepLabel = "cove.keep";  // "yes": stop() does not remove it
constexpr auto kAttachPatience = std::chrono::seconds(20);
constexpr std::size_t kMostSetUpOutput = 16384;

std::vector<std::pair<std::string, std::string>> labels_for(const DockerOptions& options) {
  return {{std::string(kDockerBackendLabel), "docker"},
          {std::string(kDockerOwnerLabel), owner_label()},
          {std::string(kKeepLabel), options.auto_remove ? "no" : "yes"}};
}

Error create_error(Error error, const DockerOptions& options) {
  if (error.code() == ErrorCode::NotFound) {
    return {ErrorCode::DependencyNotFound,
            fmt::format("the engine has no image {}: get it with `docker pull {}` ({})",
                        quoted(options.image), options.image, error.message())};
  }
  return std::move(error).with_context("creating a container of " + quoted(options.image));
}

Error start_error(Error error, const DockerOptions& options) {
  if (error.message().find("executable file not found") != std::string::npos ||
      error.message().find("no such file or directory") != std::string::npos) {
    return {ErrorCode::DependencyNotFound,
            fmt::format("the image {} has no shell: this backend needs sh, cat, head and tar in it "
                        "({})",
                        quoted(options.image), error.message())};
  }
  return std::move(error).with_context("starting a container of " + quoted(options.image));
}

}  // namespace

Result<std::unique_ptr<DockerContainer>> DockerContainer::start(EngineApi& api,
                                                                const DockerOptions& options) {
  auto made = api.create_container(random_id(options.container_name_prefix + "-"),
                                   container_request(options, labels_for(options)));
  if (!made) return Err(create_error(std::move(made).error(), options));
  // From here on its destructor removes the container.
  std::unique_ptr<DockerContainer> container(new DockerContainer(api, std::move(*made)));
  COVE_TRY(container->open_lifeline());
  if (auto started = api.start_container(container->id_); !started) {
    return Err(start_error(std::move(started).error(), options));
  }
  COVE_TRY(container->set_up(options));
  return container;
}

DockerContainer::~DockerContainer() {
  (void)remove();
}

// The connection must be there before the container is: its first process ends when nobody holds
// its standard input.
Result<> DockerContainer::open_lifeline() {
  auto opened = std::make_shared<std::promise<Result<>>>();
  auto answer = opened->get_future();
  lifeline_ = std::jthread([this, opened](const std::stop_token& stop) {
    bool told = false;
    auto held = api_.hold_input(
        id_,
        [&] {
          told = true;
          opened->set_value({});
        },
        [&stop] { return stop.stop_requested(); });
    ended_ = true;
    if (told) return;
    opened->set_value(held ? Result<>(Err(Error(ErrorCode::BackendUnavailable,
                                                "the engine closed the container's input at once")))
                           : std::move(held));
  });
  if (answer.wait_for(kAttachPatience) != std::future_status::ready) {
    return Err(Error(ErrorCode::BackendUnavailable, "the engine does not attach to its container"));
  }
  return answer.get();
}

Result<> DockerContainer::set_up(const DockerOptions& options) {
  for (const std::string& command : options.setup_commands) {
    COVE_TRY(set_up_with(command, options));
  }
  return {};
}

Result<> DockerContainer::set_up_with(const std::string& command, const DockerOptions& options) {
  std::string output;
  const auto deadline = Clock::now() + options.setup_timeout;
  ExecTalk talk;
  talk.on_output = [&output](OutputFrames::Stream, std::string_view piece) {
    output += piece;
    if (output.size() > 2 * kMostSetUpOutput) output.erase(0, output.size() - kMostSetUpOutput);
  };
  talk.give_up = [deadline] { return Clock::now() >= deadline; };
  const auto code = api_.run(
      id_, {.argv = {"sh", "-c", command}, .env = {}, .user = "0:0", .working_directory = "/"},
      talk);
  if (code && *code == 0) return {};
  std::string problem;
  if (code) {
    problem = fmt::format("ended with {}", *code);
  } else if (Clock::now() >= deadline) {
    problem = "did not end within " + format_duration(options.setup_timeout);
  } else {
    problem = "failed: " + code.error().message();
  }
  if (output.size() > kMostSetUpOutput) output.erase(0, output.size() - kMostSetUpOutput);
  // Not to be tried again: it would most likely fail again, and may take minutes.
  return Err(
      Error(ErrorCode::DependencyNotFound,
            fmt::format("the set-up command {} {}; the container was removed. Its output:\n{}",
                        quoted(command), problem, sanitize_utf8(output))));
}

void DockerContainer::close_lifeline() {
  lifeline_.request_stop();
  if (lifeline_.joinable()) lifeline_.join();
}

Result<> DockerContainer::remove() {
  if (removed_.exchange(true)) return {};
  ended_ = true;
  auto removed = api_.remove_container(id_);
  lifeline_.request_stop();
  return removed;
}

Result<std::string> DockerContainer::release() {
  if (removed_.exchange(true)) {
    return Err(Error(ErrorCode::BackendUnavailable, "the container is gone"));
  }
  close_lifeline();
  COVE_TRY(api_.stop_container(id_));
  return id_;
}

std::uint64_t DockerContainer::new_oom_kills(std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t before = std::exchange(oom_kills_, std::max(oom_kills_, count));
  return count > before ? count - before : 0;
}

std::optional<FoundLanguage> DockerContainer::known_language(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = languages_.find(name);
  return found == languages_.end() ? std::nullopt : std::optional(found->second);
}

void DockerContainer::remember_language(const std::string& name, FoundLanguage found) {
  const std::lock_guard lock(mutex_);
  languages_.insert_or_assign(name, std::move(found));
}

Result<int> sweep_dead_containers(EngineApi& api) {
  COVE_ASSIGN(const auto containers,
              api.containers_with(fmt::format("{}=docker", kDockerBackendLabel)));
  int removed = 0;
  for (const ListedContainer& container : containers) {
    if (container.label(kKeepLabel) == "yes") continue;
    if (!owner_is_dead(container.label(kDockerOwnerLabel))) continue;
    COVE_TRY(api.remove_container(container.id));
    ++removed;
  }
  return removed;
}

}  // namespace cove
