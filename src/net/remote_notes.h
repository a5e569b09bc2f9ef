#pragma once
#include <string>
#include <vector>

#include "client/client.h"

namespace cove {

// As run_notes(), of a run on a server: the figures come from what the server says of its policies
// and limits, which it is asked only when there is something to say. A server that does not answer
// leaves the figures out. `request` is as it was sent.
std::vector<std::string> remote_run_notes(Client& client, const ExecutionRequest& request,
                                          PolicyForm form, const Limits& profile_limits,
                                          const ExecutionResult& result);

}  // namespace cove
