#include "api/load_config.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "api/config_keys.h"
#include "api/listen_address.h"
#include "base/closest_name.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "base/toml_to_json.h"
#include "base/write_json.h"

namespace cove {

namespace {

constexpr std::string_view kPrefix = "COVE_SERVE_";
constexpr std::string_view kDefault = "default";

const ConfigKey* find_key(std::string_view name) {
  const auto found = std::ranges::find(config_keys(), name, &ConfigKey::name);
  return found == config_keys().end() ? nullptr : &*found;
}

Result<std::string> text_of(const json::value& value, const std::string& path) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_array()) {
    std::vector<std::string> parts;
    for (const json::value& element : value.get_array()) {
      COVE_ASSIGN(std::string part, json_string(element, path));
      parts.push_back(std::move(part));
    }
    return join(parts, ",");
  }
  if (value.is_bool() || value.is_number()) return write_json(value);
  return Err(Error::invalid_field(path,
                                  "must be a string, a number, true, false or a list of "
                                  "strings, got " +
                                      std::string(json_kind_name(value))));
}

Result<std::map<std::string, std::string>> read_file(const std::string& path) {
  std::map<std::string, std::string> out;
  std::ifstream file(path, std::ios::binary);
  if (!file) return Err(Error::invalid_field("config", "cannot be read: " + quoted(path)));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  COVE_ASSIGN(const json::object object, toml_to_json(text, path));
  for (const auto& field : object) {
    const std::string name(field.key());
    if (find_key(name) == nullptr) {
      std::vector<std::string> known;
      for (const ConfigKey& each : config_keys()) known.emplace_back(each.name);
      const std::string meant = did_you_mean(name, known);
      return Err(
          Error::invalid_field(escape_file_name(name),
                               "is not a setting (in " + path + ")" +
                                   (meant.empty() ? "; there are: " + join(known, ", ") : meant)));
    }
    COVE_ASSIGN(out[name], text_of(field.value(), name));
  }
  return out;
}

Result<> check_variables(const ConfigSources& sources) {
  for (const auto& [name, value] : sources.environment) {
    if (!name.starts_with(kPrefix)) continue;
    const bool known = std::ranges::any_of(config_keys(), [&](const ConfigKey& each) {
      return std::ranges::find(each.variables, name) != each.variables.end();
    });
    if (!known) {
      std::vector<std::string> names;
      for (const ConfigKey& each : config_keys()) {
        names.insert(names.end(), each.variables.begin(), each.variables.end());
      }
      const std::string meant = did_you_mean(name, names);
      return Err(Error::invalid_field(
          escape_file_name(name),
          "is not a variable of the server" +
              (meant.empty() ? "; cove serve --print-config shows the settings" : meant)));
    }
  }
  return {};
}

struct Found {
  std::string text;
  std::string source = "default";
};

Found find_value(const ConfigKey& each, const std::map<std::string, std::string>& file,
                 const ConfigSources& sources) {
  const std::string name(each.name);
  if (const auto flag = sources.flags.find(name); flag != sources.flags.end()) {
    return {flag->second, "flag " + each.flag()};
  }
  if (sources.dev && each.name == "environment") return {"local", "flag --dev"};
  for (const std::string& variable : each.variables) {
    const auto found = std::ranges::find(sources.environment, variable,
                                         &std::pair<std::string, std::string>::first);
    if (found != sources.environment.end() && !found->second.empty()) {
      return {found->second, "environment " + variable};
    }
  }
  if (const auto found = file.find(name); found != file.end()) {
    return {found->second, "file " + sources.file};
  }
  return {std::string(each.default_text), std::string(kDefault)};
}

// Who lowers only the maximum means the default as well; who sets both must set them right, which
// check_server_config() sees to.
void fit_default_timeout(LoadedConfig& loaded) {
  ServerConfig& config = loaded.config;
  if (config.given.contains("default_timeout_ms") || config.default_timeout <= config.max_timeout) {
    return;
  }
  config.default_timeout = config.max_timeout;
  for (ConfigValue& value : loaded.values) {
    if (value.name != "default_timeout_ms") continue;
    value.text = fmt::format("{}", config.max_timeout.count());
    value.source = "default, lowered to max_timeout_ms";
  }
}

}  // namespace

Result<LoadedConfig> load_config(const ConfigSources& sources) {
  std::map<std::string, std::string> file;
  if (!sources.file.empty()) {
    COVE_ASSIGN(file, read_file(sources.file));
  }
  COVE_TRY(check_variables(sources));
  LoadedConfig out;
  for (const ConfigKey& each : config_keys()) {
    const Found found = find_value(each, file, sources);
    if (auto set = each.set(out.config, found.text); !set) {
      return Err(
          Error::invalid_field(std::string(each.name),
                               fmt::format("{} (from {})", set.error().message(), found.source)));
    }
    if (found.source != kDefault) out.config.given.insert(std::string(each.name));
    const bool hide = each.secret && !found.text.empty();
    out.values.push_back({std::string(each.name), hide ? "(set)" : found.text, found.source});
  }
  fit_default_timeout(out);
  if (sources.dev) {
    for (const std::string& text : out.config.listen) {
      COVE_ASSIGN(const ListenAddress address, parse_listen_address(text));
      if (address.is_loopback()) continue;
      return Err(Error::invalid_field(
          "listen", "must be a loopback address with --dev, got " + quoted(text)));
    }
  }
  return out;
}

std::string LoadedConfig::to_text() const {
  std::size_t width = 0;
  for (const ConfigValue& value : values) width = std::max(width, value.name.size());
  std::string out;
  for (const ConfigValue& value : values) {
    out +=
        fmt::format("{:<{}} = {:<40} # {}\n", value.name, width, quoted(value.text), value.source);
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> process_environment() {
  std::vector<std::pair<std::string, std::string>> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    out.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

}  // namespace cove
