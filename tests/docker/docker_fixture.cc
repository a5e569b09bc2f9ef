#include "docker/docker_fixture.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/data_dir.h"
#include "base/strings.h"
#include "docker/docker_container.h"
#include "model/names.h"

namespace cove::docker_suite {

RuntimeCatalog profiles() {
  return RuntimeCatalog::load(data_dir().value() + "/profiles").value();
}

DockerOptions options() {
  return DockerOptions::custom(kImage);
}

ExecutionRequest request(std::string code, std::string language) {
  ExecutionRequest request;
  request.code = std::move(code);
  request.language = std::move(language);
  request.timeout = std::chrono::seconds(20);
  request.collect_file_contents = true;
  return request;
}

void Docker::SetUp() {
  if (::secure_getenv("DOCKER_HOST") == nullptr) {
    GTEST_SKIP() << "no DOCKER_HOST: run with scripts/engine run -- scripts/test docker";
  }
  ASSERT_EQ(containers(), std::vector<std::string>());
}

void Docker::TearDown() {
  executor_.reset();
  if (::secure_getenv("DOCKER_HOST") == nullptr) return;
  EXPECT_EQ(containers(), std::vector<std::string>()) << "left behind";
}

std::unique_ptr<DockerExecutor> Docker::make(DockerOptions options) {
  auto made = DockerExecutor::create(profiles(), std::move(options));
  if (!made) {
    ADD_FAILURE() << made.error().message();
    return nullptr;
  }
  return std::move(*made);
}

DockerExecutor& Docker::executor() {
  if (!executor_) executor_ = make(options());
  return *executor_;
}

ExecutionResult Docker::run(const ExecutionRequest& request, const ExecutionContext& context) {
  auto result = executor().execute(request, context);
  if (!result) {
    ADD_FAILURE() << result.error().message();
    return {};
  }
  return std::move(*result);
}

EngineApi Docker::api() {
  return EngineApi::connect(find_docker_host().value()).value();
}

std::vector<std::string> Docker::containers() {
  std::vector<std::string> ids;
  const auto found = api().containers_with(fmt::format("{}=docker", kDockerBackendLabel)).value();
  for (const auto& container : found) ids.push_back(container.id);
  return ids;
}

// What looks after an execution that has ended is a process of its user for a moment.
std::vector<std::string> Docker::processes(const std::string& container) {
  std::vector<std::string> found = processes_now(container);
  for (int tries = 0; tries < 20 && !found.empty(); ++tries) found = processes_now(container);
  return found;
}

std::vector<std::string> Docker::processes_now(const std::string& container) {
  std::string out;
  ExecTalk talk;
  talk.on_output = [&out](OutputFrames::Stream, std::string_view piece) { out += piece; };
  ExecSpec spec;
  spec.argv = {"python3", "-c", R"(
import os
for pid in filter(str.isdigit, os.listdir('/proc')):
    try:
        uid = os.stat('/proc/' + pid).st_uid
        line = open('/proc/%s/cmdline' % pid).read().replace('\0', ' ')
        state = open('/proc/%s/stat' % pid).read().rsplit(') ', 1)[1][0]
    except OSError: continue
    if uid != 65534 or state == 'Z': print(uid, state, line.replace('\n', ' '))
)"};
  const auto code = api().run(container, spec, talk);
  EXPECT_TRUE(code) << code.error().message();
  std::vector<std::string> lines;
  for (const auto line : split(out, '\n')) {
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

std::string describe(const ExecutionResult& result) {
  return fmt::format("{}: exit code {}, signal {}, stdout [{}], stderr [{}]",
                     name_of(result.status), result.exit_code.value_or(-1),
                     result.signal.value_or("none"), result.stdout_data.substr(0, 500),
                     result.stderr_data.substr(0, 500));
}

const OutputFile* find_file(const ExecutionResult& result, std::string_view name) {
  const auto found = std::ranges::find(result.output_files, name, &OutputFile::name);
  return found == result.output_files.end() ? nullptr : &*found;
}

bool hit(const ExecutionResult& result, LimitHit limit) {
  return std::ranges::find(result.limits_hit, limit) != result.limits_hit.end();
}

}  // namespace cove::docker_suite
