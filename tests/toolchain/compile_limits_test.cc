// How long compilers may take, what that is told as, and what happens when many want the same.
#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "toolchain/shell_compiler.h"

namespace cove::toolchain {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr const char* kCopy = "cp main.toy cove-build/main";
constexpr const char* kSlowCopy = "sleep 0.6; cp main.toy cove-build/main";

std::string second_step(const std::string& script, const std::string& more = "") {
  return "[[compile.step]]\nname = \"second\"\ndiagnostics = \"clang-text\"\nargs = [\"-c\", '''" +
         script + "''']\n" + more;
}

bool has_step(const ExecutionResult& result, std::string_view name) {
  return result.compile && std::ranges::find(result.compile->steps, name, &StepReport::name) !=
                               result.compile->steps.end();
}

struct Notices final : OutputSink {
  void on_stdout(std::string_view /*bytes*/) override {}
  void on_stderr(std::string_view /*bytes*/) override {}
  void on_notice(std::string_view message) override { said.emplace_back(message); }
  std::vector<std::string> said;
};

class CompileTime : public ShellCompiler {};

TEST_F(CompileTime, IsOfAllStepsTogether) {
  auto executor = shell_compiler(kSlowCopy, "timeout = \"900ms\"\n", second_step("sleep 0.6"));
  auto request = fresh();
  const auto free = run(*executor, request);
  EXPECT_EQ(free.status, ExecutionStatus::Success) << describe(free);
  request = fresh();
  request.compile_timeout = milliseconds(800);
  const auto result = run(*executor, request);
  EXPECT_EQ(result.status, ExecutionStatus::Timeout) << describe(result);
  EXPECT_LT(result.duration, milliseconds(1150));
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_EQ(result.notes[0],
            "the compiler was stopped in its step second: compiling takes at most 800 ms "
            "(compile_timeout)");
  EXPECT_TRUE(has_step(result, "second"));
  // What somebody had too little time for is not kept as a failure.
  request.compile_timeout = seconds(10);
  EXPECT_EQ(run(*executor, request).status, ExecutionStatus::Success);
}

TEST_F(CompileTime, OfAStepIsStillTheProfiles) {
  auto executor = shell_compiler("sleep 5", "timeout = \"300ms\"\n");
  auto request = fresh();
  request.compile_timeout = seconds(10);
  const auto result = run(*executor, request);
  EXPECT_EQ(result.status, ExecutionStatus::Timeout);
  EXPECT_EQ(result.notes.at(0), "the compiler was stopped: its step build takes at most 300 ms");
}

TEST_F(CompileTime, LeavesOutWhatIsPreparedOnce) {
  const std::string once = random_id("");
  auto executor = shell_compiler(
      "test -f {prepared}/x && cp main.toy cove-build/main",
      "prepare = [\"/bin/sh\", \"-c\", \"sleep 0.7; echo " + once + " > {prepared}/x\"]\n");
  auto request = fresh();
  request.compile_timeout = milliseconds(500);
  Notices sink;
  const auto result = executor->execute(request, {{}, &sink});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->stdout_data, "built\n") << describe(*result);
  ASSERT_EQ(sink.said.size(), 1U);
  EXPECT_EQ(sink.said[0], "toy is being prepared, which happens once and can take a minute");
  ASSERT_TRUE(has_step(*result, "prepare"));
  EXPECT_TRUE(result->compile->steps[0].cpu);
  ASSERT_TRUE(executor->execute(fresh(), {{}, &sink}));
  EXPECT_EQ(sink.said.size(), 1U);
}

TEST_F(CompileTime, AdviceThatCameTooLateIsMissedAndNotKeptAsIfThereWereNone) {
  auto executor = shell_compiler(
      kCopy, "", second_step("sleep 0.8; echo 'main.toy:1:1: warning: hm'", "advisory = true\n"));
  auto request = fresh();
  request.compile_timeout = milliseconds(400);
  const auto result = run(*executor, request);
  EXPECT_EQ(result.stdout_data, "built\n") << describe(result);
  EXPECT_EQ(result.notes.at(0),
            "the step second was stopped and what it finds is missing: compiling takes at most "
            "400 ms (compile_timeout)");
  request.compile_timeout.reset();
  const auto whole = run(*executor, request);
  EXPECT_FALSE(whole.compile->cached);
  EXPECT_EQ(whole.diagnostics.size(), 1U);
  EXPECT_TRUE(run(*executor, request).compile->cached);
}

TEST_F(CompileTime, OfAStepIsToldBesideTheProgramsOwn) {
  auto executor = shell_compiler(
      "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; cp main.toy cove-build/main");
  const auto result = run(*executor, fresh());
  ASSERT_EQ(result.compile->steps.size(), 2U) << describe(result);
  const StepReport& build = result.compile->steps[0];
  EXPECT_GT(build.cpu.value_or(milliseconds(0)), milliseconds(30));
  EXPECT_TRUE(build.peak_memory);
  EXPECT_LT(*result.usage.cpu, *build.cpu);
  EXPECT_EQ(result.compile->steps[1].cpu, result.usage.cpu);
  // A program that never ran has used nothing.
  const auto failed = run(*shell_compiler("echo 'main.toy:1:1: error: no'; exit 1"), fresh());
  EXPECT_EQ(failed.status, ExecutionStatus::CompileFailed);
  EXPECT_FALSE(failed.usage.cpu);
  EXPECT_FALSE(failed.setup);
  EXPECT_TRUE(failed.compile->steps.at(0).cpu);
}

