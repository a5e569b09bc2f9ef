#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "docker/docker_host.h"
#include "docker/output_frames.h"

namespace cove {

// What an engine can do, as it says itself.
struct DockerEngineFacts {
  std::string version;
  std::string runtime;  // its default one
  bool memory = false;  // limits the memory of a container
  bool swap = false;    // and the swap with it
  bool cpus = false;
  bool processes = false;
  bool remaps_users = false;  // a container has 65,536 users: rootless, or with a user namespace
};

struct ListedContainer {
  std::string id;
  std::vector<std::pair<std::string, std::string>> labels;
  std::string label(std::string_view name) const;
};

// A process to be started in a container.
struct ExecSpec {
  std::vector<std::string> argv;
  std::vector<std::string> env;  // NAME=VALUE
  std::string user = "65534:65534";
  std::string working_directory = "/";
};

struct ExecTalk {
  std::string_view input;
  // Asked when all of that was sent, and again after each piece of output: what else goes in.
  // Empty: nothing yet.
  std::function<std::string_view()> more_input;
  OutputFrames::Receiver on_output;
  // Asked every few milliseconds; true ends the conversation, not the process.
  std::function<bool()> give_up;
};

// The calls of the Docker Engine API that the executor needs, on paths without a version: all of it
// is the same from 1.41 on. Thread-safe.
class EngineApi {
 public:
  static Result<EngineApi> connect(const DockerHost& host);

  // Also finds out whether an engine answers at all; the error says how to get one.
  Result<DockerEngineFacts> facts();

  Result<std::string> create_container(const std::string& name, const json::object& body);
  Result<> start_container(const std::string& id);
  Result<> stop_container(const std::string& id);
  // With its volumes, whatever it does. One that is gone already is no error.
  Result<> remove_container(const std::string& id);
  Result<bool> is_running(const std::string& id);
  Result<std::vector<ListedContainer>> containers_with(std::string_view label);
  // Holds the container's standard input open until `give_up` or its end.
  Result<> hold_input(const std::string& id, const std::function<void()>& on_open,
                      const std::function<bool()>& give_up);

  // Runs a process to its end and gives its exit code: above 128 for death by a signal.
  Result<int> run(const std::string& container, const ExecSpec& spec, const ExecTalk& talk);

 private:
  struct Call {
    std::string_view method = "GET";
    std::string target;
    std::optional<json::value> body;
    std::chrono::milliseconds patience{60'000};
  };
  explicit EngineApi(DockerHost host, std::unique_ptr<HttpTransport> transport)
      : host_(std::move(host)), transport_(std::move(transport)) {}
  Result<json::value> call(const Call& call);
  Result<int> exit_code(const std::string& exec, std::string_view said);

  DockerHost host_;
  std::unique_ptr<HttpTransport> transport_;
};

}  // namespace cove
