#pragma once
#include "base/result.h"
#include "engine/caller.h"
#include "runtime/runtime_catalog.h"
#include "session/session.h"

namespace cove {

// Whether the caller's key allows a session's language profile and policy; Forbidden says which it
// allows. When one is opened;
Result<> check_session(const Caller& caller, const SessionOptions& asked,
                       const RuntimeCatalog& catalog);
// and for each of its cells: keys change while sessions live, and who uses one need not be who
// opened it.
Result<> check_cell(const Caller& caller, const SessionInfo& session);

}  // namespace cove
