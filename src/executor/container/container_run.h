#pragma once
#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "executor/container/container_events.h"
#include "executor/container/engine_command.h"
#include "executor/local/process_tree.h"
#include "executor/output_capture.h"

namespace cove {

// A container whose client runs, and where its program reads and writes.
struct RunningContainer {
  std::string name;
  ProcessTree* client = nullptr;
  // The client's own pipes, or others that lead to the program directly. Closed as they end.
  UniqueFd* in = nullptr;
  UniqueFd* out = nullptr;
  UniqueFd* err = nullptr;
  int wake = -1;        // an eventfd that ContainerEvents writes to
  bool direct = false;  // the pipes are not the client's: they end with the program
};

// One run of a container, from here to its end. What it points to must outlive it.
struct ContainerJob {
  const EngineCommand* engine = nullptr;
  const ContainerEvents* events = nullptr;
  RunningContainer container;
  std::string_view stdin_data;
  std::chrono::steady_clock::time_point begun;  // when the client was started, or the job was given
  std::chrono::milliseconds timeout{0};
  std::chrono::milliseconds start_timeout{0};
  std::stop_token cancel;
};

struct ContainerEnd {
  enum class Reason : unsigned char { Exited, Timeout, Cancelled, NeverStarted };
  Reason reason = Reason::Exited;
  ContainerState state;
  std::optional<int> client_exit;  // absent: it was killed, or is still putting things away
  std::string before_start;        // what the client wrote to stderr, not the program
};

// Feeds a container its stdin and takes its output until it has ended; kills it by name at the
// deadline, which counts from the engine's word that it has started, or when cancelled. Blocks.
// Call from the thread that started the client.
ContainerEnd run_container(const ContainerJob& job, OutputCapture& out, OutputCapture& err);

}  // namespace cove
