#include "docker/container_language.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

LanguageProfile javascript() {
  LanguageProfile profile;
  profile.name = "javascript";
  profile.aliases = {"js"};
  profile.extension = "js";
  profile.interpreters = {"/usr/bin/node", "node"};
  profile.run_args = {"-I/workspace", "{program}"};
  profile.env = {{"NODE_PATH", "/workspace:/workspace/node_modules"}, {"NO_COLOR", "1"}};
  InterpreterChoice bun;
  bun.command = "bun";
  bun.run_args = {"run", "{program}"};
  InterpreterChoice newer = bun;
  newer.command = "node";
  newer.min_version = "22.6";
  InterpreterChoice guest;
  guest.command = "deno";
  guest.run_args = {"{guest}/hook", "{program}"};
  profile.alternatives = {bun, newer, guest};
  return profile;
}

TEST(ContainerLanguage, TakesCommandsByTheirPlainNamesAndLeavesOutWhatNoImageHas) {
  const auto ways = container_languages(javascript());
  ASSERT_TRUE(ways);
  ASSERT_EQ(ways->size(), 2U);
  EXPECT_EQ((*ways)[0].command, "node");
  EXPECT_EQ((*ways)[1].command, "bun");
  LanguageProfile only_guest = javascript();
  only_guest.interpreters.clear();
  only_guest.alternatives.erase(only_guest.alternatives.begin());
  const auto none = container_languages(only_guest);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), ErrorCode::UnsupportedLanguage);
}

TEST(ContainerLanguage, PathsBecomeThoseOfTheExecution) {
  const LanguageProfile profile = javascript();
  const auto ways = container_languages(profile).value();
  ExecutionRequest request;
  request.args = {"a b"};
  request.env = {{"NO_COLOR", "0"}, {"X", "y"}};
  const ContainerPaths paths{
      "/workspace/run_1", "/workspace/run_1.code/main.js", {{"NODE_PATH", "/packages"}}};
  EXPECT_EQ(program_arguments(ways[0], "/bin/node", request, paths),
            (std::vector<std::string>{"/bin/node", "-I/workspace/run_1",
                                      "/workspace/run_1.code/main.js", "a b"}));
  EXPECT_EQ(program_environment(profile, ways[0], request, paths),
            (std::vector<std::string>{
                "NODE_PATH=/workspace/run_1:/workspace/run_1/node_modules:/packages", "NO_COLOR=0",
                "X=y"}));
}

}  // namespace
}  // namespace cove
