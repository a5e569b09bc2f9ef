#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/bench/samples.h"

namespace cove {

struct Verdict;

// One small program of one language: its first run, and the same again.
struct CompiledRow {
  std::string language;
  std::string note;     // the compiler, or why it was not measured
  Samples first_bare;   // the compiler and the binary, called by hand
  Samples first;        // Cove's
  Samples repeat_bare;  // the binary
  Samples repeat;       // Cove's: taken from the cache, or the sample fails
};

struct CompiledReport {
  Samples cold_true;  // a cold sandboxed /bin/true
  std::vector<CompiledRow> rows;
};

// A repeated run costs the binary's own time and at most 1.2 cold sandboxes.
void judge_compiled(const CompiledReport& report, std::vector<Verdict>& verdicts);

std::string compiled_text(const CompiledReport& report);
std::string compiled_markdown(const CompiledReport& report);
json::object compiled_json(const CompiledReport& report);

}  // namespace cove
