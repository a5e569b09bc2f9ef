#pragma once
#include "sandbox/raw/init_loop.h"

namespace cove::sandbox {

// Opens what is needed to see whether the main process is alone. Before the lock-down.
void open_traced_view(int main_pid);

// The traced main process stopped. On its way out, if no other thread or process is left that could
// still run, reports at once how it ends and leaves it there; any other stop is passed on as if
// nobody watched.
void on_traced_stop(const InitTask& task, int wait_status);

bool already_reported();

}  // namespace cove::sandbox
