#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "model/compile_report.h"
#include "model/diagnostic.h"

namespace cove {

enum class ExecutionStatus : unsigned char {
  Success,  // exit code 0
  Failed,   // another exit code, or a signal
  Timeout,
  Oom,
  Cancelled,
  CompileFailed,
  Rejected,  // by policy, before anything ran
};

enum class Outcome : unsigned char { Unspecified, Ok, Failed, DeadlineExceeded };

// What the caller of an older system understands: OUTCOME_OK and so on.
Outcome outcome_of(ExecutionStatus status);

// A limit that the program reached.
enum class LimitHit : unsigned char { Memory, Pids, Disk, Output, Cpu };

struct OutputFile {
  std::string name;
  Bytes size;
  std::string mime_type;
  bool truncated = false;
  std::optional<std::string> content;
};

// Something in the working directory that is not handed out, and why.
struct SkippedFile {
  std::string name;
  std::string reason;
};

// Of the program, not of its compilers: see CompileReport. Absent: the backend cannot know, or the
// program never ran.
struct Usage {
  std::optional<std::chrono::microseconds> cpu;
  std::chrono::microseconds wall{0};
  std::optional<Bytes> peak_memory;
};

// What a run came to. The guest's outcome is data: a program that fails is a result, not an error.
struct ExecutionResult {
  ExecutionStatus status = ExecutionStatus::Failed;
  std::optional<int> exit_code;
  std::optional<std::string> signal;  // "SIGSEGV"
  std::string stdout_data;
  std::string stderr_data;
  bool stdout_truncated = false;
  bool stderr_truncated = false;
  std::vector<OutputFile> output_files;
  std::vector<SkippedFile> skipped_files;
  bool output_files_incomplete = false;  // a cap or the collection budget ran out
  std::optional<json::value> output;     // harnessed languages
  std::optional<std::string> display_stdout;
  std::vector<Diagnostic> diagnostics;  // of a compiler or type checker, in its order
  // The same, short, for a reader who will repair the program: see model/diagnostic_text.h. Present
  // when there are any.
  std::optional<std::string> diagnostics_text;
  std::optional<CompileReport> compile;  // compiled languages
  std::chrono::microseconds duration{0};
  // From the call to the program's start: making its sandbox, or taking one that waited, and
  // handing over code and files. Absent: the program never started, or nobody knows when.
  std::optional<std::chrono::microseconds> setup;
  Usage usage;
  bool killed = false;
  bool oom = false;
  std::vector<LimitHit> limits_hit;
  std::string backend;
  std::string isolation;
  bool warm = false;
  std::string execution_id;
  // What was done otherwise than asked, one sentence each: a timeout that a server lowered, say.
  std::vector<std::string> notes;

  bool is_success() const { return status == ExecutionStatus::Success; }
  // stdout; or stderr alone; or both with a line "--- stderr ---" between.
  std::string combined_output() const;
};

}  // namespace cove
