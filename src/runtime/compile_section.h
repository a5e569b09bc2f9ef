#pragma once
#include "base/json_fields.h"
#include "base/result.h"
#include "runtime/language_profile.h"

namespace cove {

// Reads [compile] of a profile, if it has one, over what the profile inherited.
Result<> read_compile_section(JsonFields& fields, LanguageProfile& profile);
// The same for [check], which only an interpreted language may have.
Result<> read_check_section(JsonFields& fields, LanguageProfile& profile);

}  // namespace cove
