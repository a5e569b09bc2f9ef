#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/caller.h"

namespace cove {

struct KeyInfo {
  std::string name;
  std::set<Scope> scopes;
  CallerLimits limits;
  std::chrono::system_clock::time_point created;
};

// Names of keys that came, went, or have another secret, scope or limit.
struct KeyChange {
  std::vector<std::string> added;
  std::vector<std::string> removed;
  std::vector<std::string> changed;
  bool empty() const { return added.empty() && removed.empty() && changed.empty(); }
};

// Keys of a server: the single one of the environment and those of the key file, stored hashed (the
// secrets are random, so one SHA-256 each). Thread-safe; the file is read again when it changed.
class KeyRing {
 public:
  // `file` may not exist yet; `environment_key` may be empty.
  static Result<std::unique_ptr<KeyRing>> open(std::string file, std::string environment_key);
  virtual ~KeyRing() = default;

  // For the decision at the start. Later on, no keys means that nobody gets in.
  virtual bool empty() const = 0;
  // Unauthorized unless the secret is one of ours. Takes as long for a wrong key as for a right
  // one. While the file is malformed none of its keys is accepted (BackendUnavailable): a key that
  // was just revoked in it must not go on working.
  virtual Result<Caller> authenticate(std::string_view secret) const = 0;
  // What is wrong with the file now, for the operator's eyes.
  virtual std::optional<Error> problem() const { return std::nullopt; }

  // Told, once the file was seen to have changed, how: for the audit log. Called while keys are
  // locked: must not call back.
  virtual void on_change(std::function<void(const KeyChange&)> /*observer*/) {}

  // For `cove keys`. The secret is shown once and stored nowhere.
  virtual Result<std::string> add(const KeyInfo& key) = 0;
  virtual std::vector<KeyInfo> list() const = 0;
  virtual Result<> revoke(std::string_view name) = 0;
};

}  // namespace cove
