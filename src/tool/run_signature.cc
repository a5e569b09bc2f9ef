#include "tool/run_signature.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/strings.h"

namespace cove {
namespace {

bool names(const std::vector<std::string>& args, std::string_view harness) {
  return std::ranges::any_of(
      args, [harness](const std::string& arg) { return arg.find(harness) != std::string::npos; });
}

std::string signature_in(const HarnessProfile& harness) {
  if (harness.signature_note.empty()) return harness.signature;
  return fmt::format("{} ({})", harness.signature, harness.signature_note);
}

// Empty: the language has no harness.
std::string signature_of(const LanguageProfile& profile) {
  if (profile.compile) {
    return profile.compile->harness ? signature_in(*profile.compile->harness) : "";
  }
  std::vector<std::string> args = profile.harness_args;
  for (const InterpreterChoice& choice : profile.alternatives) {
    if (choice.harness_args) {
      args.insert(args.end(), choice.harness_args->begin(), choice.harness_args->end());
    }
  }
  if (args.empty()) return "";
  if (names(args, "harness/python")) return "def run(input)";
  if (!names(args, "harness/javascript")) return "run(input)";
  return profile.extension == "ts" ? "function run(input: any): any" : "function run(input)";
}

}  // namespace

std::string run_signatures(const RuntimeCatalog& catalog,
                           const std::vector<std::string>& languages) {
  // In the order of the languages, those with one signature together.
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  std::vector<std::string> without;
  for (const std::string& language : languages) {
    const LanguageProfile* const profile = catalog.find_profile(language);
    const std::string signature = profile == nullptr ? "" : signature_of(*profile);
    if (signature.empty()) {
      without.push_back(language);
      continue;
    }
    const auto known = std::ranges::find(groups, signature, &decltype(groups)::value_type::first);
    if (known != groups.end()) {
      known->second.push_back(language);
    } else {
      groups.push_back({signature, {language}});
    }
  }
  std::vector<std::string> parts;
  parts.reserve(groups.size());
  for (const auto& [signature, those] : groups) {
    parts.push_back(fmt::format("{}: {}", join(those, ", "), signature));
  }
  std::string text = parts.empty() ? "" : "The code defines, in " + join(parts, "; ") + ".";
  if (!without.empty()) {
    text += fmt::format("{}Not possible in {}.", text.empty() ? "" : " ", join(without, ", "));
  }
  return text;
}

}  // namespace cove
