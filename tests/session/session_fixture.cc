#include "session_fixture.h"

#include <fmt/format.h>

#include "base/data_dir.h"
#include "base/strings.h"
#include "model/names.h"

namespace cove::session_tests {

void Sessions::SetUp() {
  serve(quick_options());
}

SessionServiceOptions Sessions::quick_options() {
  SessionServiceOptions options;
  options.interrupt_grace = std::chrono::milliseconds(300);
  return options;
}

void Sessions::serve(const SessionServiceOptions& options) {
  const auto data = data_dir();
  ASSERT_TRUE(data) << data.error().message();
  auto catalog = RuntimeCatalog::load(*data + "/profiles");
  ASSERT_TRUE(catalog) << catalog.error().message();
  auto service = SessionService::create(std::move(*catalog), options);
  ASSERT_TRUE(service) << service.error().message();
  service_ = std::move(*service);
}

SessionInfo Sessions::open(const std::string& language, const Limits& limits) {
  SessionOptions options;
  options.language = language;
  options.limits = limits;
  options.owner = "tester";
  auto opened = service_->open(options);
  if (!opened) {
    ADD_FAILURE() << opened.error().message();
    return {};
  }
  return *opened;
}

CellResult Sessions::run(std::string_view id, std::string code, std::chrono::milliseconds timeout) {
  auto result = service_->execute(id, {.code = std::move(code), .timeout = timeout}, {}, nullptr);
  if (!result) {
    ADD_FAILURE() << result.error().message();
    return {};
  }
  return *result;
}

std::string Sessions::value(std::string_view id, std::string code) {
  const auto result = run(id, std::move(code));
  if (result.status == ExecutionStatus::Success && result.value) {
    return form(*result.value, "text/plain");
  }
  return describe(result);
}

std::string form(const RichData& data, std::string_view type) {
  for (const auto& [name, text] : data) {
    if (name == type) return text;
  }
  return "";
}

std::string describe(const CellResult& result) {
  std::string out = fmt::format("status {}{}", static_cast<int>(result.status),
                                result.state_lost ? ", state lost" : "");
  out += fmt::format("\nstdout: {}\nstderr: {}", result.stdout_data, result.stderr_data);
  if (result.error) {
    out += fmt::format("\nerror: {}: {}\n{}", result.error->name, result.error->value,
                       join(result.error->traceback, "\n"));
  }
  out += "\nnotes: " + join(result.notes, "; ");
  return out;
}

}  // namespace cove::session_tests
