#include "cli/run_notes.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

using namespace std::chrono_literals;

BackendCapabilities with_group() {
  BackendCapabilities can;
  can.memory = can.processes = can.cpu = LimitReach::Tree;
  return can;
}

BackendCapabilities without_group() {
  BackendCapabilities can;
  can.memory = can.cpu = LimitReach::PerProcess;
  can.processes = LimitReach::Tree;
  return can;
}

TEST(RunNotes, ATimeoutNamesItsOption) {
  ExecutionResult result;
  result.status = ExecutionStatus::Timeout;
  const auto notes = run_notes({}, result, {}, with_group());
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("30 s (timeout); raise it with --timeout"), std::string::npos);
}

TEST(RunNotes, ACancelledCompilerIsToldOnce) {
  ExecutionResult result;
  result.status = ExecutionStatus::Cancelled;
  EXPECT_EQ(run_notes({}, result, {}, with_group()), std::vector<std::string>{"cancelled"});
  result.compile.emplace().steps.push_back({"build", 10ms});
  result.notes = {"cancelled while it was compiled"};
  EXPECT_EQ(run_notes({}, result, {}, with_group()), result.notes);
}

TEST(RunNotes, AValueThatIsMissingIsTold) {
  ExecutionRequest request;
  ExecutionResult result;
  result.status = ExecutionStatus::Failed;
  result.exit_code = 0;
  result.notes = {"there is no value"};
  request.input = json::value(1);
  EXPECT_EQ(run_notes(request, result, {}, with_group()), result.notes);
}

TEST(RunNotes, ProcessorTimeThatIsUsedUpIsNotTheTimeout) {
  ExecutionRequest request;
  request.limits.cpu_time = 500ms;
  ExecutionResult result;
  result.status = ExecutionStatus::Timeout;
  result.limits_hit = {LimitHit::Cpu};
  const auto notes = run_notes(request, result, {}, with_group());
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("500 ms reached; raise it with --cpu-time"), std::string::npos)
      << notes[0];
}

TEST(RunNotes, WithoutAGroupALimitIsGuessedFromTheProgramsWords) {
  ExecutionResult result;
  result.status = ExecutionStatus::Failed;
  result.exit_code = 1;
  result.stderr_data = "Traceback …\nMemoryError\n";
  const auto notes = run_notes({}, result, {}, without_group());
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("perhaps the memory limit of 512 MiB"), std::string::npos);
  // A group would have told.
  EXPECT_TRUE(run_notes({}, result, {}, with_group()).empty());
  result.stderr_data = "BlockingIOError: [Errno 11] Resource temporarily unavailable";
  EXPECT_NE(run_notes({}, result, {}, without_group()).at(0).find("--pids"), std::string::npos);
  result.status = ExecutionStatus::Success;
  EXPECT_TRUE(run_notes({}, result, {}, without_group()).empty());
}

}  // namespace
}  // namespace cove
