#pragma once

namespace cove::sandbox {

// Writes to every page of this process that it shares copy-on-write with its zygote, so that the
// page faults are paid before the job comes and not by it.
void touch_pages();

}  // namespace cove::sandbox
