#include "runtime/profile_loader.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace cove {
namespace {

const std::string kSmallest = R"(
name = "tcl"
extension = "tcl"
interpreters = ["tclsh"]
run_args = ["{program}"]
)";

// The message for a profile that must be refused.
std::string refusal(const std::string& text) {
  const auto profile = parse_profile(text, "my.toml");
  EXPECT_FALSE(profile) << text;
  return profile ? "" : profile.error().message();
}

testing::AssertionResult mentions(const std::string& message, const std::string& part) {
  if (message.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << message << "\" does not mention " << part;
}

TEST(ProfileLoader, FourLinesMakeALanguage) {
  const auto profile = parse_profile(kSmallest, "my.toml");
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_EQ(profile->name, "tcl");
  EXPECT_EQ(profile->file_extensions, std::vector<std::string>{"tcl"});
  EXPECT_EQ(profile->warm, WarmMode::Prepare);
  EXPECT_EQ(profile->source, "my.toml");
}

TEST(ProfileLoader, ReadsEveryPart) {
  const auto profile = parse_profile(R"(
name = "python"
aliases = ["py"]
extension = "py"
file_extensions = ["py", "pyw"]
interpreters = ["/usr/bin/python3", "python3"]
version_args = ["--version"]
run_args = ["{program}"]
harness_args = ["{guest}/h.py", "{program}"]
mounts = ["/etc/python3"]
install = "apt install python3"
warm = "fork"
warm_args = ["{program}"]
preload = ["json"]
[env]
A = "1"
[warm_env]
B = "{guest}"
[limits]
memory = "1g"
processes = 128
[[alternative]]
command = "pypy3"
needs = ["helper"]
min_version = "3.9"
run_args = ["-u", "{program}"]
warm = "none"
env = { C = "{helper}" }
)",
                                     "my.toml");
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_EQ(profile->interpreters.size(), 2U);
  EXPECT_EQ(profile->warm, WarmMode::Fork);
  EXPECT_EQ(profile->limits.memory, Bytes::gib(1));
  EXPECT_EQ(profile->limits.processes, 128U);
  EXPECT_EQ(profile->env.at(0).first, "A");
  EXPECT_EQ(profile->warm_env.at(0).second, "{guest}");
  EXPECT_EQ(profile->preload, std::vector<std::string>{"json"});
  ASSERT_EQ(profile->alternatives.size(), 1U);
  EXPECT_EQ(profile->alternatives[0].command, "pypy3");
  EXPECT_EQ(profile->alternatives[0].warm, WarmMode::None);
  EXPECT_EQ(profile->alternatives[0].env.at(0).second, "{helper}");
}

TEST(ProfileLoader, AMistypedKeyIsNamedWithTheFileAndTheKnownOnes) {
  const std::string message = refusal(kSmallest + "warn = \"fork\"\n");
  EXPECT_TRUE(mentions(message, "my.toml"));
  EXPECT_TRUE(mentions(message, "warn"));
  EXPECT_TRUE(mentions(message, "warm_args"));
}

TEST(ProfileLoader, AWrongTypeIsNamed) {
  EXPECT_TRUE(mentions(refusal(kSmallest + "aliases = \"t\"\n"), "aliases"));
  EXPECT_TRUE(mentions(refusal(kSmallest + "env = [\"A=1\"]\n"), "env"));
  EXPECT_TRUE(mentions(refusal(kSmallest + "[env]\nA = 1\n"), "env.A"));
  EXPECT_TRUE(mentions(refusal(kSmallest + "[limits]\nmemory = \"much\"\n"), "limits.memory"));
  EXPECT_TRUE(mentions(refusal(kSmallest + "[limits]\nspeed = 1\n"), "limits.speed"));
  EXPECT_TRUE(mentions(refusal(kSmallest + "[alternative]\ncommand = \"x\"\n"), "alternative"));
  EXPECT_TRUE(
      mentions(refusal(kSmallest + "[[alternative]]\nrun_args = []\n"), "alternative[0].command"));
}

TEST(ProfileLoader, TextThatIsNotTomlIsReportedWithItsPlace) {
  EXPECT_TRUE(mentions(refusal("name = \n"), "my.toml"));
}

