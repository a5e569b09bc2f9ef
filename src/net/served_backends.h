#pragma once
#include "api/server.h"

namespace cove {

// Makes local, container, docker and image:NAME for a server, as its settings say.
BackendMaker served_backends();

}  // namespace cove
