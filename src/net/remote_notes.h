#pragma once
#include <string>
#include <vector>

#include "client/client.h"

namespace cove {

// Whether a cancelled result was ended by a server that stops, not by who asked for it: then the
// infrastructure failed.
bool ended_by_stop(ExecutionStatus status, const std::vector<std::string>& notes);

// As run_notes(), of a run on a server: the figures come from what the server says of its policies
// and limits, which it is asked only when there is something to say. A server that does not answer
// leaves the figures out. `request` and `context` are as they were
// sent.
std::vector<std::string> remote_run_notes(Client& client, const ExecutionRequest& request,
                                          const RemoteContext& context,
                                          const Limits& profile_limits,
                                          const ExecutionResult& result);

}  // namespace cove
