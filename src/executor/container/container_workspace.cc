#include "executor/container/container_workspace.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/strings.h"
#include "executor/container/owner_label.h"
#include "executor/remove_tree.h"

namespace cove {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "cove-container-";

// "65534:65534", "1000"; nothing for a name, which only the image knows.
std::optional<std::pair<unsigned, unsigned>> numeric_user(std::string_view user) {
  const auto colon = user.find(':');
  const std::string_view parts[] = {
      user.substr(0, colon), colon == std::string_view::npos ? user : user.substr(colon + 1)};
  unsigned numbers[2] = {0, 0};
  for (int i = 0; i < 2; ++i) {
    const auto [end, problem] =
        std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), numbers[i]);
    if (problem != std::errc() || end != parts[i].data() + parts[i].size()) return std::nullopt;
  }
  return std::pair{numbers[0], numbers[1]};
}

Error refused(std::string problem) {
  return Error(ErrorCode::UnsupportedPolicy, std::move(problem));
}

// Both engines take a mount as words between commas.
Result<> check_source(const std::string& path) {
  struct stat facts{};
  if (path.find_first_of(",\"\n") != std::string::npos) {
    return Err(refused(fmt::format(
        "filesystem: {} cannot be shown in a container: its name holds a comma, a quote or a line "
        "break",
        quoted(path))));
  }
  if (!path.starts_with('/') || ::stat(path.c_str(), &facts) != 0) {
    return Err(refused(fmt::format("filesystem: {} does not exist on this host", quoted(path))));
  }
  return {};
}

Result<> check_target(const std::string& path) {
  constexpr std::array<std::string_view, 5> kOwn{"/proc", "/sys", "/dev", kContainerWorkspace,
                                                 kContainerProgram};
  const std::string plain = fs::path(path).lexically_normal().string();
  const bool own = std::ranges::any_of(kOwn, [&](std::string_view root) {
    return plain == root || plain.starts_with(std::string(root) + "/");
  });
  if (plain == "/" || own) {
    return Err(refused(fmt::format(
        "filesystem: {} cannot be shown in a container, which has its own there", quoted(path))));
  }
  return {};
}

}  // namespace

Result<ContainerWorkspace> ContainerWorkspace::create(const std::string& owner,
                                                      const std::string& user, bool shifts_ids) {
  COVE_ASSIGN(ScratchDirectory scratch,
              ScratchDirectory::create(fmt::format("{}{}.", kPrefix, owner)));
  std::optional<std::pair<unsigned, unsigned>> ids;
  if (::geteuid() == 0 && !shifts_ids) ids = numeric_user(user);
  ContainerWorkspace workspace(std::move(scratch), ids);
  COVE_TRY(workspace.hand_over(workspace.scratch_.work_path()));
  if (::chmod(workspace.program_path().c_str(), 0755) != 0) {
    return Err(Error::from_errno("opening the program's directory"));
  }
  return workspace;
}

Result<> ContainerWorkspace::hand_over(const std::string& path) const {
  struct stat facts{};
  const bool there = ::lstat(path.c_str(), &facts) == 0;
  const bool done =
      there && (ids_ ? ::lchown(path.c_str(), ids_->first, ids_->second) == 0
                     : ::chmod(path.c_str(), S_ISDIR(facts.st_mode) ? 0777 : 0666) == 0);
  if (!done) return Err(Error::from_errno("handing over " + path));
  return {};
}

Result<> ContainerWorkspace::fill(const ExecutionRequest& request, const LanguageProfile& profile,
                                  bool with_program) {
  COVE_TRY(scratch_.write_files(request.files));
  std::set<std::string> first_parts;
  for (const ExecFile& file : request.files) {
    std::string path = scratch_.work_path();
    for (const std::string_view part : split(file.name, '/')) {
      path += fmt::format("/{}", part);
      COVE_TRY(hand_over(path));
    }
    first_parts.insert(file.name.substr(0, file.name.find('/')));
  }
  if (!with_program) return {};
  COVE_ASSIGN(const std::string program,
              scratch_.write_program("main." + profile.extension, request.code));
  if (::chmod(program.c_str(), 0644) != 0) return Err(Error::from_errno("opening " + program));
  if (!profile.link_files) return {};
  for (const std::string& part : first_parts) {
    const std::string target = fmt::format("{}/{}", kContainerWorkspace, part);
    const std::string link = program_path() + "/" + part;
    if (::symlink(target.c_str(), link.c_str()) != 0 && errno != EEXIST) {
      return Err(Error::from_errno("linking " + part));
    }
  }
  return {};
}

Result<> ContainerWorkspace::write_beside(const std::string& name, std::string_view content) {
  COVE_ASSIGN(const std::string path, scratch_.write_program(name, content));
  if (::chmod(path.c_str(), 0644) != 0) return Err(Error::from_errno("opening " + path));
  return {};
}

void sweep_workspaces() {
  std::error_code problem;
  const fs::path base = fs::temp_directory_path(problem);
  if (problem) return;
  for (fs::directory_iterator it(base, problem), end; !problem && it != end;
       it.increment(problem)) {
    const std::string name = it->path().filename().string();
    struct stat facts{};
    if (!name.starts_with(kPrefix) || ::lstat(it->path().c_str(), &facts) != 0) continue;
    const std::string_view owner =
        std::string_view(name).substr(kPrefix.size(), name.rfind('.') - kPrefix.size());
    // Anybody may make such a name in a directory for all: only our own are touched.
    if (S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid() && owner_is_dead(owner)) {
      remove_tree(it->path().string());
    }
  }
}

std::vector<ContainerMount> ContainerWorkspace::mounts(bool with_work, bool with_program) const {
  std::vector<ContainerMount> list;
  if (with_work) list.push_back({scratch_.work_path(), std::string(kContainerWorkspace), true});
  if (with_program) list.push_back({program_path(), std::string(kContainerProgram), false});
  return list;
}

Result<std::vector<ContainerMount>> policy_mounts(const FilesystemPolicy& policy) {
  using Kind = FilesystemPolicy::Kind;
  std::vector<ContainerMount> list;
  if (policy.kind == Kind::WorkspaceReadOnly || policy.kind == Kind::WorkspaceReadWrite) {
    COVE_TRY(check_source(policy.root));
    list.push_back(
        {policy.root, std::string(kContainerWorkspace), policy.kind == Kind::WorkspaceReadWrite});
  }
  if (policy.kind != Kind::Paths) return list;
  for (const auto* paths : {&policy.read_only, &policy.read_write}) {
    for (const std::string& path : *paths) {
      COVE_TRY(check_source(path));
      COVE_TRY(check_target(path));
      list.push_back({path, path, paths == &policy.read_write});
    }
  }
  return list;
}

}  // namespace cove
