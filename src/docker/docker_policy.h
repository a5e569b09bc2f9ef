#pragma once
#include "base/result.h"
#include "docker/docker_options.h"
#include "docker/engine_api.h"
#include "model/capabilities.h"
#include "model/execution_request.h"

namespace cove {

// What a container of these options on this engine enforces. What was opened shows here.
BackendCapabilities docker_capabilities(const DockerOptions& options,
                                        const DockerEngineFacts& engine);

// A container is made once, for many requests: one that asks for anything else than what the
// container has is refused, before anything runs. Limits that nobody asked for are the container's.
Result<> check_container_fits(const DockerOptions& options, const ExecutionRequest& request);

// The options that hold this request and no more: for a container that is made for it alone. The
// host paths of its policy become bind mounts. `profile` has the language's own limits.
Result<DockerOptions> fit_to_request(DockerOptions options, const ExecutionRequest& request,
                                     const Limits& profile);

}  // namespace cove
