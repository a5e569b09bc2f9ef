#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/key_ring.h"
#include "engine/sha256.h"

namespace cove {

struct StoredKey {
  KeyInfo info;
  Sha256Digest hash{};  // of the secret
};

// "execute", "sessions", "metrics", "admin".
std::string_view scope_name(Scope scope);
Result<Scope> scope_from_name(std::string_view name);  // the error says which there are

// Names of people and programs: a letter or digit, then up to 63 letters, digits, '.', '_', '-'.
// "env" and "dev" are taken by callers that come without a stored key.
Result<> validate_key_name(std::string_view name);
// Name, scopes (at least one) and limits.
Result<> validate_key(const KeyInfo& key);

// A key file is TOML with one [[key]] a key: name, hash ("sha256:" and 64 digits), scopes, created,
// and as far as they are limited concurrency, rate, policies, languages, backends. Strict: errors
// name the line (syntax) or the field ("key[2].scopes[0]"). `source` is the file's name for
// messages.
Result<std::vector<StoredKey>> parse_key_file(std::string_view text, const std::string& source);
std::string encode_key_file(const std::vector<StoredKey>& keys);

}  // namespace cove