// Runs the same request in so many threads at once.
std::vector<ExecutionResult> run_at_once(const std::vector<CompilingExecutor*>& executors,
                                         const ExecutionRequest& request) {
  std::vector<std::future<ExecutionResult>> futures;
  for (CompilingExecutor* const executor : executors) {
    futures.push_back(
        std::async(std::launch::async, [executor, &request] { return run(*executor, request); }));
  }
  std::vector<ExecutionResult> results;
  for (auto& future : futures) results.push_back(future.get());
  return results;
}

auto compiled_anew(const std::vector<ExecutionResult>& results) {
  return std::ranges::count_if(results, [](const auto& each) { return !each.compile->cached; });
}

class SameProgram : public ShellCompiler {};

TEST_F(SameProgram, IsCompiledOnceHoweverManyWantIt) {
  auto executor = shell_compiler(kSlowCopy);
  auto other = shell_compiler(kSlowCopy);  // another process would meet it in the cache alone, too
  const auto results = run_at_once(
      {executor.get(), executor.get(), other.get(), executor.get(), other.get()}, fresh());
  EXPECT_EQ(compiled_anew(results), 1);
  for (const ExecutionResult& result : results) {
    EXPECT_EQ(result.stdout_data, "built\n") << describe(result);
    EXPECT_EQ(has_step(result, "wait"), result.compile->cached);
  }
}

TEST_F(SameProgram, ThatFailsForAllIsNotTriedByEach) {
  auto executor = shell_compiler("sleep 0.5; echo odd words; exit 7");  // nothing to keep
  const auto results =
      run_at_once({executor.get(), executor.get(), executor.get(), executor.get()}, fresh());
  EXPECT_EQ(compiled_anew(results), 1);
  for (const ExecutionResult& result : results) {
    EXPECT_EQ(result.status, ExecutionStatus::CompileFailed);
    EXPECT_NE(result.stderr_data.find("odd words"), std::string::npos);
    EXPECT_FALSE(result.execution_id.empty());
  }
  EXPECT_NE(results[0].execution_id, results[1].execution_id);
}

TEST_F(SameProgram, IsTakenOverWhereItsCompilationIsCancelled) {
  auto executor = shell_compiler(kSlowCopy);
  const auto request = fresh();
  std::stop_source stop;
  auto first = std::async(std::launch::async,
                          [&] { return executor->execute(request, {stop.get_token(), nullptr}); });
  std::this_thread::sleep_for(milliseconds(200));
  auto second = std::async(std::launch::async, [&] { return run(*executor, request); });
  std::this_thread::sleep_for(milliseconds(100));
  stop.request_stop();
  const auto cancelled = first.get();
  ASSERT_TRUE(cancelled) << cancelled.error().message();
  EXPECT_EQ(cancelled->status, ExecutionStatus::Cancelled);
  const auto taken = second.get();
  EXPECT_EQ(taken.stdout_data, "built\n") << describe(taken);
  EXPECT_FALSE(taken.compile->cached);
  EXPECT_TRUE(has_step(taken, "wait"));
}

TEST_F(SameProgram, IsTakenOverWhereTheFirstHadLessTime) {
  auto executor = shell_compiler(kSlowCopy);
  const auto patient = fresh();
  auto hasty = patient;
  hasty.compile_timeout = milliseconds(350);
  auto first = std::async(std::launch::async, [&] { return run(*executor, hasty); });
  std::this_thread::sleep_for(milliseconds(150));
  const auto second = run(*executor, patient);
  EXPECT_EQ(first.get().status, ExecutionStatus::Timeout);
  EXPECT_EQ(second.stdout_data, "built\n") << describe(second);
}

TEST_F(SameProgram, IsNotWaitedForByOneWhoIsCancelledOrHasNoTimeLeft) {
  auto executor = shell_compiler("sleep 1.5; cp main.toy cove-build/main");
  const auto request = fresh();
  auto first = std::async(std::launch::async, [&] { return run(*executor, request); });
  std::this_thread::sleep_for(milliseconds(200));
  auto hasty = request;
  hasty.compile_timeout = milliseconds(200);
  const auto late = run(*executor, hasty);
  EXPECT_EQ(late.status, ExecutionStatus::Timeout);
  EXPECT_LT(late.duration, milliseconds(700));
  EXPECT_NE(late.notes.at(0).find("compiling takes at most 200 ms (compile_timeout)"),
            std::string::npos);
  std::stop_source stop;
  const auto started = steady_clock::now();
  std::jthread cancels([&] {
    std::this_thread::sleep_for(milliseconds(100));
    stop.request_stop();
  });
  const auto left = executor->execute(request, {stop.get_token(), nullptr});
  ASSERT_TRUE(left);
  EXPECT_EQ(left->status, ExecutionStatus::Cancelled);
  EXPECT_LT(steady_clock::now() - started, milliseconds(700));
  EXPECT_EQ(first.get().stdout_data, "built\n");
}

// Preparing can take minutes: who leaves meanwhile has a cancelled run, not a broken compiler.
TEST_F(SameProgram, CancelledWhileItsCompilerIsPreparedIsCancelled) {
  const std::string settings =
      "prepare = [\"/bin/sh\", \"-c\", \"sleep 3; echo " + random_id("") + "\"]\n";
  auto executor = shell_compiler(kCopy, settings);
  std::stop_source stop;
  const auto cancelled = [&] {
    return std::async(std::launch::async,
                      [&] { return executor->execute(fresh(), {stop.get_token(), nullptr}); });
  };
  auto first = cancelled();
  std::this_thread::sleep_for(milliseconds(100));
  auto second = cancelled();  // waits for the first
  std::this_thread::sleep_for(milliseconds(200));
  stop.request_stop();
  for (auto* const each : {&first, &second}) {
    const auto result = each->get();
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->status, ExecutionStatus::Cancelled);
    EXPECT_EQ(result->notes.at(0), "cancelled while toy was being prepared");
  }
}

}  // namespace
}  // namespace cove::toolchain
