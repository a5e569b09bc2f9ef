#include "engine/key_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/strings.h"
#include "base/toml_to_json.h"
#include "engine/rfc3339.h"

namespace cove {
namespace {

constexpr auto kScopes =
    std::to_array<std::pair<Scope, std::string_view>>({{Scope::Execute, "execute"},
                                                       {Scope::Sessions, "sessions"},
                                                       {Scope::Metrics, "metrics"},
                                                       {Scope::Admin, "admin"}});
constexpr std::string_view kHashPrefix = "sha256:";
constexpr std::string_view kSafe =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
constexpr std::size_t kLettersAndDigits = 62;  // of kSafe, which come first
constexpr std::int64_t kMaxConcurrency = 100'000;
constexpr double kMaxRate = 1e6;

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && kSafe.find(name.front()) < kLettersAndDigits &&
         name.find_first_not_of(kSafe) == std::string_view::npos;
}

// With an image's name in it: "image:registry.example/python:3.12".
bool is_backend_name(std::string_view name) {
  return !name.empty() && name.size() <= 300 && kSafe.find(name.front()) < kLettersAndDigits &&
         name.find_first_not_of(std::string(kSafe) + ":/@+") == std::string_view::npos;
}

std::optional<Sha256Digest> parse_hash(std::string_view text) {
  if (!text.starts_with(kHashPrefix)) return std::nullopt;
  text.remove_prefix(kHashPrefix.size());
  Sha256Digest hash{};
  static constexpr std::string_view kDigits = "0123456789abcdef";
  if (text.size() != 2 * hash.size()) return std::nullopt;
  for (std::size_t i = 0; i < hash.size(); ++i) {
    const auto high = kDigits.find(text[2 * i]);
    const auto low = kDigits.find(text[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    hash[i] = static_cast<unsigned char>(high << 4U | low);
  }
  return hash;
}

Result<> read_limits(JsonFields& fields, CallerLimits& out) {
  std::optional<std::int64_t> concurrency;
  COVE_TRY(fields.read("concurrency", concurrency));
  if (concurrency && (*concurrency < 0 || *concurrency > kMaxConcurrency)) {
    return fields.error("concurrency", fmt::format("must be 0 (no limit) to {}", kMaxConcurrency));
  }
  out.concurrency = static_cast<unsigned>(concurrency.value_or(0));
  std::optional<double> rate;
  COVE_TRY(fields.read("rate", rate));
  out.rate = rate.value_or(0);
  COVE_TRY(fields.read("policies", out.policies));
  COVE_TRY(fields.read("languages", out.languages));
  return fields.read("backends", out.backends);
}

Result<StoredKey> decode_key(const json::value& value, const std::string& path) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  StoredKey key;
  for (const auto* name : {"name", "hash", "scopes", "created"}) COVE_TRY(fields.require(name));
  COVE_TRY(fields.read("name", key.info.name));
  std::string hash;
  COVE_TRY(fields.read("hash", hash));
  const auto digest = parse_hash(hash);
  // The text itself is not repeated: somebody may have put the secret there.
  if (!digest) {
    return fields.error("hash", "must be \"sha256:\" and 64 lower-case hexadecimal digits");
  }
  key.hash = *digest;
  std::vector<std::string> scopes;
  COVE_TRY(fields.read("scopes", scopes));
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    const auto scope = scope_from_name(scopes[i]);
    if (!scope) return fields.error(fmt::format("scopes[{}]", i), scope.error().message());
    key.info.scopes.insert(*scope);
  }
  std::string created;
  COVE_TRY(fields.read("created", created));
  const auto time = parse_rfc3339(created);
  if (!time) return fields.error("created", "must be a time such as \"2026-11-15T08:30:00Z\"");
  key.info.created = *time;
  COVE_TRY(read_limits(fields, key.info.limits));
  COVE_TRY(fields.no_others());
  if (auto valid = validate_key(key.info); !valid) {
    return Err(Error(ErrorCode::InvalidRequest, path + ": " + valid.error().message()));
  }
  return key;
}

std::string quoted_list(const std::vector<std::string>& items) {
  std::string out;
  for (const auto& item : items) out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", item);
  return "[" + out + "]";
}

}  // namespace

std::string_view scope_name(Scope scope) {
  return std::ranges::find(kScopes, scope, [](const auto& row) { return row.first; })->second;
}

Result<Scope> scope_from_name(std::string_view name) {
  for (const auto& [scope, known] : kScopes) {
    if (known == name) return scope;
  }
  return Err(Error::invalid_field("scopes", fmt::format("unknown scope {}; there are execute, "
                                                        "sessions, metrics, admin",
                                                        quoted(name))));
}

