// Every language that is usable on this host, cold and warm: output, exit code, stdin, arguments,
// an error.
#include <map>

#include "conformance/conformance_fixture.h"

namespace cove::conformance {
namespace {

using std::chrono::seconds;

struct Sample {
  std::string echo;   // prints the first argument, a space, and the first line of stdin
  std::string exit3;  // ends with code 3
  std::string error;  // an uncaught error of its own kind
};

const std::map<std::string, Sample>& samples() {
  static const std::string js =
      "const fs = require('fs');\n"
      "console.log(process.argv[2] + ' ' + fs.readFileSync(0, 'utf8').split('\\n')[0]);\n";
  static const std::map<std::string, Sample> all = {
      {"python", {"import sys\nprint(sys.argv[1], input())\n", "raise SystemExit(3)", "1/0"}},
      {"javascript", {js, "process.exit(3)", "throw new Error('boom')"}},
      {"typescript",
       {"const word: string = process.argv[2];\n"
        "const line: string = require('fs').readFileSync(0, 'utf8').split('\\n')[0];\n"
        "console.log(`${word} ${line}`);\n",
        "const code: number = 3; process.exit(code)", "throw new Error('boom' as string)"}},
      {"bash", {"read -r line; echo \"$1 $line\"", "exit 3", "set -e; no_such_command_here"}},
      {"sh", {"read -r line; echo \"$1 $line\"", "exit 3", "no_such_command_here"}},
      {"perl", {"my $l = <STDIN>; chomp $l; print \"$ARGV[0] $l\\n\";", "exit 3;", "die 'boom';"}},
      {"ruby", {"puts ARGV[0] + ' ' + STDIN.gets.chomp", "exit 3", "raise 'boom'"}},
      {"lua", {"print(arg[1] .. ' ' .. io.read('l'))", "os.exit(3)", "error('boom')"}},
      {"php",
       {"<?php echo $argv[1] . ' ' . trim(fgets(STDIN)) . \"\\n\";", "<?php exit(3);",
        "<?php fwrite(STDERR, 'boom'); exit(255);"}},
      {"r",
       {"a <- commandArgs(trailingOnly = TRUE)\ncat(a[1], readLines(file('stdin'), "
        "1))\ncat('\\n')\n",
        "quit(status = 3)", "stop('boom')"}},
      {"deno",
       {"console.log(Deno.args[0] + ' ' + prompt(''))", "Deno.exit(3)", "throw new Error('x')"}},
      {"bun", {js, "process.exit(3)", "throw new Error('boom')"}}};
  return all;
}

std::vector<std::string> usable_languages() {
  std::vector<std::string> names;
  for (const auto& listing : host_catalog().list()) {
    // Compiled ones have a suite of their own: tests/toolchain.
    if (listing.runtime && !listing.profile.compile) names.push_back(listing.profile.name);
  }
  return names;
}

class Languages : public ::testing::TestWithParam<std::string> {
 protected:
  static ExecutionRequest request(const std::string& code) {
    ExecutionRequest request;
    request.language = GetParam();
    request.code = code;
    request.timeout = seconds(20);
    return request;
  }

  static void check(NativeExecutor& executor, bool warm) {
    ASSERT_TRUE(samples().contains(GetParam())) << "a sample is missing for this language";
    const Sample& sample = samples().at(GetParam());
    auto echo = request(sample.echo);
    echo.args = {"wörd"};
    echo.stdin_data = "líne\nrest\n";
    expect(executor, echo, warm, [](const ExecutionResult& result) {
      EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
      EXPECT_EQ(result.stdout_data, "wörd líne\n") << describe(result);
    });
    expect(executor, request(sample.exit3), warm, [](const ExecutionResult& result) {
      EXPECT_EQ(result.status, ExecutionStatus::Failed);
      EXPECT_EQ(result.exit_code, 3) << describe(result);
    });
    expect(executor, request(sample.error), warm, [](const ExecutionResult& result) {
      EXPECT_EQ(result.status, ExecutionStatus::Failed) << describe(result);
      EXPECT_FALSE(result.stderr_data.empty());
    });
  }

  template <class Check>
  static void expect(NativeExecutor& executor, const ExecutionRequest& request, bool warm,
                     Check check) {
    if (warm) {
      EXPECT_TRUE(executor.wait_until_warm(seconds(20)));
    }
    const auto result = executor.execute(request);
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->warm, warm);
    check(*result);
  }
};

TEST_P(Languages, Cold) {
  auto executor = NativeExecutor::create(host_catalog());
  ASSERT_TRUE(executor) << executor.error().message();
  check(**executor, false);
}

TEST_P(Languages, Warm) {
  NativeOptions options;
  options.pool = {.size = 1, .languages = {GetParam()}};
  auto executor = NativeExecutor::create(host_catalog(), options);
  ASSERT_TRUE(executor) << executor.error().message();
  const auto started = (*executor)->start();
  ASSERT_TRUE(started) << started.error().message();
  check(**executor, true);
}

INSTANTIATE_TEST_SUITE_P(Usable, Languages, ::testing::ValuesIn(usable_languages()),
                         [](const auto& language) { return language.param; });

}  // namespace
}  // namespace cove::conformance
