#pragma once
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "base/random_id.h"
#include "toolchain/toolchain_fixture.h"

namespace cove::toolchain {

// A language of the test's own: its compiler is a shell script.
class ShellCompiler : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "cove-pipeline-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // `settings` are those of [compile], `steps` what follows the first.
  std::unique_ptr<CompilingExecutor> shell_compiler(const std::string& script,
                                                    const std::string& settings = "",
                                                    const std::string& steps = "") {
    const std::string path = directory_ + "/toy.toml";
    std::ofstream(path) << "name = \"toy\"\nextension = \"toy\"\ninterpreters = [\"/bin/sh\"]\n"
                        << "[compile]\nrun = [\"/bin/sh\", \"{build}/main\"]\n"
                        << settings
                        << "[[compile.step]]\nname = \"build\"\ndiagnostics = \"clang-text\"\n"
                        << "args = [\"-c\", '''" << script << "''']\n"
                        << steps;
    RuntimeCatalog catalog = host_catalog();
    const auto added = catalog.add_profile_file(path);
    EXPECT_TRUE(added) << added.error().message();
    return make_executor(std::move(catalog));
  }
  // Nothing that was built before.
  static ExecutionRequest fresh(const std::string& code = "echo built") {
    return request_of("toy", code + " # " + random_id("") + "\n");
  }

  std::string directory_;
};

}  // namespace cove::toolchain
