#include "model/names.h"

#include <array>
#include <utility>

namespace cove {
namespace {

template <class E>
using Row = std::pair<E, std::string_view>;

// One table an enum, found by its type.
template <class E>
struct NameTable;

template <>
struct NameTable<ExecutionStatus> {
  static constexpr auto kRows = std::to_array<Row<ExecutionStatus>>({
      {ExecutionStatus::Success, "success"},
      {ExecutionStatus::Failed, "failed"},
      {ExecutionStatus::Timeout, "timeout"},
      {ExecutionStatus::Oom, "oom"},
      {ExecutionStatus::Cancelled, "cancelled"},
      {ExecutionStatus::CompileFailed, "compile_failed"},
      {ExecutionStatus::Rejected, "rejected"},
  });
};

template <>
struct NameTable<Outcome> {
  static constexpr auto kRows = std::to_array<Row<Outcome>>({
      {Outcome::Unspecified, "OUTCOME_UNSPECIFIED"},
      {Outcome::Ok, "OUTCOME_OK"},
      {Outcome::Failed, "OUTCOME_FAILED"},
      {Outcome::DeadlineExceeded, "OUTCOME_DEADLINE_EXCEEDED"},
  });
};

template <>
struct NameTable<LimitHit> {
  static constexpr auto kRows = std::to_array<Row<LimitHit>>({
      {LimitHit::Memory, "memory"},
      {LimitHit::Pids, "pids"},
      {LimitHit::Disk, "disk"},
      {LimitHit::Output, "output"},
      {LimitHit::Cpu, "cpu"},
  });
};

template <>
struct NameTable<LimitScope> {
  static constexpr auto kRows = std::to_array<Row<LimitScope>>({
      {LimitScope::Strongest, "strongest"},
      {LimitScope::Tree, "tree"},
  });
};

template <>
struct NameTable<LimitReach> {
  static constexpr auto kRows = std::to_array<Row<LimitReach>>({
      {LimitReach::None, "none"},
      {LimitReach::PerProcess, "per_process"},
      {LimitReach::PerUser, "per_user"},
      {LimitReach::Tree, "tree"},
  });
};

template <>
struct NameTable<TruncationStyle> {
  static constexpr auto kRows = std::to_array<Row<TruncationStyle>>({
      {TruncationStyle::Head, "head"},
      {TruncationStyle::HeadTail, "head_tail"},
      {TruncationStyle::Notice, "notice"},
  });
};

template <>
struct NameTable<NetworkPolicy> {
  static constexpr auto kRows = std::to_array<Row<NetworkPolicy>>({
      {NetworkPolicy::Disabled, "disabled"},
      {NetworkPolicy::Enabled, "enabled"},
      {NetworkPolicy::Unrestricted, "unrestricted"},
  });
};

template <>
struct NameTable<FilesystemPolicy::Kind> {
  static constexpr auto kRows = std::to_array<Row<FilesystemPolicy::Kind>>({
      {FilesystemPolicy::Kind::None, "none"},
      {FilesystemPolicy::Kind::WorkspaceReadOnly, "workspace_read_only"},
      {FilesystemPolicy::Kind::WorkspaceReadWrite, "workspace_read_write"},
      {FilesystemPolicy::Kind::Paths, "paths"},
      {FilesystemPolicy::Kind::Unrestricted, "unrestricted"},
  });
};

template <>
struct NameTable<EnvironmentPolicy::Kind> {
  static constexpr auto kRows = std::to_array<Row<EnvironmentPolicy::Kind>>({
      {EnvironmentPolicy::Kind::None, "none"},
      {EnvironmentPolicy::Kind::AllowList, "allow_list"},
      {EnvironmentPolicy::Kind::Unrestricted, "unrestricted"},
  });
};

template <class E>
std::string_view lookup(E value) {
  for (const auto& [candidate, name] : NameTable<E>::kRows) {
    if (candidate == value) return name;
  }
  std::unreachable();
}

}  // namespace

std::string_view name_of(ExecutionStatus value) {
  return lookup(value);
}
std::string_view name_of(Outcome value) {
  return lookup(value);
}
std::string_view name_of(LimitHit value) {
  return lookup(value);
}
std::string_view name_of(LimitScope value) {
  return lookup(value);
}
std::string_view name_of(LimitReach value) {
  return lookup(value);
}
std::string_view name_of(TruncationStyle value) {
  return lookup(value);
}
std::string_view name_of(NetworkPolicy value) {
  return lookup(value);
}
std::string_view name_of(FilesystemPolicy::Kind value) {
  return lookup(value);
}
std::string_view name_of(EnvironmentPolicy::Kind value) {
  return lookup(value);
}

template <class E>
std::optional<E> from_name(std::string_view name) {
  for (const auto& [value, candidate] : NameTable<E>::kRows) {
    if (candidate == name) return value;
  }
  return std::nullopt;
}

template <class E>
std::string allowed_names() {
  std::string out;
  for (const auto& [value, name] : NameTable<E>::kRows) {
    if (!out.empty()) out += ", ";
    out += name;
  }
  return out;
}

#define COVE_INSTANTIATE_NAMES(E)                                \
  template std::optional<E> from_name<E>(std::string_view name); \
  template std::string allowed_names<E>();
COVE_INSTANTIATE_NAMES(ExecutionStatus)
COVE_INSTANTIATE_NAMES(Outcome)
COVE_INSTANTIATE_NAMES(LimitHit)
COVE_INSTANTIATE_NAMES(LimitScope)
COVE_INSTANTIATE_NAMES(LimitReach)
COVE_INSTANTIATE_NAMES(TruncationStyle)
COVE_INSTANTIATE_NAMES(NetworkPolicy)
COVE_INSTANTIATE_NAMES(FilesystemPolicy::Kind)
COVE_INSTANTIATE_NAMES(EnvironmentPolicy::Kind)
#undef COVE_INSTANTIATE_NAMES

}  // namespace cove
