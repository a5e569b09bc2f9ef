#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "client/client.h"

namespace cove {

// Executions and sessions as tables for people. `busy` are sessions whose cells stand among the
// executions.
std::string execution_table(const std::vector<RemoteExecution>& executions,
                            const std::vector<RemoteSession>& busy = {});
std::string session_table(const std::vector<RemoteSession>& sessions);

// Those that run or wait, running ones first.
Result<std::vector<RemoteExecution>> unfinished_executions(Client& client, ListFilter filter);
// Sessions of which a cell runs or waits; none where the key may not see sessions.
Result<std::vector<RemoteSession>> busy_sessions(Client& client, const std::string& owner);
// Their cells as objects: {session, cell?, state, language, policy, caller, started?, waiting}.
json::array encode_cells(const std::vector<RemoteSession>& busy);

}  // namespace cove
