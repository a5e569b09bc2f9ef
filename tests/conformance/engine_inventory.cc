#include "conformance/engine_inventory.h"

#include <thread>

#include "base/strings.h"
#include "executor/container/engine_command.h"

namespace cove::conformance {

using std::chrono::milliseconds;

std::string ask(const std::string& engine, const std::vector<std::string>& words) {
  const auto path = find_engine_command(engine);
  if (!path) return path.error().message();
  const auto answer = ask_engine(*path, words, std::chrono::seconds(30));
  return answer ? answer->out : answer.error().message();
}

std::string containers_left(const std::string& engine, milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::string list = ask(engine, {"ps", "--all", "--quiet"});
  while (!trim(list).empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(100));
    list = ask(engine, {"ps", "--all", "--quiet"});
  }
  return std::string(trim(list));
}

std::string inventory(const std::string& engine) {
  return "containers\n" + ask(engine, {"ps", "--all", "--quiet"}) + "images\n" +
         ask(engine, {"images", "--all", "--quiet"}) + "volumes\n" +
         ask(engine, {"volume", "ls", "--quiet"}) + "networks\n" +
         ask(engine, {"network", "ls", "--quiet"});
}

}  // namespace cove::conformance
