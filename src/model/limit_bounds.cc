#include "model/limit_bounds.h"

#include <fmt/format.h>

#include "base/parse_size.h"

namespace cove {
namespace {

std::string text_of(Bytes size) {
  return format_size(size);
}

template <class Number>
std::string text_of(Number number) {
  return fmt::format("{}", number);
}

// Calls `visit(name, member, default)` for each limit that can be bounded.
template <class Visit>
void for_each_limit(Visit visit) {
  const ResolvedLimits usual;
  visit("memory", &Limits::memory, usual.memory);
  visit("cpus", &Limits::cpus, usual.cpus);
  visit("processes", &Limits::processes, usual.processes);
  visit("disk", &Limits::disk, usual.disk);
  visit("inodes", &Limits::inodes, usual.inodes);
  visit("descriptors", &Limits::descriptors, usual.descriptors);
  visit("stdout_bytes", &Limits::stdout_bytes, usual.stdout_bytes);
  visit("stderr_bytes", &Limits::stderr_bytes, usual.stderr_bytes);
}

}  // namespace

Limits lower_limits(Limits limits, const Limits& most, std::vector<std::string>* lowered) {
  for_each_limit([&](std::string_view name, auto member, auto /*usual*/) {
    auto& asked = limits.*member;
    const auto& bound = most.*member;
    if (!asked || !bound || *asked <= *bound) return;
    if (lowered != nullptr) {
      lowered->push_back(fmt::format("limits.{} is {}, the most here, not {}", name,
                                     text_of(*bound), text_of(*asked)));
    }
    asked = bound;
  });
  return limits;
}

Limits lower_with_defaults(Limits limits, const Limits& most) {
  limits = lower_limits(limits, most);
  for_each_limit([&](std::string_view /*name*/, auto member, auto usual) {
    const auto& bound = most.*member;
    if (!(limits.*member) && bound && usual > *bound) limits.*member = bound;
  });
  return limits;
}

}  // namespace cove
