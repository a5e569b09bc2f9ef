#include "conformance/conformance_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "base/data_dir.h"
#include "conformance/engine_inventory.h"
#include "executor/container/container_executor.h"
#include "executor/native/native_executor.h"
#include "policy/presets.h"

namespace cove::conformance {
namespace {

namespace fs = std::filesystem;

std::map<std::string, std::unique_ptr<CodeExecutor>>& executors() {
  static std::map<std::string, std::unique_ptr<CodeExecutor>> made;
  return made;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Backend& backend) {
  return out << backend.name;
}

RuntimeCatalog host_catalog() {
  const auto data = data_dir();
  if (!data) {
    ADD_FAILURE() << data.error().message();
    return {};
  }
  auto catalog = RuntimeCatalog::load(*data + "/profiles");
  if (!catalog) {
    ADD_FAILURE() << catalog.error().message();
    return {};
  }
  return std::move(*catalog);
}

// The engines are the suite's alone, so nothing of anybody may be left.
void Conformance::TearDownTestSuite() {
  std::set<std::string> engines;
  for (const Backend& backend : backends()) {
    if (executors().contains(backend.name)) engines.insert(backend.engine);
  }
  executors().clear();
  for (const std::string& engine : engines) {
    if (!engine.empty()) {
      EXPECT_EQ(containers_left(engine, std::chrono::seconds(5)), "") << engine;
    }
  }
}

CodeExecutor& Conformance::executor() {
  auto& slot = executors()[GetParam().name];
  if (!slot) {
    auto made = GetParam().make();
    if (!made) {
      ADD_FAILURE() << made.error().message();
      std::abort();  // no case can go on without one
    }
    slot = std::move(*made);
    if (const auto started = slot->start(); !started) ADD_FAILURE() << started.error().message();
  }
  if (auto* native = dynamic_cast<NativeExecutor*>(slot.get())) {
    native->wait_until_warm(std::chrono::seconds(10));
  }
  if (auto* container = dynamic_cast<ContainerExecutor*>(slot.get())) {
    container->wait_until_warm(std::chrono::seconds(60));
  }
  return *slot;
}

ExecutionRequest Conformance::request(std::string code, std::string language) {
  ExecutionRequest request;
  request.code = std::move(code);
  request.language = std::move(language);
  request.timeout = std::chrono::seconds(20);
  request.collect_file_contents = true;
  if (!isolates()) request.policy = PresetCatalog().find("host_local").value();
  return request;
}

ExecutionResult Conformance::run(const ExecutionRequest& request, const ExecutionContext& context) {
  auto result = executor().execute(request, context);
  if (!result) {
    ADD_FAILURE() << result.error().message();
    return {};
  }
  return std::move(*result);
}

void Conformance::expect_refused(const ExecutionRequest& request, std::string_view what) {
  const auto result = executor().execute(request);
  ASSERT_FALSE(result) << describe(*result);
  EXPECT_EQ(result.error().code(), ErrorCode::UnsupportedPolicy) << result.error().message();
  EXPECT_NE(result.error().message().find(what), std::string::npos) << result.error().message();
}

const OutputFile* find_file(const ExecutionResult& result, std::string_view name) {
  for (const auto& file : result.output_files) {
    if (file.name == name) return &file;
  }
  return nullptr;
}

bool hit(const ExecutionResult& result, LimitHit limit) {
  return std::ranges::find(result.limits_hit, limit) != result.limits_hit.end();
}

std::string describe(const ExecutionResult& result) {
  return fmt::format("status {}, exit code {}, signal {}, stdout [{}], stderr [{}]",
                     static_cast<int>(result.status), result.exit_code.value_or(-1),
                     result.signal.value_or("none"), result.stdout_data.substr(0, 500),
                     result.stderr_data.substr(0, 500));
}

int processes_with(const std::string& word) {
  int count = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    std::ifstream in(entry.path() / "cmdline", std::ios::binary);
    const std::string line{std::istreambuf_iterator<char>(in), {}};
    count += line.find(word) != std::string::npos ? 1 : 0;
  }
  return count;
}

int processes_left(const std::string& word, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  int count = processes_with(word);
  while (count > 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    count = processes_with(word);
  }
  return count;
}

}  // namespace cove::conformance
