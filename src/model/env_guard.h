#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace cove {

// Why a request may not set this variable, or empty when it may. Refused are variables that change
// what runs before the program does: the dynamic loader's, the C library's, and those with which
// interpreters find their start-up code.
std::string_view env_refusal_reason(std::string_view name);

// The variables of a request: names that exec() can pass, none twice, none refused above. Values
// are data: only NUL is refused in them. Errors name "env.NAME".
Result<> validate_env(std::span<const std::pair<std::string, std::string>> env,
                      std::string_view field = "env");

}  // namespace cove
