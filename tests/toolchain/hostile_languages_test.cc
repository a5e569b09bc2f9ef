// Programs that mean harm to their compiler, for every language: those that keep it busy, and those
// that fill its disk.
#include <chrono>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "base/data_dir.h"
#include "toolchain/hostile_samples.h"
#include "toolchain/toolchain_fixture.h"

namespace cove::toolchain {
namespace {

using std::chrono::seconds;

class HostileTo : public ::testing::TestWithParam<HostileSample> {
 protected:
  void SetUp() override {
    if (const std::string why = missing(GetParam().language); !why.empty()) GTEST_SKIP() << why;
    const auto catalog = host_catalog();
    const LanguageProfile* const profile = catalog.find_profile(GetParam().language);
    if (!profile->check) return;
    if (const auto checker = catalog.find_check(*profile); !checker) {
      GTEST_SKIP() << checker.error().message();
    }
  }

  // The language as it is, but for what [compile] says in `settings`. Under its own name: what was
  // prepared for it serves here, too.
  static RuntimeCatalog catalog_with(const std::string& settings) {
    RuntimeCatalog catalog = host_catalog();
    const std::string& language = GetParam().language;
    std::string text =
        fmt::format("name = \"{0}\"\nextends = \"{0}\"\n[compile]\n{1}", language, settings);
    if (catalog.find_profile(language)->check) {
      std::ifstream stream(fmt::format("{}/profiles/{}.toml", *data_dir(), language));
      text.assign(std::istreambuf_iterator<char>(stream), {});
      text.replace(text.find("[check]\n"), 8, "[check]\n" + settings);
    }
    const TemporaryProfile profile(text);
    const auto added = catalog.add_profile_file(profile.path());
    EXPECT_TRUE(added) << added.error().message();
    return catalog;
  }
  // A hostile program is never one that was built before.
  static ExecutionRequest request(const std::string& code) {
    return request_of(GetParam().language, unheard_of(code, GetParam().comment));
  }
};

TEST_P(HostileTo, ACompilerThatHangsIsStopped) {
  auto executor =
      make_executor(catalog_with(fmt::format("timeout = \"{}\"\n", GetParam().timeout)));
  const auto started = std::chrono::steady_clock::now();
  const auto result = run(*executor, request(GetParam().hangs));
  // Preparing, which happens once, has its own time.
  if (result.notes.size() == 1U) {
    EXPECT_LT(std::chrono::steady_clock::now() - started, seconds(10));
  }
  EXPECT_EQ(result.status, ExecutionStatus::Timeout) << describe(result);
  ASSERT_FALSE(result.notes.empty());
  EXPECT_NE(result.notes.back().find("the compiler was stopped"), std::string::npos)
      << result.notes.back();
}

TEST_P(HostileTo, ABuildThatFillsTheDiskFails) {
  if (GetParam().fills.empty()) GTEST_SKIP() << "this compiler writes nothing";
  auto executor = make_executor(catalog_with(
      fmt::format("[compile.limits]\nmemory = \"2g\"\nprocesses = 256\ndescriptors = 1024\n"
                  "disk = \"{}\"\n",
                  GetParam().disk)));
  const auto request_to_fill = request(GetParam().fills);
  const auto result = run(*executor, request_to_fill);
  EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
  // No file may be larger than the disk; a compiler may be told so before it is full.
  const std::string& said = result.compile->output;
  bool is_known = !result.limits_hit.empty();
  for (const char* words : {"ile size limit", "ile too large", "o space left", "Could not write"}) {
    is_known = is_known || said.find(words) != std::string::npos;
  }
  EXPECT_TRUE(is_known) << describe(result);
  // It is tried again where there is room.
  const auto again = run(*make_executor(), request_to_fill);
  EXPECT_NE(again.status, ExecutionStatus::CompileFailed) << describe(again);
}

INSTANTIATE_TEST_SUITE_P(Of, HostileTo, ::testing::ValuesIn(hostile_samples()),
                         [](const auto& sample) { return sample.param.language; });

}  // namespace
}  // namespace cove::toolchain
