#include "sandbox/setup_plan.h"

#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "sandbox/sealed_memory.h"

namespace cove::sandbox {
namespace {

// Collects strings and blobs behind the steps. Offset 0 is the empty string.
class Pool {
 public:
  std::uint32_t text(const std::string& value) {
    if (value.empty()) return 0;
    return blob(value + '\0');
  }
  std::uint32_t blob(std::string_view value) {
    bytes_.resize((bytes_.size() + 7) / 8 * 8);  // filters are read as 8-byte records
    const auto offset = static_cast<std::uint32_t>(bytes_.size());
    bytes_.append(value);
    return offset;
  }
  std::uint32_t list(const std::vector<std::string>& values) {
    std::string joined;
    for (const auto& value : values) joined += value + '\0';
    return blob(joined + '\0');
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(8, '\0');
};

RawStep to_raw(const SetupStep& step, Pool& pool) {
  RawStep raw = {};
  raw.kind = step.kind;
  raw.flags = step.flags;
  raw.a = step.a;
  raw.b = step.b;
  raw.c = step.c;
  raw.text = pool.text(step.text);
  raw.text2 = pool.text(step.text2);
  if (step.kind == StepKind::WriteFile || step.kind == StepKind::Seccomp) {
    raw.a = pool.blob(step.blob);
    raw.b = step.blob.size();
  }
  if (step.kind == StepKind::Exec) {
    raw.a = pool.list(step.argv);
    raw.b = step.argv.size() | (std::uint64_t{step.envp.size()} << 32U);
    raw.c = pool.list(step.envp);
  }
  return raw;
}

std::string_view advice(StepKind kind, int error_number) {
  switch (kind) {
    case StepKind::Unshare:
      return "user namespaces are not available: allow them (sysctl user.max_user_namespaces, "
             "kernel.unprivileged_userns_clone, or the AppArmor profile), or use the isolation "
             "level landlock";
    case StepKind::MountProc:
      if (error_number == EPERM) {
        return "part of /proc is masked here, as in a default Docker container: start it with "
               "--security-opt systempaths=unconfined, or use the isolation level landlock";
      }
      return "";
    case StepKind::OpenTree:
    case StepKind::LandlockAllow:
      return "the path must exist and be readable for the sandbox's user";
    case StepKind::Exec:
      if (error_number == EACCES) {
        return "the sandbox's user may not enter a directory on the way to the interpreter (a home "
               "with mode 700, say), or not execute it: install it where every user can read it";
      }
      return "the interpreter could not be started inside the sandbox: check that its files are "
             "visible there (profile key `mounts`)";
    case StepKind::LandlockBegin:
      return "the kernel has no Landlock: `cove doctor` says more";
    case StepKind::Seccomp:
      return "the kernel has no seccomp filters";
    default:
      return "";
  }
}

}  // namespace

std::string SetupPlan::serialise() const {
  Pool pool;
  std::vector<RawStep> raw;
  raw.reserve(steps_.size());
  for (const auto& step : steps_) raw.push_back(to_raw(step, pool));
  PlanHeader header = {kPlanMagic, static_cast<std::uint32_t>(raw.size()),
                       static_cast<std::uint32_t>(pool.bytes().size()), flags_};
  const std::size_t steps_size = raw.size() * sizeof(RawStep);
  std::string out(sizeof header + steps_size, '\0');
  std::memcpy(out.data(), &header, sizeof header);
  if (steps_size > 0) std::memcpy(out.data() + sizeof header, raw.data(), steps_size);
  return out + pool.bytes();
}

Result<UniqueFd> SetupPlan::to_memfd() const {
  return sealed_memory("cove-plan", serialise(), MemoryUse::Data);
}

std::string SetupPlan::describe() const {
  std::string out;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    out += fmt::format("{:3}  {}\n", i, describe_step(steps_[i]));
  }
  return out;
}

Error step_error(const SetupPlan& plan, std::uint32_t index, int error_number) {
  const std::string cause = std::generic_category().message(error_number);
  if (index >= plan.steps().size()) {
    return {ErrorCode::Sandbox, fmt::format("sandbox set-up failed: {}", cause)};
  }
  const auto& step = plan.steps()[index];
  std::string message =
      fmt::format("sandbox set-up failed at step {} ({}): {}", index, describe_step(step), cause);
  const auto hint = advice(step.kind, error_number);
  if (!hint.empty()) message += fmt::format("; {}", hint);
  return {ErrorCode::Sandbox, std::move(message)};
}

}  // namespace cove::sandbox
