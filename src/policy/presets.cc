#include "policy/presets.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/parse_json.h"
#include "base/strings.h"
#include "base/toml_to_json.h"
#include "model/policy_codec.h"

namespace cove {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestPolicyFile = 1 << 20;

std::vector<SandboxPolicy> make_builtin_presets() {
  SandboxPolicy strict;
  strict.name = "strict";
  strict.description = "no network, no host files, no inherited environment, 30 s";
  strict.limits.stdout_bytes = Bytes::mib(1);
  strict.limits.stderr_bytes = Bytes::mib(1);

  SandboxPolicy strict_js = strict;
  strict_js.name = "strict_js";
  strict_js.description = "as strict, 5 s";
  strict_js.timeout = std::chrono::seconds(5);

  SandboxPolicy strict_rust = strict;
  strict_rust.name = "strict_rust";
  strict_rust.description = "another name of strict";

  SandboxPolicy host_local = strict;
  host_local.name = "host_local";
  host_local.description = "trusted code only: nothing is promised but the timeout, 30 s";
  host_local.network = NetworkPolicy::Unrestricted;
  host_local.filesystem.kind = FilesystemPolicy::Kind::Unrestricted;
  host_local.environment.kind = EnvironmentPolicy::Kind::Unrestricted;
  return {strict, strict_js, strict_rust, host_local};
}

const SandboxPolicy* find_builtin(std::string_view name) {
  const auto& presets = builtin_presets();
  const auto found = std::ranges::find(presets, name, &SandboxPolicy::name);
  return found == presets.end() ? nullptr : &*found;
}

// Keeps a preset's name from being a path.
bool is_preset_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

Result<std::string> read_policy_text(const fs::path& file) {
  const auto failed = [&](std::string_view why) {
    return Err(
        Error(ErrorCode::InvalidRequest,
              "cannot read the policy file " + quoted(file.string()) + ": " + std::string(why)));
  };
  std::error_code ec;
  const fs::file_status status = fs::status(file, ec);
  if (ec) return failed(ec.message());
  if (!fs::is_regular_file(status)) return failed("not a regular file");
  const std::uintmax_t size = fs::file_size(file, ec);
  if (ec) return failed(ec.message());
  if (size > kLargestPolicyFile) return failed("larger than 1 MiB");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return failed("it cannot be opened");
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) return failed("reading failed");
  return text;
}

Result<SandboxPolicy> decode_named(json::value value, const std::string& source) {
  // The name of a file that does not give one is its own.
  if (value.is_object() && !value.get_object().contains("name")) {
    value.get_object()["name"] = sanitize_utf8(fs::path(source).stem().string());
  }
  auto policy = decode_policy(value, "");
  if (!policy) return Err(std::move(policy).error().with_context(source));
  return policy;
}

}  // namespace

const std::vector<SandboxPolicy>& builtin_presets() {
  static const std::vector<SandboxPolicy> presets = make_builtin_presets();
  return presets;
}

Result<SandboxPolicy> parse_policy_toml(std::string_view text, const std::string& source) {
  COVE_ASSIGN(auto object, toml_to_json(text, source));
  return decode_named(json::value(std::move(object)), source);
}

Result<SandboxPolicy> load_policy_file(const fs::path& file) {
  COVE_ASSIGN(const std::string text, read_policy_text(file));
  if (file.extension() != ".json") return parse_policy_toml(text, file.string());
  auto value = parse_json(text);
  if (!value) return Err(std::move(value).error().with_context(file.string()));
  return decode_named(std::move(*value), file.string());
}

Result<> PresetCatalog::add(const std::string& file_or_directory) {
  std::error_code ec;
  if (fs::is_directory(file_or_directory, ec)) {
    directories_.insert(directories_.begin(), file_or_directory);
    return {};
  }
  COVE_ASSIGN(SandboxPolicy policy, load_policy_file(file_or_directory));
  if (!is_preset_name(policy.name)) {
    return Err(
        Error::invalid_field(
            "name", quoted(policy.name) + " is no name for a preset: letters, digits, _ and -")
            .with_context(file_or_directory));
  }
  if (find_builtin(policy.name) != nullptr) {
    return Err(Error::invalid_field(
                   "name", quoted(policy.name) + " is a built-in preset and cannot be replaced")
                   .with_context(file_or_directory));
  }
  files_.insert(files_.begin(), std::move(policy));
  return {};
}

Result<SandboxPolicy> PresetCatalog::find(std::string_view name) const {
  if (const SandboxPolicy* builtin = find_builtin(name)) return *builtin;
  const auto added = std::ranges::find(files_, name, &SandboxPolicy::name);
  if (added != files_.end()) return *added;
  if (is_preset_name(name)) {
    for (const fs::path& directory : directories_) {
      const fs::path file = directory / (std::string(name) + ".toml");
      std::error_code ec;
      if (fs::exists(file, ec)) return load_policy_file(file);
    }
  }
  return Err(Error(ErrorCode::InvalidRequest, "there is no policy named " + quoted(name) +
                                                  "; there are " + join(names(), ", ")));
}

Result<SandboxPolicy> PresetCatalog::find_or_load(const std::string& name_or_file) const {
  const std::string_view text = name_or_file;
  const bool is_file = text.find('/') != std::string_view::npos || text.ends_with(".toml") ||
                       text.ends_with(".json");
  return is_file ? load_policy_file(name_or_file) : find(name_or_file);
}

std::vector<std::string> PresetCatalog::names() const {
  std::vector<std::string> files;
  files.reserve(files_.size());
  for (const SandboxPolicy& policy : files_) files.push_back(policy.name);
  for (const fs::path& directory : directories_) {
    std::error_code ec;
    for (fs::directory_iterator it(directory, ec), end; !ec && it != end; it.increment(ec)) {
      const std::string stem = it->path().stem().string();
      if (it->path().extension() != ".toml" || !is_preset_name(stem)) continue;
      if (find_builtin(stem) == nullptr) files.push_back(stem);
    }
  }
  std::ranges::sort(files);
  const auto repeated = std::ranges::unique(files);
  files.erase(repeated.begin(), repeated.end());

  std::vector<std::string> out;
  for (const SandboxPolicy& preset : builtin_presets()) out.push_back(preset.name);
  out.insert(out.end(), files.begin(), files.end());
  return out;
}

PresetResolver PresetCatalog::resolver() const {
  return [catalog = *this](std::string_view name) { return catalog.find(name); };
}

}  // namespace cove
