// JavaScript and bash sessions.
#include <thread>

#include "session_fixture.h"

namespace cove::session_tests {
namespace {

using std::chrono::milliseconds;

class OtherLanguages : public Sessions {
 protected:
  // Runs a cell that must be interrupted, and checks that state survives.
  void expect_interruptible(const std::string& id, const std::string& code) {
    std::jthread helper([&] {
      std::this_thread::sleep_for(milliseconds(300));
      EXPECT_TRUE(service_->interrupt(id));
    });
    const auto result = run(id, code);
    EXPECT_EQ(result.status, ExecutionStatus::Cancelled) << code << describe(result);
    EXPECT_FALSE(result.state_lost) << code << describe(result);
  }
};

TEST_F(OtherLanguages, JavaScriptKeepsState) {
  const auto id = open("javascript").id;
  run(id, "const x = 40; let y = 2; function f() { return x + y }");
  EXPECT_EQ(value(id, "f()"), "42");
  EXPECT_EQ(value(id, "const later = await Promise.resolve({a: 1}); later"), "{ a: 1 }");
  EXPECT_EQ(value(id, "later.a"), "1");
  EXPECT_EQ(value(id, "process.cwd()"), "'/workspace'");
  const auto out = run(id, "console.log('hi'); display({'text/html': '<i>'})");
  EXPECT_EQ(out.stdout_data, "hi\n");
  ASSERT_EQ(out.displays.size(), 1U);
  EXPECT_EQ(form(out.displays[0], "text/html"), "<i>");
  const auto failed = run(id, "null.x");
  EXPECT_EQ(failed.status, ExecutionStatus::Failed);
  EXPECT_EQ(failed.error->name, "TypeError");
  EXPECT_EQ(describe(failed).find("session.cjs"), std::string::npos) << describe(failed);
  EXPECT_EQ(service_->fork(id).error().code(), ErrorCode::Conflict);
  EXPECT_EQ(value(id, "x"), "40");
}

TEST_F(OtherLanguages, JavaScriptCanBeInterrupted) {
  const auto id = open("javascript").id;
  run(id, "globalThis.kept = 1");
  expect_interruptible(id, "for (;;) {}");
  expect_interruptible(id, "await new Promise(() => {})");
  EXPECT_EQ(value(id, "kept"), "1");
  const auto timeout = run(id, "for (;;) {}", milliseconds(300));
  EXPECT_EQ(timeout.status, ExecutionStatus::Timeout);
  EXPECT_FALSE(timeout.state_lost) << describe(timeout);
}

TEST_F(OtherLanguages, BashKeepsState) {
  const auto id = open("bash").id;
  run(id, "x=40; f() { echo $((x + $1)); }; declare -A map=([a]=1); mkdir d; cd d");
  const auto result = run(id, "f 2; echo ${map[a]}; pwd; cat");
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  EXPECT_EQ(result.stdout_data, "42\n1\n/workspace/d\n");
  const auto failed = run(id, "echo 'ü \"x\"' >&2; (exit 3)");
  EXPECT_EQ(failed.status, ExecutionStatus::Failed);
  EXPECT_EQ(failed.error->value, "3");
  EXPECT_EQ(failed.stderr_data, "ü \"x\"\n");
  EXPECT_EQ(run(id, "if then").status, ExecutionStatus::Failed);
  EXPECT_EQ(run(id, "f 1").stdout_data, "41\n");
  const auto left = run(id, "exit 4");
  EXPECT_TRUE(left.state_lost);
  EXPECT_EQ(left.error->name, "exit code 4");
}

TEST_F(OtherLanguages, BashCanBeInterrupted) {
  const auto id = open("bash").id;
  run(id, "kept=1");
  expect_interruptible(id, "sleep 60; echo after");
  expect_interruptible(id, "g() { while :; do :; done; }; g; echo after");
  const auto after = run(id, "echo $kept");
  EXPECT_EQ(after.stdout_data, "1\n");
}

TEST_F(OtherLanguages, AreRefusedWhereThereIsNoRunner) {
  SessionOptions options;
  options.language = "perl";
  EXPECT_EQ(service_->open(options).error().code(), ErrorCode::UnsupportedLanguage);
  options.language = "python";
  options.policy.filesystem.kind = FilesystemPolicy::Kind::WorkspaceReadWrite;
  options.policy.filesystem.root = "/srv";
  EXPECT_EQ(service_->open(options).error().code(), ErrorCode::UnsupportedPolicy);
}

}  // namespace
}  // namespace cove::session_tests
