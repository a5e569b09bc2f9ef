#include "api/offered_policies.h"

#include <gtest/gtest.h>

#include "api/load_config.h"

namespace cove {
namespace {

// A host that can do everything but limit the number of processes, as the level landlock for root.
BackendCapabilities without_process_limits() {
  BackendCapabilities able;
  able.backend = "native";
  able.isolation = "landlock";
  able.network = able.filesystem = able.environment = able.timeout = true;
  able.descriptors = able.output_caps = true;
  able.memory = LimitReach::PerProcess;
  able.processes = LimitReach::None;
  return able;
}

class OfferedPolicies : public ::testing::Test {
 protected:
  Result<std::vector<std::string>> offered(const ConfigSources& sources) {
    PresetCatalog presets({std::string(COVE_TEST_DIR) + "/policies"});
    return offered_policies(load_config(sources)->config, presets, without_process_limits(),
                            [this](const std::string& message) { warnings_.push_back(message); });
  }
  std::vector<std::string> warnings_;
};

TEST_F(OfferedPolicies, ADefaultOneThatCannotBeEnforcedIsLeftOut) {
  const auto names = offered({});
  ASSERT_TRUE(names) << names.error().message();
  EXPECT_EQ(*names, (std::vector<std::string>{"strict", "strict_js", "strict_rust"}));
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_[0].find("data_analysis"), std::string::npos);
}

TEST_F(OfferedPolicies, OneThatWasAskedForIsAnError) {
  ConfigSources sources;
  sources.flags["policies"] = "strict,data_analysis";
  const auto names = offered(sources);
  ASSERT_FALSE(names);
  EXPECT_NE(names.error().message().find("leave it out of the setting policies"),
            std::string::npos);
}

TEST_F(OfferedPolicies, SoIsTheOneThatRequestsGet) {
  ConfigSources sources;
  sources.flags["policy"] = "data_analysis";
  EXPECT_FALSE(offered(sources));
}

}  // namespace
}  // namespace cove
