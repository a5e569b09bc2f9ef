#include "sandbox/seccomp_compile.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "sandbox/seccomp_rules.h"

// libseccomp is asked only what a call's number is. Its own compiler takes 2 ms for this list, a
// fifth of an interpreter's start; this one takes a few microseconds.

namespace cove::sandbox {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArch = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kArch = AUDIT_ARCH_AARCH64;
#endif
constexpr std::uint32_t kX32Bit = 0x40000000;
constexpr std::uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

using Program = std::vector<sock_filter>;
using Rules = std::vector<SeccompRule>;

std::uint32_t action_of(const SeccompRule& rule) {
  switch (rule.action) {
    case SeccompAction::Allow:
      return SECCOMP_RET_ALLOW;
    case SeccompAction::Errno:
      return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(rule.error);
    case SeccompAction::Kill:
      break;
  }
  return SECCOMP_RET_KILL_PROCESS;
}

sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
sock_filter give(std::uint32_t action) {
  return BPF_STMT(BPF_RET | BPF_K, action);
}

// One half of an argument: falls through if (half & mask) == value, else jumps to what comes after
// the rule, whose distance is not known yet.
void compare_half(Program& code, std::vector<std::size_t>& misses, std::size_t offset,
                  std::pair<std::uint32_t, std::uint32_t> mask_value) {
  const auto [mask, value] = mask_value;
  if (mask == 0) return;
  code.push_back(load(offset));
  code.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
  misses.push_back(code.size());
  code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 0));
}

void compile_rule(Program& code, const SeccompRule& rule) {
  std::vector<std::size_t> misses;
  for (const auto& condition : rule.conditions) {
    const std::size_t low =
        offsetof(seccomp_data, args) + condition.argument * sizeof(std::uint64_t);
    const auto half = [](std::uint64_t value, unsigned shift) {
      return static_cast<std::uint32_t>(value >> shift);
    };
    compare_half(code, misses, low, {half(condition.mask, 0), half(condition.value, 0)});
    compare_half(code, misses, low + 4, {half(condition.mask, 32), half(condition.value, 32)});
  }
  code.push_back(give(action_of(rule)));
  for (const std::size_t miss : misses)
    code[miss].jf = static_cast<std::uint8_t>(code.size() - miss - 1);
}

// Everything that is said of one call; the first rule that fits decides.
Program compile_call(const Rules& rules) {
  Program code;
  for (const bool first : {true, false}) {
    for (const auto& rule : rules) {
      if (rule.first != first) continue;
      compile_rule(code, rule);
      if (rule.conditions.empty()) return code;
    }
  }
  code.push_back(give(kUnknown));
  return code;
}

// Calls from `from` on are treated by `code`, up to the next range.
struct Range {
  std::uint32_t from;
  Program code;
};

bool same(const Program& a, const Program& b) {
  return std::ranges::equal(a, b, [](const sock_filter& x, const sock_filter& y) {
    return x.code == y.code && x.jt == y.jt && x.jf == y.jf && x.k == y.k;
  });
}

std::vector<Range> ranges_of(const std::map<std::uint32_t, Rules>& by_number) {
  const Program unknown = {give(kUnknown)};
  std::vector<Range> out = {{0, unknown}};
  const auto put = [&out](std::uint32_t from, const Program& code) {
    if (out.back().from == from) {
      out.back().code = code;
    } else if (!same(out.back().code, code)) {
      out.push_back({from, code});
    }
  };
  for (const auto& [number, rules] : by_number) {
    put(number, compile_call(rules));
    if (!by_number.contains(number + 1)) put(number + 1, unknown);
  }
  return out;
}

// A binary search. The far half is reached by an unconditional jump, whose distance has no limit.
Program search(std::span<const Range> ranges) {
  if (ranges.size() == 1) return ranges.front().code;
  const auto middle = ranges.size() / 2;
  const Program low = search(ranges.first(middle));
  const Program high = search(ranges.subspan(middle));
  Program code = {BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, ranges[middle].from, 0, 1),
                  BPF_STMT(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(low.size()))};
  code.insert(code.end(), low.begin(), low.end());
  code.insert(code.end(), high.begin(), high.end());
  return code;
}

Result<std::string> compile(const SandboxSpec& spec) {
  std::map<std::uint32_t, Rules> by_number;
  for (auto& rule : seccomp_rules(spec)) {
    const int number = seccomp_syscall_resolve_name(std::string(rule.syscall).c_str());
    // Unknown to this library or to this processor: the default covers it.
    if (number >= 0) by_number[static_cast<std::uint32_t>(number)].push_back(rule);
  }
  Program code = {load(offsetof(seccomp_data, arch)),
                  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArch, 1, 0),
                  give(SECCOMP_RET_KILL_PROCESS),
                  load(offsetof(seccomp_data, nr)),
                  BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32Bit, 0, 1),
                  give(SECCOMP_RET_KILL_PROCESS)};
  const auto ranges = ranges_of(by_number);
  const Program tree = search(ranges);
  code.insert(code.end(), tree.begin(), tree.end());
  if (code.size() > BPF_MAXINSNS)
    return Err(Error(ErrorCode::Internal, "seccomp filter is too long"));
  return std::string(reinterpret_cast<const char*>(code.data()), code.size() * sizeof(sock_filter));
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
