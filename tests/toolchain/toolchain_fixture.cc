#include "toolchain/toolchain_fixture.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/data_dir.h"
#include "base/random_id.h"
#include "executor/native/native_executor.h"
#include "model/names.h"

namespace cove::toolchain {

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

std::unique_ptr<CompilingExecutor> make_executor(RuntimeCatalog catalog) {
  auto native = NativeExecutor::create(catalog);
  if (!native) {
    ADD_FAILURE() << native.error().message();
    std::abort();
  }
  auto executor =
      CompilingExecutor::create(std::move(*native), std::move(catalog), COVE_TEST_CACHE);
  if (!executor) {
    ADD_FAILURE() << executor.error().message();
    std::abort();
  }
  return std::move(*executor);
}

ExecutionRequest request_of(const std::string& language, const std::string& code) {
  ExecutionRequest request;
  request.language = language;
  request.code = code;
  return request;
}

ExecutionResult run(CompilingExecutor& executor, const ExecutionRequest& request) {
  auto result = executor.execute(request);
  if (!result) {
    ADD_FAILURE() << result.error().message();
    return {};
  }
  return std::move(*result);
}

std::string missing(const std::string& language) {
  const auto runtime = host_catalog().find(language);
  return runtime || language == "c" || language == "cpp" ? "" : runtime.error().message();
}

std::string unheard_of(const std::string& code, const std::string& comment) {
  return fmt::format("{}\n{}\n", code, fmt::format(fmt::runtime(comment), random_id("")));
}

TemporaryProfile::TemporaryProfile(const std::string& text)
    : path_((std::filesystem::temp_directory_path() / (random_id("cove-profile-") + ".toml"))
                .string()) {
  std::ofstream(path_) << text;
}

TemporaryProfile::~TemporaryProfile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

std::string describe(const ExecutionResult& result) {
  return fmt::format("status {}, exit code {}, stdout [{}], stderr [{}], compiler [{}]",
                     name_of(result.status), result.exit_code.value_or(-1),
                     result.stdout_data.substr(0, 1000), result.stderr_data.substr(0, 3000),
                     result.compile ? result.compile->output.substr(0, 2000) : "");
}

}  // namespace cove::toolchain
