#include "runtime/compile_section.h"

#include <string>

#include <gtest/gtest.h>

#include "runtime/profile_loader.h"

namespace cove {
namespace {

const std::string kCompiled = R"(
name = "toy"
extension = "toy"
interpreters = ["toyc"]
[compile]
run = ["{build}/main"]
[[compile.step]]
name = "build"
args = ["{sources}"]
diagnostics = "clang-text"
)";

const std::string kChecked = R"(
name = "toy"
extension = "toy"
interpreters = ["toy"]
run_args = ["{program}"]
[check]
command = "node"
needs = ["toycheck"]
install = "apt install toycheck"
timeout = "5s"
[[check.step]]
name = "check"
args = ["{toycheck}", "{entry}"]
diagnostics = "tsc-text"
ignored = ["T1"]
)";

std::string refusal(const std::string& text) {
  const auto profile = parse_profile(text, "my.toml");
  EXPECT_FALSE(profile) << text;
  return profile ? "" : profile.error().message();
}

TEST(CompileSection, NeedsStepsAndACommandToRun) {
  const auto profile = parse_profile(kCompiled, "my.toml");
  ASSERT_TRUE(profile) << profile.error().message();
  ASSERT_TRUE(profile->compile);
  EXPECT_EQ(profile->compile->entry, "main.toy");
  EXPECT_FALSE(profile->compile->prepare_lasts);
  EXPECT_NE(refusal("name = \"x\"\nextension = \"x\"\ninterpreters = [\"x\"]\n[compile]\n"
                    "run = [\"x\"]\n")
                .find("compile.step"),
            std::string::npos);
}

TEST(CompileSection, OptionalToolsAreCommandsWithArguments) {
  const auto profile = parse_profile(
      kCompiled + "[[compile.optional]]\ncommand = \"/usr/libexec/mold/ld\"\nargs = [\"-Bx\"]\n",
      "my.toml");
  ASSERT_TRUE(profile) << profile.error().message();
  ASSERT_EQ(profile->compile->optional.size(), 1U);
  EXPECT_EQ(profile->compile->optional[0].args, std::vector<std::string>{"-Bx"});
  for (const char* wrong : {"command = \"../ld\"\nargs = []\n", "command = \"ld\"\n",
                            "command = \"ld\"\nargs = []\nargz = []\n"}) {
    EXPECT_NE(refusal(kCompiled + "[[compile.optional]]\n" + wrong).find("compile.optional[0]"),
              std::string::npos)
        << wrong;
  }
}

TEST(CheckSection, SaysWhoChecksAndHow) {
  const auto profile = parse_profile(kChecked, "my.toml");
  ASSERT_TRUE(profile) << profile.error().message();
  ASSERT_TRUE(profile->check);
  EXPECT_EQ(profile->check->choice.command, "node");
  EXPECT_EQ(profile->check->install, "apt install toycheck");
  EXPECT_EQ(profile->check->compile.timeout, std::chrono::seconds(5));
  EXPECT_EQ(profile->check->compile.entry, "main.toy");
  EXPECT_EQ(profile->check->compile.steps[0].ignored, std::vector<std::string>{"T1"});
  EXPECT_TRUE(profile->check->compile.run.empty());
  EXPECT_FALSE(profile->compile);
}

TEST(CheckSection, RefusesWhatItDoesNotKnow) {
  EXPECT_NE(refusal(kChecked + "nonsense = 1\n").find("nonsense"), std::string::npos);
  EXPECT_NE(refusal(kCompiled + "[check]\ncommand = \"node\"\n").find("[compile]"),
            std::string::npos);
  std::string text = kChecked;
  text.replace(text.find("\"node\""), 6, "\"../node\"");
  EXPECT_NE(refusal(text).find("check.command"), std::string::npos);
  text = kChecked;
  text.resize(text.find("[[check.step]]"));
  EXPECT_NE(refusal(text).find("check.step"), std::string::npos);
}

}  // namespace
}  // namespace cove
