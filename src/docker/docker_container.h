#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.h"
#include "docker/container_language.h"
#include "docker/docker_options.h"
#include "docker/engine_api.h"
#include "docker/execution_cleaner.h"

namespace cove {

inline constexpr std::string_view kDockerBackendLabel = "cove.backend";  // "docker": made here
// Who must be alive (owner_label). Not the container backend's: it sweeps by its own rules.
inline constexpr std::string_view kDockerOwnerLabel = "cove.docker-owner";

// How a language is started in a container, as was found there.
struct FoundLanguage {
  ContainerLanguage language;
  std::string interpreter;  // its path
  std::string search_path;  // the container's own
  std::string shell;        // its path: a request may have a search path of its own
};

// A started container. It lives as long as a connection that this object holds to its first
// process: when this process ends, however it ends, the engine closes the container's standard
// input and the container goes by itself. Thread-safe.
class DockerContainer {
 public:
  // Creates and starts one and runs the set-up commands. After an error there is none. `api` must
  // outlive it.
  static Result<std::unique_ptr<DockerContainer>> start(EngineApi& api,
                                                        const DockerOptions& options);
  ~DockerContainer();  // removes it, unless it was released
  DockerContainer(const DockerContainer&) = delete;
  DockerContainer& operator=(const DockerContainer&) = delete;

  const std::string& id() const { return id_; }
  bool alive() const { return !ended_; }
  // Ends everything in it at once. A second call does nothing.
  Result<> remove();
  // Ends it without removing it, and gives its id.
  Result<std::string> release();

  // How often the kernel has killed for want of memory since this was last asked; `count` is what
  // the container's counter says now.
  std::uint64_t new_oom_kills(std::uint64_t count);

  std::optional<FoundLanguage> known_language(const std::string& name) const;
  void remember_language(const std::string& name, FoundLanguage found);

  // Soon, without anybody waiting for it. If it cannot be done, the container is removed.
  void clean_later(ExecutionRemains remains) { cleaner_.add(std::move(remains)); }

 private:
  DockerContainer(EngineApi& api, std::string id)
      : api_(api), id_(std::move(id)), cleaner_(api_, id_, [this] { (void)remove(); }) {}
  Result<> open_lifeline();
  Result<> set_up(const DockerOptions& options);
  Result<> set_up_with(const std::string& command, const DockerOptions& options);
  void close_lifeline();

  EngineApi& api_;
  std::string id_;
  std::atomic<bool> ended_{false};
  std::atomic<bool> removed_{false};
  mutable std::mutex mutex_;
  std::uint64_t oom_kills_ = 0;
  std::map<std::string, FoundLanguage, std::less<>> languages_;
  // Last: they use the others.
  std::jthread lifeline_;
  ExecutionCleaner cleaner_;
};

// Removes the containers of this executor whose owner is dead, and says how many. Those of living
// processes, of other machines and of unknown ones stay.
Result<int> sweep_dead_containers(EngineApi& api);

}  // namespace cove
