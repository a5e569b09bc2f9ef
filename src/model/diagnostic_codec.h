#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/compile_report.h"
#include "model/diagnostic.h"

namespace cove {

// As results carry them; text that is not UTF-8 becomes U+FFFD.
json::array encode_diagnostics(const std::vector<Diagnostic>& diagnostics);

// Reads one of them back. Fields that are not known are left alone; a wrong type is an error that
// names the field below `path`.
Result<Diagnostic> decode_diagnostic(const json::value& value, const std::string& path);

json::object encode_compile_report(const CompileReport& report);
Result<CompileReport> decode_compile_report(const json::value& value, const std::string& path);

}  // namespace cove
