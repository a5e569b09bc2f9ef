#include "policy/presets.h"

#include <stdlib.h>

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "model/policy_codec.h"

namespace cove {
namespace {

namespace fs = std::filesystem;

// A directory of policy files that goes away with the test.
class PolicyDirectory {
 public:
  PolicyDirectory() {
    std::string pattern = (fs::temp_directory_path() / "cove-presets-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~PolicyDirectory() { fs::remove_all(path_); }
  PolicyDirectory(const PolicyDirectory&) = delete;
  PolicyDirectory& operator=(const PolicyDirectory&) = delete;

  fs::path write(std::string_view name, std::string_view text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST(Presets, BuiltInOnesSayWhatTheSpecificationSays) {
  const PresetCatalog catalog;
  const SandboxPolicy strict = catalog.find("strict").value();
  EXPECT_EQ(strict.network, NetworkPolicy::Disabled);
  EXPECT_EQ(strict.filesystem.kind, FilesystemPolicy::Kind::None);
  EXPECT_EQ(strict.environment.kind, EnvironmentPolicy::Kind::None);
  EXPECT_EQ(strict.timeout, std::chrono::seconds(30));
  EXPECT_EQ(strict.limits.stdout_bytes, Bytes::mib(1));
  EXPECT_EQ(catalog.find("strict_js")->timeout, std::chrono::seconds(5));
  EXPECT_EQ(catalog.find("strict_rust")->timeout, strict.timeout);
  const SandboxPolicy host_local = catalog.find("host_local").value();
  EXPECT_EQ(host_local.network, NetworkPolicy::Unrestricted);
  EXPECT_EQ(host_local.filesystem.kind, FilesystemPolicy::Kind::Unrestricted);
  EXPECT_EQ(host_local.environment.kind, EnvironmentPolicy::Kind::Unrestricted);
}

TEST(Presets, TheFilesOfTheProjectAgreeWithWhatIsBuiltIn) {
  const fs::path policies =
      fs::path(__FILE__).parent_path().parent_path().parent_path() / "policies";
  if (!fs::exists(policies)) GTEST_SKIP() << "the source tree is not here";
  for (const SandboxPolicy& preset : builtin_presets()) {
    const auto loaded = load_policy_file(policies / (preset.name + ".toml"));
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(encode_policy(*loaded), encode_policy(preset)) << preset.name;
  }
  for (const auto& entry : fs::directory_iterator(policies)) {
    const auto loaded = load_policy_file(entry.path());
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(loaded->name, entry.path().stem().string());
    EXPECT_FALSE(loaded->description.empty());
  }
}

TEST(Presets, AFileAddsAPreset) {
  const PolicyDirectory directory;
  directory.write("online.toml", "network = \"enabled\"\n");
  directory.write("strict.toml", "network = \"unrestricted\"\n");
  directory.write("notes.txt", "");
  const PresetCatalog catalog({directory.path(), directory.path() / "missing"});
  const auto online = catalog.find("online");
  ASSERT_TRUE(online) << online.error().message();
  EXPECT_EQ(online->name, "online");
  EXPECT_EQ(online->network, NetworkPolicy::Enabled);
  // A built-in name keeps its meaning.
  EXPECT_EQ(catalog.find("strict")->network, NetworkPolicy::Disabled);
  EXPECT_EQ(catalog.names(), (std::vector<std::string>{"strict", "strict_js", "strict_rust",
                                                       "host_local", "online"}));
  EXPECT_EQ(catalog.resolver()("online")->name, "online");
}

TEST(Presets, AnOperatorsFilesAndDirectoriesAreAdded) {
  const PolicyDirectory directory;
  const auto file = directory.write("any.toml", "name = \"team\"\ntimeout = \"7s\"\n");
  PresetCatalog catalog;
  ASSERT_TRUE(catalog.add(file.string()));
  EXPECT_EQ(catalog.find("team").value().timeout, std::chrono::seconds(7));
  EXPECT_FALSE(catalog.find("any"));
  const PolicyDirectory other;
  other.write("own.toml", "timeout = \"8s\"\n");
  ASSERT_TRUE(catalog.add(other.path().string()));
  EXPECT_EQ(catalog.find("own").value().timeout, std::chrono::seconds(8));
  const auto names = catalog.names();
  EXPECT_NE(std::ranges::find(names, "team"), names.end());
  const auto builtin = catalog.add(directory.write("b.toml", "name = \"strict\"\n").string());
  ASSERT_FALSE(builtin);
  EXPECT_NE(builtin.error().message().find("built-in"), std::string::npos);
  EXPECT_FALSE(catalog.add("/nowhere.toml"));
}

TEST(Presets, AnUnknownNameListsTheKnownOnes) {
  EXPECT_EQ(PresetCatalog().find("lax").error().message(),
            "there is no policy named \"lax\"; there are strict, strict_js, strict_rust, "
            "host_local");
}

TEST(Presets, ANameFromOutsideIsNeverAPath) {
  const PolicyDirectory directory;
  directory.write("secret.toml", "");
  const PresetCatalog catalog({directory.path() / "sub"});
  fs::create_directory(directory.path() / "sub");
  EXPECT_FALSE(catalog.find("../secret"));
  EXPECT_FALSE(catalog.find((directory.path() / "secret").string()));
  EXPECT_FALSE(catalog.find((directory.path() / "secret.toml").string()));
  EXPECT_TRUE(catalog.find_or_load((directory.path() / "secret.toml").string()));
}

TEST(Presets, AFileThatIsWrongSaysWhereAndWhatIsAllowed) {
  const PolicyDirectory directory;
  const auto problem_of = [&](std::string_view name, std::string_view text) {
    const auto policy = load_policy_file(directory.write(name, text));
    return policy ? std::string("accepted") : policy.error().message();
  };
  const std::string key = problem_of("p.toml", "netwrok = \"disabled\"\n");
  EXPECT_NE(key.find("p.toml: field \"netwrok\": is not known here; allowed: "), std::string::npos)
      << key;
  const std::string value = problem_of("p.toml", "[limits]\nmemory = \"lots\"\n");
  EXPECT_NE(value.find("field \"limits.memory\": must be a size such as"), std::string::npos)
      << value;
  EXPECT_NE(problem_of("p.toml", "network = \n").find("p.toml:1:"), std::string::npos);
  EXPECT_NE(problem_of("p.json", "{").find("p.json: not valid JSON"), std::string::npos);
  EXPECT_EQ(problem_of("p.json", R"({"network":"enabled"})"), "accepted");
  EXPECT_NE(load_policy_file(directory.path() / "no.toml").error().message().find("No such file"),
            std::string::npos);
  EXPECT_FALSE(load_policy_file(directory.path()));
}

}  // namespace
}  // namespace cove