TEST(ProfileLoader, AProfileThatCannotStartItsProgramIsRefused) {
  EXPECT_TRUE(mentions(refusal("name = \"x\"\nextension = \"x\"\nrun_args = [\"{program}\"]\n"),
                       "interpreters"));
  EXPECT_TRUE(
      mentions(refusal("name = \"x\"\nextension = \"x\"\ninterpreters = [\"x\"]\n"), "run_args"));
  EXPECT_TRUE(mentions(refusal(kSmallest + "harness_args = [\"h\"]\n"), "{program}"));
  EXPECT_TRUE(mentions(refusal(kSmallest + "warm = \"spawn\"\n"), "warm_args"));
  EXPECT_TRUE(mentions(refusal(kSmallest + "warm = \"hot\"\n"), "prepare"));
  EXPECT_TRUE(mentions(refusal(kSmallest + "preload = [\"json\"]\n"), "preload"));
}

TEST(ProfileLoader, NamesAndPathsMustBePlain) {
  EXPECT_TRUE(mentions(refusal(kSmallest + "aliases = [\"a b\"]\n"), "aliases"));
  EXPECT_TRUE(mentions(refusal(kSmallest + "mounts = [\"etc\"]\n"), "mounts"));
  EXPECT_TRUE(mentions(refusal(kSmallest + "mounts = [\"/etc/../root\"]\n"), "mounts"));
  EXPECT_TRUE(mentions(refusal(kSmallest + "mounts = [\"/\"]\n"), "mounts"));
  EXPECT_TRUE(mentions(refusal(kSmallest + "version_args = [\"a\\u0000b\"]\n"), "NUL"));
  EXPECT_TRUE(mentions(refusal(kSmallest + "[env]\n\"A=B\" = \"c\"\n"), "env"));
}

TEST(ProfileLoader, AContainerHasAnImageAndWords) {
  const auto profile = parse_profile(
      kSmallest + "[container]\nimage = \"tcl:9\"\nargv = [\"tclsh\", \"{program}\"]\n", "my.toml");
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_EQ(profile->container.image, "tcl:9");
  EXPECT_EQ(profile->container.argv, (std::vector<std::string>{"tclsh", "{program}"}));
  EXPECT_TRUE(profile->container.stdin_argv.empty());
  EXPECT_TRUE(mentions(refusal(kSmallest + "[container]\nargv = [\"tclsh\"]\n"), "{program}"));
  EXPECT_TRUE(mentions(refusal(kSmallest + "[container]\nimage = \"tcl\"\n"), "argv"));
  EXPECT_TRUE(mentions(
      refusal(kSmallest + "[container]\nimage = \"--privileged\"\nargv = [\"{program}\"]\n"),
      "image"));
  EXPECT_TRUE(mentions(refusal(kSmallest + "[container]\nimages = \"x\"\n"), "image"));
}

TEST(ProfileLoader, AProfileThatExtendsAnotherStatesOnlyWhatDiffers) {
  LanguageProfile python;
  python.name = "python";
  python.aliases = {"py"};
  python.extension = "py";
  python.file_extensions = {"py"};
  python.interpreters = {"python3"};
  python.alternatives.emplace_back().command = "pypy3";
  python.run_args = {"{program}"};
  python.env = {{"A", "1"}};
  const auto profile = parse_profile(
      "name = \"science\"\nextends = \"python\"\ninterpreters = [\"/opt/venv/bin/python\"]\n",
      "science.toml", [&](std::string_view name) { return name == "python" ? &python : nullptr; });
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_EQ(profile->name, "science");
  EXPECT_TRUE(profile->aliases.empty());
  EXPECT_EQ(profile->interpreters, std::vector<std::string>{"/opt/venv/bin/python"});
  EXPECT_TRUE(profile->alternatives.empty());
  EXPECT_EQ(profile->run_args, python.run_args);
  EXPECT_EQ(profile->env, python.env);
  EXPECT_EQ(profile->file_extensions, python.file_extensions);

  EXPECT_TRUE(mentions(refusal("name = \"x\"\nextends = \"nothing\"\n"), "nothing"));
}

TEST(ProfileLoader, FilesAreBoundedAndMustBeFiles) {
  const auto directory = std::filesystem::temp_directory_path();
  EXPECT_FALSE(load_profile(directory / "no-such-profile.toml"));
  EXPECT_FALSE(load_profile(directory));
  EXPECT_FALSE(load_profile("/dev/zero"));
  EXPECT_TRUE(mentions(refusal(kSmallest + std::string(kMaxProfileFile.value, '#')), "256"));
}

}  // namespace
}  // namespace cove
