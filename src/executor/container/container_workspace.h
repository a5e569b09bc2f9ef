#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "executor/container/run_args.h"
#include "executor/local/scratch_directory.h"
#include "model/execution_request.h"
#include "runtime/language_profile.h"

namespace cove {

inline constexpr std::string_view kContainerWorkspace = "/workspace";
inline constexpr std::string_view kContainerProgram = "/code";

// The directories of the host that one container sees: where it works, and, read-only, where its
// program lies. Removed at the end with all that is in it.
class ContainerWorkspace {
 public:
  // `user` is that of the programs ("65534:65534"); where the engine shifts ids, or this process is
  // not root, everybody may write below the directory, into which only we can look.
  // `owner` is owner_label(): it makes the directory's name.
  static Result<ContainerWorkspace> create(const std::string& owner, const std::string& user,
                                           bool shifts_ids);

  // Files of the request, and the program unless it comes on stdin.
  Result<> fill(const ExecutionRequest& request, const LanguageProfile& profile, bool with_program);
  // A file beside the program.
  Result<> write_beside(const std::string& name, std::string_view content);

  int work_fd() const { return scratch_.work_fd(); }
  std::string program_path() const { return scratch_.program_path(); }
  std::vector<ContainerMount> mounts(bool with_work, bool with_program) const;

 private:
  ContainerWorkspace(ScratchDirectory scratch, std::optional<std::pair<unsigned, unsigned>> ids)
      : scratch_(std::move(scratch)), ids_(ids) {}
  Result<> hand_over(const std::string& path) const;

  ScratchDirectory scratch_;
  std::optional<std::pair<unsigned, unsigned>> ids_;  // to whom the files are given
};

// Removes the directories of processes that have ended without doing so.
void sweep_workspaces();

// What of the host a policy shows, as mounts: checked for existence and for being expressible. The
// error is an UnsupportedPolicy.
Result<std::vector<ContainerMount>> policy_mounts(const FilesystemPolicy& policy);

}  // namespace cove
