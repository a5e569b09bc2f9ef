#include "model/file_name.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/strings.h"

namespace cove {
namespace {

// What is wrong with a component, or empty.
std::string component_problem(std::string_view component) {
  if (component.empty()) return "has an empty component";
  if (component == "..") return "must not contain \"..\"";
  if (component == ".") return "must not contain \".\" as a component";
  if (component.size() > kMaxFileNameComponent) {
    return fmt::format("has a component longer than {} bytes", kMaxFileNameComponent);
  }
  return {};
}

std::string name_problem(std::string_view name) {
  if (name.empty()) return "must not be empty";
  if (name.find('\0') != std::string_view::npos) return "must not contain a NUL byte";
  if (name.front() == '/') return "must be a relative path";
  if (name.size() > kMaxFileNameLength) {
    return fmt::format("is longer than {} bytes", kMaxFileNameLength);
  }
  const std::vector<std::string_view> components = split(name, '/');
  if (components.size() > kMaxFileNameDepth) {
    return fmt::format("is nested deeper than {} levels", kMaxFileNameDepth);
  }
  for (const std::string_view component : components) {
    std::string problem = component_problem(component);
    if (!problem.empty()) return problem;
  }
  return {};
}

}  // namespace

Result<> validate_file_name(std::string_view name, const std::string& field) {
  const std::string problem = name_problem(name);
  if (problem.empty()) return {};
  return Err(Error::invalid_field(field, problem + ", got " + quoted(name)));
}

Result<> validate_file_names(std::span<const ExecFile> files, const std::string& field) {
  const auto at = [&](std::size_t index) { return fmt::format("{}[{}].name", field, index); };
  std::vector<std::pair<std::string_view, std::size_t>> names;
  for (std::size_t i = 0; i < files.size(); ++i) {
    COVE_TRY(validate_file_name(files[i].name, at(i)));
    names.emplace_back(files[i].name, i);
  }
  std::ranges::sort(names);
  const auto find = [&](std::string_view name) {
    const auto found = std::ranges::lower_bound(names, name, {}, [](auto& n) { return n.first; });
    return found != names.end() && found->first == name ? found : names.end();
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& [name, index] = names[i];
    if (i > 0 && names[i - 1].first == name) {
      return Err(
          Error::invalid_field(at(index), fmt::format("{} is already the name of {}[{}]",
                                                      quoted(name), field, names[i - 1].second)));
    }
    for (std::size_t slash = name.find('/'); slash != std::string_view::npos;
         slash = name.find('/', slash + 1)) {
      const auto parent = find(name.substr(0, slash));
      if (parent == names.end()) continue;
      return Err(
          Error::invalid_field(at(index), fmt::format("{} needs a directory where {}[{}] is a file",
                                                      quoted(name), field, parent->second)));
    }
  }
  return {};
}

}  // namespace cove
