#include "executor/container/run_args.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace cove {

namespace {

// As both engines read a size: 512m, or bytes.
std::string size_word(Bytes size) {
  constexpr std::uint64_t kMebibyte = 1U << 20U;
  return size.value % kMebibyte == 0 ? fmt::format("{}m", size.value / kMebibyte)
                                     : fmt::format("{}b", size.value);
}

std::string mount_word(const ContainerMount& mount) {
  std::string word = fmt::format("type=bind,source={},target={}", mount.source, mount.target);
  // Mounts below a read-only one would stay writable in older engines: they are left out.
  if (!mount.writable) word += ",readonly,bind-nonrecursive=true";
  return word;
}

class Words {
 public:
  template <class... Texts>
  void add(Texts&&... texts) {
    (list_.emplace_back(std::forward<Texts>(texts)), ...);
  }
  void add_all(const std::vector<std::string>& more) {
    list_.insert(list_.end(), more.begin(), more.end());
  }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

void add_promised_flags(const ContainerOptions& options, const ContainerRun& run, Words& words) {
  const std::string memory = size_word(run.limits.memory);
  words.add("run", "--rm", "-i");
  if (options.offline && !run.network) {
    words.add("--network=none");
  } else if (!options.network.empty()) {
    words.add("--network=" + options.network);
  }
  if (options.read_only_root) words.add("--read-only");
  words.add(fmt::format("--tmpfs=/tmp:rw,exec,size={}", size_word(options.tmp_size)));
  words.add("--memory", memory, "--memory-swap", memory);
  words.add("--cpus", fmt::format("{}", run.limits.cpus));
  words.add("--pids-limit", fmt::format("{}", run.limits.processes));
  words.add("--user", options.user);
  if (options.drop_capabilities) words.add("--cap-drop=ALL");
  if (options.no_new_privileges) words.add("--security-opt=no-new-privileges");
  words.add("--name", run.name);
}

// Podman raises this limit to its own default and fails where it may not: it is told ours.
void add_process_ulimit(Words& words) {
  rlimit own{};
  if (::getrlimit(RLIMIT_NPROC, &own) != 0 || own.rlim_max == RLIM_INFINITY) return;
  words.add("--ulimit", fmt::format("nproc={}:{}", own.rlim_max, own.rlim_max));
}

}  // namespace

std::vector<std::string> build_run_args(const ContainerOptions& options, EngineKind kind,
                                        const ContainerRun& run) {
  Words words;
  add_promised_flags(options, run, words);
  // The extra ones. Pulling is a step of its own: its progress would look like the program's.
  words.add("--pull=never");
  if (!run.owner.empty()) words.add("--label", fmt::format("{}={}", kOwnerLabel, run.owner));
  if (options.init) words.add("--init");
  if (!options.runtime.empty()) words.add("--runtime", options.runtime);
  words.add("--ulimit",
            fmt::format("nofile={}:{}", run.limits.descriptors, run.limits.descriptors));
  words.add("--ulimit", "core=0:0");
  if (kind == EngineKind::Podman) {
    add_process_ulimit(words);
    words.add("--http-proxy=false");  // it would hand on the host's variables
  }
  for (const ContainerMount& mount : run.mounts) words.add("--mount", mount_word(mount));
  if (!run.working_directory.empty()) words.add("--workdir", run.working_directory);
  for (const std::string& variable : run.env) words.add("--env", variable);
  words.add_all(options.extra_args);
  words.add(run.image);
  words.add_all(run.argv);
  return words.take();
}

bool is_harmless_extra(const std::vector<std::string>& extra_args) {
  constexpr std::array<std::string_view, 6> kHarmless{
      "--label=", "--hostname=", "--platform=", "--shm-size=", "--ulimit=", "--annotation="};
  return std::ranges::all_of(extra_args, [&](const std::string& word) {
    return std::ranges::any_of(kHarmless,
                               [&](std::string_view start) { return word.starts_with(start); });
  });
}

}  // namespace cove