Result<> validate_key_name(std::string_view name) {
  if (!is_plain_name(name)) {
    return Err(Error::invalid_field(
        "name", fmt::format("{} is no name for a key: a letter or digit, then up to 63 letters, "
                            "digits, '.', '_' or '-'",
                            quoted(name))));
  }
  if (name == "env" || name == "dev") {
    return Err(Error::invalid_field(
        "name", fmt::format("{} is the name of callers without a stored key", quoted(name))));
  }
  return {};
}

Result<> validate_key(const KeyInfo& key) {
  COVE_TRY(validate_key_name(key.name));
  if (key.scopes.empty()) {
    return Err(
        Error::invalid_field("scopes", "needs at least one of execute, sessions, metrics, admin"));
  }
  const CallerLimits& limits = key.limits;
  if (limits.concurrency > kMaxConcurrency) {
    return Err(Error::invalid_field("concurrency",
                                    fmt::format("must be 0 (no limit) to {}", kMaxConcurrency)));
  }
  if (!(limits.rate >= 0 && limits.rate <= kMaxRate)) {
    return Err(Error::invalid_field(
        "rate", fmt::format("must be 0 (no limit) to {} submissions a second", kMaxRate)));
  }
  for (const auto& [field, names] :
       {std::pair("policies", &limits.policies), std::pair("languages", &limits.languages)}) {
    for (const auto& name : *names) {
      if (is_plain_name(name)) continue;
      return Err(Error::invalid_field(field, fmt::format("{} is no name", quoted(name))));
    }
  }
  for (const std::string& name : limits.backends) {
    if (is_backend_name(name)) continue;
    return Err(
        Error::invalid_field("backends", fmt::format("{} is no name of a backend", quoted(name))));
  }
  return {};
}

Result<std::vector<StoredKey>> parse_key_file(std::string_view text, const std::string& source) {
  const auto in_file = [&](Error error) {
    return Err(Error(ErrorCode::InvalidRequest, source + ": " + error.message()));
  };
  COVE_ASSIGN(const json::value document, toml_to_json(text, source));
  auto fields = JsonFields::of(document, "");
  if (!fields) return in_file(fields.error());
  std::vector<StoredKey> keys;
  std::set<std::string> names;
  if (const json::value* list = fields->find("key")) {
    auto array = json_array(*list, "key");
    if (!array) return in_file(array.error());
    for (const json::value& item : **array) {
      auto key = decode_key(item, fmt::format("key[{}]", keys.size()));
      if (!key) return in_file(key.error());
      if (!names.insert(key->info.name).second) {
        return in_file(
            Error::invalid_field(fmt::format("key[{}].name", keys.size()),
                                 fmt::format("{} is there twice", quoted(key->info.name))));
      }
      keys.push_back(std::move(*key));
    }
  }
  if (auto done = fields->no_others(); !done) return in_file(done.error());
  return keys;
}

std::string encode_key_file(const std::vector<StoredKey>& keys) {
  std::string out =
      "# Keys of a Cove server, written by `cove keys`. Secrets are stored as SHA-256 only.\n";
  for (const StoredKey& key : keys) {
    std::vector<std::string> scopes;
    scopes.reserve(key.info.scopes.size());
    for (const Scope scope : key.info.scopes) scopes.emplace_back(scope_name(scope));
    const auto to = std::back_inserter(out);
    const std::string_view hash(reinterpret_cast<const char*>(key.hash.data()), key.hash.size());
    fmt::format_to(to, "\n[[key]]\nname = \"{}\"\nhash = \"{}{}\"\nscopes = {}\ncreated = \"{}\"\n",
                   key.info.name, kHashPrefix, to_hex(hash), quoted_list(scopes),
                   format_rfc3339(key.info.created));
    const CallerLimits& limits = key.info.limits;
    if (limits.concurrency > 0) fmt::format_to(to, "concurrency = {}\n", limits.concurrency);
    if (limits.rate > 0) fmt::format_to(to, "rate = {:#}\n", limits.rate);
    if (!limits.policies.empty()) {
      fmt::format_to(to, "policies = {}\n", quoted_list(limits.policies));
    }
    if (!limits.languages.empty()) {
      fmt::format_to(to, "languages = {}\n", quoted_list(limits.languages));
    }
    if (!limits.backends.empty()) {
      fmt::format_to(to, "backends = {}\n", quoted_list(limits.backends));
    }
  }
  return out;
}

}  // namespace cove
