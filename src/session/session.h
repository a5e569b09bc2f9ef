#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "executor/code_executor.h"
#include "model/execution_result.h"
#include "model/limits.h"
#include "model/sandbox_policy.h"

namespace cove {

struct SessionOptions {
  std::string language = "python";  // python, javascript or bash; empty: the profile's
  std::string profile;              // a language profile by its name; empty: the language's own
  SandboxPolicy policy;
  std::string policy_name;  // of the preset that `policy` is, for info; empty: one of its own
  Limits limits;
  std::vector<std::pair<std::string, std::string>> env;
  std::optional<std::chrono::seconds> idle_timeout;  // absent: the service's
  std::string owner;                                 // the caller's name
};

enum class SessionState : unsigned char { Idle, Running, Gone };

struct SessionInfo {
  std::string id;
  std::string language;  // python, javascript or bash
  std::string profile;   // the language profile that it runs with
  std::string policy;    // name of the preset, or "custom"
  std::string owner;
  SessionState state = SessionState::Idle;
  std::string gone_reason;  // "expired after 600 s idle", "deleted", "its process died: SIGSEGV", …
  std::string family;       // shared by all branches of one session
  std::string parent;       // the session that this one was forked from; empty for the first
  std::string directory;    // where its files are, as its code sees it
  std::chrono::system_clock::time_point created;
  std::chrono::system_clock::time_point last_used;
  std::chrono::seconds idle_timeout{0};
  std::uint64_t cells = 0;  // begun so far; the last of them runs if cell_started is there
  std::optional<std::chrono::system_clock::time_point> cell_started;
  Bytes memory;  // in use now, as far as it can be told
  // What a fork lost: threads, locks; when and why all variables were lost last.
  std::vector<std::string> notes;
};

struct CheckpointInfo {
  std::string id;
  std::string name;  // as given, may be empty
  std::chrono::system_clock::time_point created;
  std::uint64_t cells = 0;
};

// One displayed value in one or more forms: (mime type, data). Binary forms are base64.
using RichData = std::vector<std::pair<std::string, std::string>>;

struct CellError {
  std::string name;   // "ZeroDivisionError"
  std::string value;  // "division by zero"
  std::vector<std::string> traceback;
};

struct CellResult {
  ExecutionStatus status = ExecutionStatus::Failed;
  std::string stdout_data;
  std::string stderr_data;
  bool stdout_truncated = false;
  bool stderr_truncated = false;
  std::vector<RichData> displays;  // what was displayed, in order
  std::optional<RichData> value;   // of the last expression
  std::optional<CellError> error;  // an exception that the cell did not catch
  std::uint64_t count = 0;         // the cell's number in its session
  std::chrono::microseconds duration{0};
  bool state_lost = false;  // the process had to be killed; the session starts afresh
  std::vector<std::string> notes;
};

// Told what a cell shows while it runs, on the thread that called execute().
class CellSink : public OutputSink {
 public:
  virtual void on_display(const RichData& data) = 0;
  // It is the cell's turn and it has not begun: asked by a SessionService. An error refuses the
  // cell; what is returned is held until the cell is over.
  virtual Result<std::shared_ptr<void>> on_turn() { return std::shared_ptr<void>(); }
};

struct Cell {
  std::string code;
  std::optional<std::chrono::milliseconds> timeout;  // absent: the policy's
};

struct SessionFile {
  std::string name;
  Bytes size;
  std::string mime_type;
};

struct SessionServiceOptions {
  std::size_t max_sessions = 32;  // live ones, checkpoints included
  std::chrono::seconds idle_timeout{600};
  std::chrono::seconds max_idle_timeout{24 * 3600};
  std::chrono::milliseconds max_cell_timeout{60'000};
  // Between the interrupt of a cell that is out of time and its killing.
  std::chrono::milliseconds interrupt_grace{2'000};
};

}  // namespace cove
