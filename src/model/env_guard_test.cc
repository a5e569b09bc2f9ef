#include "model/env_guard.h"

#include <vector>

#include <gtest/gtest.h>

namespace cove {
namespace {

using Env = std::vector<std::pair<std::string, std::string>>;

std::string problem_of(const Env& env) {
  const auto result = validate_env(env);
  return result ? "" : result.error().message();
}

TEST(EnvGuard, OrdinaryVariablesAreData) {
  EXPECT_EQ(problem_of({{"API_MODE", "x"},
                        {"lower", "with \"quotes\"\nand 'lines' $HOME `id`"},
                        {"EMPTY", ""},
                        {"PATH", "/usr/bin"},
                        {"LANG", "C.UTF-8"},
                        {"MY_LD_PRELOAD", "x"},
                        {"ENVIRONMENT", "test"},
                        {"PYTHONHASHSEED", "0"}}),
            "");
}

TEST(EnvGuard, VariablesThatRunSomethingElseFirstAreRefused) {
  for (const std::string_view name : {
           "LD_PRELOAD",
           "LD_LIBRARY_PATH",
           "LD_AUDIT",
           "GLIBC_TUNABLES",
           "GCONV_PATH",
           "MALLOC_PERTURB_",
           "PYTHONSTARTUP",
           "PYTHONHOME",
           "PYTHONPATH",
           "PYTHONINSPECT",
           "PYTHONWARNINGS",
           "PYTHONBREAKPOINT",
           "PYTHONUSERBASE",
           "NODE_OPTIONS",
           "NODE_PATH",
           "BASH_ENV",
           "BASH_FUNC_ls%%",
           "ENV",
           "IFS",
           "SHELLOPTS",
           "PS4",
           "PERL5LIB",
           "PERL5OPT",
           "PERL5DB",
           "RUBYOPT",
           "RUBYLIB",
           "LUA_INIT",
           "LUA_INIT_5_4",
           "LUA_PATH",
           "LUA_CPATH_5_3",
           "PHPRC",
           "PHP_INI_SCAN_DIR",
           "R_PROFILE",
           "R_PROFILE_USER",
           "R_ENVIRON_USER",
           "R_HOME",
           "DENO_DIR",
           "BUN_OPTIONS",
           "OPENSSL_CONF",
           "COVE_CONTROL_FD",
       }) {
    const std::string problem = problem_of({{"FINE", "1"}, {std::string(name), "x"}});
    EXPECT_TRUE(problem.starts_with("field \"env." + std::string(name) + "\": must not be set"))
        << name << ": " << problem;
  }
}

TEST(EnvGuard, SaysWhy) {
  EXPECT_EQ(problem_of({{"LD_PRELOAD", "/x.so"}}),
            "field \"env.LD_PRELOAD\": must not be set by a request: it steers the dynamic loader");
}

TEST(EnvGuard, NamesMustBeOnesThatExecCanPass) {
  EXPECT_EQ(problem_of({{"", "x"}}), "field \"env\": a variable must have a name");
  EXPECT_NE(problem_of({{"A=LD_PRELOAD", "x"}}).find("must not contain \"=\""), std::string::npos);
  EXPECT_NE(problem_of({{std::string("A\0B", 3), "x"}}).find("NUL"), std::string::npos);
  EXPECT_NE(problem_of({{"", "x"}}).find("a variable must have a name"), std::string::npos);
  for (const char* name : {"A\nLD_PRELOAD", "A\r", "\x1b[2J", "A\x7f"}) {
    const std::string problem = problem_of({{name, "x"}});
    EXPECT_NE(problem.find("newline or other control character"), std::string::npos) << problem;
  }
  EXPECT_NE(problem_of({{"A", std::string("x\0y", 3)}}).find("env.A"), std::string::npos);
  EXPECT_EQ(problem_of({{"A", "1"}, {"B", "2"}, {"A", "3"}}), "field \"env.A\": is set twice");
}

}  // namespace
}  // namespace cove
