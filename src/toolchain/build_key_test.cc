#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "toolchain/compiler.h"
#include "toolchain/file_state.h"

namespace cove {
namespace {

namespace fs = std::filesystem;

Runtime some_runtime() {
  Runtime runtime;
  runtime.profile.name = "toy";
  runtime.interpreter = "/bin/sh";
  runtime.profile.compile.emplace();
  CompileStep step;
  step.name = "build";
  step.args = {"-c", "true"};
  runtime.profile.compile->steps = {step};
  return runtime;
}

Program some_program() {
  Program program;
  program.entry = "main.toy";
  program.files = {{"main.toy", "text", std::nullopt}};
  program.sources = {"main.toy"};
  return program;
}

TEST(BuildKey, IsOfEverythingThatGoesIntoABuild) {
  std::set<std::string> keys{build_key(some_program(), some_runtime(), "namespaces")};
  EXPECT_EQ(*keys.begin(), build_key(some_program(), some_runtime(), "namespaces"));
  // Where something is compiled is written into it.
  EXPECT_TRUE(keys.insert(build_key(some_program(), some_runtime(), "landlock")).second);
  const auto other_program = [&](const auto& change) {
    Program program = some_program();
    change(program);
    EXPECT_TRUE(keys.insert(build_key(program, some_runtime(), "namespaces")).second);
  };
  other_program([](Program& p) { p.files[0].content = "texT"; });
  other_program([](Program& p) { p.files[0].name = "main.toy2"; });
  other_program([](Program& p) { p.files.push_back({"data", "", std::nullopt}); });
  other_program([](Program& p) { p.sources.emplace_back("b.toy"); });
  other_program([](Program& p) { p.prepare_text = "harness"; });
  other_program([](Program& p) { p.entry = "data.toy"; });
  const auto other_runtime = [&](const auto& change) {
    Runtime runtime = some_runtime();
    change(runtime);
    EXPECT_TRUE(keys.insert(build_key(some_program(), runtime, "namespaces")).second);
  };
  other_runtime([](Runtime& r) { r.interpreter = "/bin/cat"; });
  other_runtime([](Runtime& r) { r.root = "/images/one"; });
  other_runtime([](Runtime& r) { r.root = "/images/two"; });
  other_runtime([](Runtime& r) { r.profile.name = "toy2"; });
  other_runtime([](Runtime& r) { r.profile.compile->env = {{"COVE_ENTRY", "a.toy"}}; });
  other_runtime([](Runtime& r) { r.profile.compile->env = {{"COVE_ENTRY", "b.toy"}}; });
  other_runtime([](Runtime& r) { r.profile.compile->steps[0].args[1] = "false"; });
  other_runtime([](Runtime& r) { r.profile.compile->steps[0].ignored = {"X1"}; });
  other_runtime([](Runtime& r) { r.profile.compile->steps[0].optional_args = {"-fast"}; });
  other_runtime([](Runtime& r) { r.profile.compile->steps[0].diagnostics = "go-text"; });
  other_runtime([](Runtime& r) { r.needs = {"/bin/ls"}; });
  other_runtime([](Runtime& r) { r.profile.compile->steps[0].command = "/bin/cat"; });
  other_runtime([](Runtime& r) { r.profile.compile->env = {{"A", "b"}}; });
}

TEST(PrepareKey, IsOfTheSandboxAndTheHarnessNotOfTheProgram) {
  const std::string key = prepare_key(some_program(), some_runtime(), "namespaces");
  EXPECT_NE(key, prepare_key(some_program(), some_runtime(), "landlock"));
  Program program = some_program();
  program.files[0].content = "other";
  EXPECT_EQ(key, prepare_key(program, some_runtime(), "namespaces"));
  program.prepare_text = "header";
  EXPECT_NE(key, prepare_key(program, some_runtime(), "namespaces"));
  Runtime lasting = some_runtime();
  lasting.profile.compile->prepare_lasts = true;
  EXPECT_NE(key, prepare_key(some_program(), lasting, "namespaces"));  // packages do not count
}

// A package manager replaces its database; a header appears in a directory.
TEST(FileState, ChangesWithTheFile) {
  std::string directory = (fs::temp_directory_path() / "cove-state-XXXXXX").string();
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  const std::string status = directory + "/status";
  std::set<std::string> states{file_state(status)};
  std::ofstream(status) << "one";
  EXPECT_TRUE(states.insert(file_state(status)).second);
  EXPECT_EQ(file_state(status), file_state(status));
  std::ofstream(status + ".new") << "two";
  fs::rename(status + ".new", status);
  EXPECT_TRUE(states.insert(file_state(status)).second);
  const std::string before = file_state(directory);
  fs::last_write_time(directory, fs::file_time_type::clock::now() - std::chrono::hours(1));
  const std::string aged = file_state(directory);
  EXPECT_NE(aged, before);
  std::ofstream(directory + "/header.h") << "";
  EXPECT_NE(file_state(directory), aged);
  fs::remove_all(directory);
}

}  // namespace
}  // namespace cove
