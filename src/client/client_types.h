#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "executor/code_executor.h"
#include "model/execution_result.h"
#include "model/limits.h"

namespace cove {

struct ClientOptions {
  std::string url = "http://127.0.0.1:8700";  // or https://…, unix:PATH
  std::string key;                            // empty: a server that needs none
  std::string ca_file;                        // PEM; empty: the system's authorities
  bool verify_certificate = true;
  std::chrono::milliseconds connect_timeout{10'000};
  // How long the server may say nothing within one call, as while a quiet program runs; zero: for
  // ever.
  std::chrono::milliseconds silence{15 * 60'000};
  Bytes max_answer = Bytes::mib(256);  // more is refused before it fills the memory
};

// How the policy of a request reaches the server: by its name (a preset of the server), whole (a
// server with custom_policies), or not at all (the server's default).
enum class PolicyForm : unsigned char { ByName, Whole, ServerDefault };

struct RemoteContext {
  std::stop_token cancel;
  OutputSink* sink = nullptr;  // called on the thread that called; of a cell: may be a CellSink
  PolicyForm policy = PolicyForm::ByName;
  std::string backend;  // of an execution: one that the server offers; empty: the server's own
  std::function<void(std::string_view id)> on_started;
  // Output that the server dropped from the stream because it was not read in time; the result has
  // it.
  std::function<void(std::uint64_t bytes)> on_dropped;
};

// One execution as the server lists it. Times are RFC 3339 as the server wrote them, or empty.
struct RemoteExecution {
  std::string id;
  std::string state;  // queued, running, done, failed
  std::string caller;
  std::string language;
  std::string policy;
  std::string created;
  std::string started;
  std::string finished;
  std::optional<std::string> status;  // of a list: the result's, in short
  std::optional<int> exit_code;
  std::optional<double> duration_ms;
  std::optional<ExecutionResult> result;  // of one execution that is done
  std::optional<Error> error;             // failed
};

struct ListFilter {
  std::size_t limit = 50;  // at most 500
  std::string before;      // the id at which an earlier page ended
  std::string state;
  std::string caller;
};

struct RemoteExecutions {
  std::vector<RemoteExecution> executions;  // newest first
  std::string next;                         // for ListFilter::before; empty: these were the last
};

struct RemoteLanguage {
  std::string name;
  std::vector<std::string> aliases;
  bool usable = false;  // by the server's own sandbox
  std::string version;
  std::string reason;
  std::vector<std::string> backends;  // that this caller may run it on
};

struct RemoteFile {
  std::string mime_type;
  std::string content;
};

struct NewSession {
  std::string language;  // empty: the profile's, or python
  std::string profile;   // a language profile of the server; empty: the language's own
  std::string policy;    // a preset's name; empty: the server's default
  Limits limits;
  std::vector<std::pair<std::string, std::string>> env;
  std::optional<std::chrono::seconds> idle_timeout;
};

struct RemoteSession {
  std::string id;
  std::string language;
  std::string profile;
  std::string policy;
  std::string owner;
  std::string state;  // idle, running, gone
  std::string family;
  std::string parent;
  std::string directory;
  std::string created;
  std::string last_used;
  std::chrono::seconds idle_timeout{0};
  std::uint64_t cells = 0;    // begun so far
  std::string cell_started;   // of the last of them, while it runs; else empty
  std::uint64_t waiting = 0;  // calls that wait for the session
  Bytes memory;
  std::vector<std::string> notes;
};

struct RemoteCheckpoint {
  std::string id;
  std::string name;
  std::string created;
  std::uint64_t cells = 0;
};

}  // namespace cove
