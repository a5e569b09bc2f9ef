#include "sandbox/seccomp_compile.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "base/unique_fd.h"
#include "sandbox/seccomp_rules.h"

namespace cove::sandbox {
namespace {

using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

Error failure(std::string_view doing, int negative_errno) {
  return {ErrorCode::Sandbox, fmt::format("seccomp: {}: {}", doing, std::strerror(-negative_errno))};
}

std::uint32_t action_of(const SeccompRule& rule) {
  switch (rule.action) {
    case SeccompAction::Allow: return SCMP_ACT_ALLOW;
    case SeccompAction::Errno: return SCMP_ACT_ERRNO(static_cast<unsigned>(rule.error));
    case SeccompAction::Kill: break;
  }
  return SCMP_ACT_KILL_PROCESS;
}

Result<> add_rule(scmp_filter_ctx filter, const SeccompRule& rule) {
  const int number = seccomp_syscall_resolve_name(std::string(rule.syscall).c_str());
  // Unknown to this library or to this processor: the default action covers it.
  if (number < 0) return {};
  std::vector<scmp_arg_cmp> comparisons;
  for (const auto& condition : rule.conditions) {
    comparisons.push_back({condition.argument, SCMP_CMP_MASKED_EQ, condition.mask, condition.value});
  }
  const int failed = seccomp_rule_add_array(filter, action_of(rule), number,
                                            static_cast<unsigned>(comparisons.size()),
                                            comparisons.data());
  if (failed < 0) return Err(failure(rule.syscall, failed));
  return {};
}

Result<std::string> export_program(scmp_filter_ctx filter) {
  UniqueFd file(::memfd_create("seccomp", MFD_CLOEXEC));
  if (!file) return Err(Error::from_errno("memfd_create"));
  if (const int failed = seccomp_export_bpf(filter, file.get()); failed < 0) {
    return Err(failure("export", failed));
  }
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  std::string program(static_cast<std::size_t>(size), '\0');
  if (::pread(file.get(), program.data(), program.size(), 0) != size) {
    return Err(Error::from_errno("read seccomp program"));
  }
  return program;
}

// Instructions before the filter proper. libseccomp cannot say "allow, but for this value", and a
// plain "not equal" on 64 bits would be dodged with rubbish in the upper half.
void append_first(std::string& program, const SeccompRule& rule) {
  const int number = seccomp_syscall_resolve_name(std::string(rule.syscall).c_str());
  if (number < 0) return;
  const auto& condition = rule.conditions.front();
  const auto low_half = static_cast<std::uint32_t>(offsetof(seccomp_data, args) +
                                                   condition.argument * sizeof(std::uint64_t));
  const std::array<sock_filter, 5> code = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low_half),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(condition.value), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, action_of(rule)),
  }};
  program.append(reinterpret_cast<const char*>(code.data()), sizeof code);
}

Result<std::string> compile(const SandboxSpec& spec) {
  const Filter filter(seccomp_init(SCMP_ACT_ERRNO(ENOSYS)), &seccomp_release);
  if (!filter) return Err(Error(ErrorCode::Sandbox, "seccomp: cannot start a filter"));
  seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a binary tree, not a list
  std::string program;
  for (const auto& rule : seccomp_rules(spec)) {
    if (rule.first) {
      append_first(program, rule);
    } else {
      COVE_TRY(add_rule(filter.get(), rule));
    }
  }
  COVE_ASSIGN(const auto rest, export_program(filter.get()));
  return program + rest;
}

}  // namespace

Result<std::string> seccomp_program(const SandboxSpec& spec) {
  static std::mutex mutex;
  static std::map<std::tuple<Level, bool, MemoryControl>, std::string> compiled;
  const std::tuple key{spec.level, spec.network, spec.memory_control};
  const std::lock_guard lock(mutex);
  if (const auto found = compiled.find(key); found != compiled.end()) return found->second;
  COVE_ASSIGN(auto program, compile(spec));
  compiled.emplace(key, program);
  return program;
}

}  // namespace cove::sandbox
