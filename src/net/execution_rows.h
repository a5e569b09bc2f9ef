#pragma once
#include <string>
#include <vector>

#include "client/client.h"

namespace cove {

// Executions and sessions as tables for people.
std::string execution_table(const std::vector<RemoteExecution>& executions);
std::string session_table(const std::vector<RemoteSession>& sessions);

// Those that run or wait, running ones first.
Result<std::vector<RemoteExecution>> unfinished_executions(Client& client, ListFilter filter);

}  // namespace cove
