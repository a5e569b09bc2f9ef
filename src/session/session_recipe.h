#pragma once
#include <string>
#include <vector>

#include "executor/native/native_host.h"
#include "runtime/runtime_catalog.h"
#include "session/session.h"

namespace cove {

// Everything that is needed to start an interpreter of a session, the first time and every time
// after it was lost. Decided once, when the session is opened; branches inherit it.
struct SessionRecipe {
  NativeHost* host = nullptr;  // the service's, outlives its sessions
  Runtime runtime;
  SessionOptions options;
  ResolvedLimits limits;
  std::vector<std::string> argv;  // interpreter and runner
  bool can_fork = false;
};

// Checks the options against what this host can enforce and finds the language's runner.
Result<SessionRecipe> make_recipe(NativeHost& host, const RuntimeCatalog& catalog,
                                  const SessionOptions& options);

}  // namespace cove
