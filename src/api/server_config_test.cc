#include "api/server_config.h"

#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "api/config_keys.h"
#include "api/load_config.h"

namespace cove {
namespace {

std::string write_toml(const std::string& text) {
  const std::string path = ::testing::TempDir() + "cove_config_test.toml";
  std::ofstream(path) << text;
  return path;
}

std::string source_of(const LoadedConfig& loaded, std::string_view name) {
  for (const ConfigValue& value : loaded.values) {
    if (value.name == name) return value.source;
  }
  return "";
}

TEST(ServerConfig, DefaultsAreTheContracts) {
  const auto loaded = load_config({});
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->config.default_timeout.count(), 30000);
  EXPECT_EQ(loaded->config.max_timeout.count(), 60000);
  EXPECT_EQ(loaded->config.max_compile.count(), 180000);
  EXPECT_EQ(loaded->config.max_concurrent_jobs, 4U);
  EXPECT_EQ(loaded->config.environment, "production");
  EXPECT_EQ(loaded->config.listen, std::vector<std::string>{"127.0.0.1:8700"});
}

TEST(ServerConfig, FlagBeatsEnvironmentBeatsFile) {
  ConfigSources sources;
  sources.file = write_toml("max_queue = 1\nmax_sessions = 2\nlisten = [\"127.0.0.1:1\"]\n");
  auto loaded = load_config(sources);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->config.max_queue, 1U);
  sources.environment = {{"COVE_SERVE_MAX_QUEUE", "7"},
                         {"SANDBOX_EXECUTOR_MAX_CONCURRENT_JOBS", "9"},
                         {"COVE_SERVE_MAX_SESSIONS", ""}};
  loaded = load_config(sources);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->config.max_queue, 7U);
  EXPECT_EQ(loaded->config.max_sessions, 2U);  // empty is as if unset
  EXPECT_EQ(loaded->config.max_concurrent_jobs, 9U);
  EXPECT_EQ(source_of(*loaded, "max_queue"), "environment COVE_SERVE_MAX_QUEUE");
  sources.flags["max_queue"] = "8";
  loaded = load_config(sources);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->config.max_queue, 8U);
  EXPECT_EQ(source_of(*loaded, "max_queue"), "flag --max-queue");
  EXPECT_EQ(source_of(*loaded, "max_header"), "default");
}

TEST(ServerConfig, TheEnvironmentsNameHasTwoVariables) {
  ConfigSources sources;
  sources.environment = {{"ENVIRONMENT", "test"}};
  EXPECT_EQ(load_config(sources)->config.environment, "test");
  sources.environment.emplace_back("SANDBOX_EXECUTOR_ENVIRONMENT", "staging");
  EXPECT_EQ(load_config(sources)->config.environment, "staging");
  sources.dev = true;
  EXPECT_EQ(load_config(sources)->config.environment, "local");
}

TEST(ServerConfig, UnknownKeysAndBadValuesAreNamed) {
  ConfigSources sources;
  sources.file = write_toml("max_quue = 1\n");
  auto loaded = load_config(sources);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().field(), "max_quue");
  sources.file = write_toml("max_queue = \"many\"\n");
  loaded = load_config(sources);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().field(), "max_queue");
  sources.file.clear();
  sources.environment = {{"COVE_SERVE_MAX_QUUE", "1"}};
  loaded = load_config(sources);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().field(), "COVE_SERVE_MAX_QUUE");
}

TEST(ServerConfig, TheKeyIsNeverShown) {
  ConfigSources sources;
  sources.environment = {{"SANDBOX_EXECUTOR_SERVICE_API_KEY", "s3cret"}};
  const auto loaded = load_config(sources);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->config.api_key, "s3cret");
  EXPECT_EQ(loaded->to_text().find("s3cret"), std::string::npos);
}

TEST(ServerConfig, RefusesToBeOpen) {
  ServerConfig config = load_config({})->config;
  const auto no_key = check_server_config(config, false);
  ASSERT_FALSE(no_key);
  EXPECT_EQ(no_key.error().field(), "api_key");
  EXPECT_TRUE(check_server_config(config, true));
  config.environment = "test";
  EXPECT_TRUE(check_server_config(config, false));
  config.listen = {"0.0.0.0:80"};
  const auto open = check_server_config(config, false);
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().field(), "listen");
  config.listen = {"unix:/tmp/x.sock", "[::1]:80", "127.9.9.9:1"};
  EXPECT_TRUE(check_server_config(config, false));
  ConfigSources sources;
  sources.dev = true;
  sources.flags["listen"] = "0.0.0.0:80";
  EXPECT_FALSE(load_config(sources));
}

// Written by `cove serve --print-config-table`.
TEST(ServerConfig, TheDocumentHasTheTable) {
  std::ifstream file(std::string(COVE_TEST_DIR) + "/docs/operations.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find(config_keys_markdown()), std::string::npos)
      << "docs/operations.md should have:\n"
      << config_keys_markdown();
}

TEST(ServerConfig, TheDefaultTimeoutFitsBelowTheMaximum) {
  ConfigSources sources;
  sources.flags["max_timeout_ms"] = "2000";
  auto loaded = load_config(sources);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->config.default_timeout.count(), 2000) << "only the maximum was set";
  EXPECT_TRUE(check_server_config(loaded->config, true));
  EXPECT_NE(loaded->to_text().find("lowered to max_timeout_ms"), std::string::npos);
  sources.flags["default_timeout_ms"] = "3000";
  loaded = load_config(sources);
  ASSERT_TRUE(loaded);
  const auto refused = check_server_config(loaded->config, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().field(), "default_timeout_ms");
}

TEST(ServerConfig, BackendsAreCheckedByName) {
  const auto field = [](std::string backends, const std::string& environment,
                        std::string_view more = "") -> std::string {
    ConfigSources sources;
    sources.environment = {{"COVE_SERVE_BACKENDS", std::move(backends)},
                           {"SANDBOX_EXECUTOR_ENVIRONMENT", environment}};
    if (!more.empty()) sources.environment.emplace_back(more, "3");
    const auto loaded = load_config(sources);
    if (!loaded) return "not loaded";
    const auto checked = check_server_config(loaded->config, true);
    return checked ? "accepted" : checked.error().field();
  };
  EXPECT_EQ(field("native", "production"), "accepted");
  EXPECT_EQ(field("native,container,docker,image:a/b:1", "production"), "accepted");
  for (const char* wrong : {"container", "native,image:", "native,podman", "native,native"}) {
    EXPECT_EQ(field(wrong, "production"), "backends") << wrong;
  }
  EXPECT_EQ(field("native,local", "production"), "backends");
  EXPECT_EQ(field("native,local", "test"), "accepted");
  // A setting that nothing would read.
  EXPECT_EQ(field("native", "test", "COVE_SERVE_CONTAINER_IMAGE"), "container_image");
  EXPECT_EQ(field("native,docker", "test", "COVE_SERVE_CONTAINER_IMAGE"), "accepted");
  EXPECT_EQ(field("native,docker", "test", "COVE_SERVE_CONTAINER_POOL_SIZE"),
            "container_pool_size");
}

TEST(ServerConfig, KnowsWhatWasGiven) {
  ConfigSources sources;
  EXPECT_TRUE(load_config(sources)->config.given.empty());
  sources.environment = {{"COVE_SERVE_POLICIES", "strict"}};
  EXPECT_EQ(load_config(sources)->config.given, (std::set<std::string, std::less<>>{"policies"}));
}

}  // namespace
}  // namespace cove
