#pragma once
#include <set>
#include <string>
#include <vector>

namespace cove {

// Metrics gives nothing but what every key may: /metrics, languages, policies, capabilities.
enum class Scope : unsigned char { Execute, Sessions, Metrics, Admin };

// What one key may use of the server. Zero and empty mean: no limit of its own.
struct CallerLimits {
  unsigned concurrency = 0;            // jobs that run at once
  double rate = 0;                     // submissions a second, with a burst of as many (at least 1)
  std::vector<std::string> policies;   // names of presets
  std::vector<std::string> languages;  // canonical names
  // NOLINTNEXTLINE(readability-redundant-member-init): so that it may be left out
  std::vector<std::string> backends = {};  // as the server's setting names them
};

// Who asks. Made by KeyRing::authenticate; in development, without a key, the caller is "dev".
struct Caller {
  std::string name;
  std::set<Scope> scopes;
  CallerLimits limits;

  bool may(Scope scope) const { return scopes.contains(scope) || scopes.contains(Scope::Admin); }
};

}  // namespace cove
