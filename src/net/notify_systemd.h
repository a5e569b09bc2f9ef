#pragma once
#include <string_view>

namespace cove {

// Tells the service manager that started us ("READY=1", "STOPPING=1"); nothing happens without one.
void notify_systemd(std::string_view state);

}  // namespace cove
