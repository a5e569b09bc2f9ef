#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "sandbox/spec.h"

namespace cove::sandbox {

enum class SeccompAction : unsigned char { Allow, Errno, Kill };

// One comparison on an argument: (argument & mask) == value. Arguments that the kernel reads as 32
// bits are compared under a 32-bit mask: rubbish in the upper half must not dodge a rule.
struct SeccompCondition {
  unsigned argument = 0;
  std::uint64_t mask = ~0ULL;
  std::uint64_t value = 0;
};

struct SeccompRule {
  std::string_view syscall;
  SeccompAction action = SeccompAction::Allow;
  int error = 0;
  std::vector<SeccompCondition> conditions;
  // Looked at before all others, so that it can take something out of an allowed call. Exactly one
  // condition, on the low 32 bits.
  bool first = false;
};

// What the guest may call. Anything that no rule names gets ENOSYS, so that a libc newer than this
// list falls back instead of dying; calls of another architecture (x32, 32-bit) kill.
std::vector<SeccompRule> seccomp_rules(const SandboxSpec& spec);

}  // namespace cove::sandbox
