#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "executor/native/native_host.h"
#include "model/execution_request.h"
#include "runtime/language_profile.h"
#include "sandbox/guest.h"
#include "sandbox/spec.h"

namespace cove {

// Where things are inside a sandbox. At the landlock level they are real host paths.
struct GuestPaths {
  std::string workspace = "/workspace";
  std::string code = "/code";
  std::string tmp = "/tmp";
  std::string guest = "/run/cove/guest";
  std::string build = "/run/cove/build";
  std::string prepared = "/run/cove/prepared";

  std::string program(const LanguageProfile& profile) const {
    return code + "/main." + profile.extension;
  }
  static GuestPaths at(const NativeHost& host, const std::string& scratch_dir,
                       const Runtime& runtime);
};

// How the interpreter is started.
enum class StartMode : unsigned char {
  AwaitJob,  // locked down, waiting, not yet started
  Waiting,   // started, waiting in its hook
  Zygote,    // forks guests
};

// The containment that a request needs, resolved: from here on nothing is decided any more.
Result<sandbox::SandboxSpec> make_spec(const NativeHost& host, const Runtime& runtime,
                                       const ExecutionRequest& request,
                                       const ResolvedLimits& limits, const GuestPaths& paths,
                                       StartMode mode);

// What the guest is told when it starts: arguments, and variables from the host that the policy
// allows, then the request's own.
sandbox::Job make_job(const ExecutionRequest& request);

// Whether the host paths of a policy can be shown as it says: they exist, and are not root's if a
// guest is to write to them. UnsupportedPolicy, in make_spec()'s words.
Result<> check_filesystem(const NativeHost& host, const FilesystemPolicy& policy);

sandbox::CgroupLimits group_limits(const ResolvedLimits& limits);

}  // namespace cove
