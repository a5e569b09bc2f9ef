// What a Python session does for its user.
#include "session_fixture.h"

namespace cove::session_tests {
namespace {

using std::chrono::milliseconds;

TEST_F(Sessions, KeepStateBetweenCells) {
  const auto id = open().id;
  EXPECT_EQ(run(id, "x = 40\nkept = b'x' * (8 << 20)\ndef f(n): return n + x").status,
            ExecutionStatus::Success);
  EXPECT_EQ(value(id, "import math\nf(2)"), "42");
  const auto shown = run(id, "print('hello'); import sys; print('oops', file=sys.stderr)");
  EXPECT_EQ(shown.stdout_data, "hello\n");
  EXPECT_EQ(shown.stderr_data, "oops\n");
  EXPECT_FALSE(shown.value);
  EXPECT_EQ(shown.count, 3U);
  EXPECT_EQ(service_->info(id)->cells, 3U);
  EXPECT_GT(service_->info(id)->memory.value, 4U << 20U);
}

TEST_F(Sessions, AreGoneWithTheReasonOnceRemoved) {
  const auto id = open().id;
  ASSERT_TRUE(service_->remove(id));
  const auto after = service_->execute(id, {.code = "1", .timeout = {}}, {}, nullptr);
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().code(), ErrorCode::Gone);
  EXPECT_NE(after.error().message().find("deleted"), std::string::npos) << after.error().message();
  EXPECT_EQ(service_->remove(id).error().code(), ErrorCode::Gone);
  EXPECT_EQ(service_->info("ses_never").error().code(), ErrorCode::NotFound);
}

TEST_F(Sessions, CellsFailWithTheirOwnLines) {
  const auto id = open().id;
  run(id, "def divide(a, b):\n    return a / b");
  const auto result = run(id, "print('before')\ndivide(1, 0)");
  EXPECT_EQ(result.status, ExecutionStatus::Failed);
  EXPECT_FALSE(result.state_lost);
  EXPECT_EQ(result.stdout_data, "before\n");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->name, "ZeroDivisionError");
  EXPECT_EQ(result.error->value, "division by zero");
  const std::string all = describe(result);
  EXPECT_NE(all.find("    return a / b"), std::string::npos) << all;
  EXPECT_NE(all.find("\"<cell 2>\", line 2"), std::string::npos) << all;
  EXPECT_EQ(all.find("cove"), std::string::npos) << all;
  EXPECT_EQ(run(id, "1 +").error->name, "SyntaxError");
  EXPECT_EQ(value(id, "divide(4, 2)"), "2.0");
}

// However an exception came about, and whoever prints it.
TEST_F(Sessions, TracebacksHaveNoFramesOfCove) {
  const auto id = open().id;
  for (const auto& [code, name] : std::vector<std::pair<std::string, std::string>>{
           {"while True: pass", "KeyboardInterrupt"},
           {"input('name? ')", "RuntimeError"},
           {"try:\n    input()\nexcept RuntimeError as e:\n    raise ValueError(1) from e",
            "ValueError"},
           {"try:\n    input()\nfinally:\n    1 / 0", "ZeroDivisionError"},
           {"raise ExceptionGroup('g', [ValueError(1)])", "ExceptionGroup"}}) {
    const auto result = run(id, code, milliseconds(500));
    ASSERT_TRUE(result.error) << code;
    EXPECT_EQ(result.error->name, name);
    const std::string all = describe(result);
    EXPECT_NE(all.find("<cell "), std::string::npos) << all;
    EXPECT_EQ(all.find("cove_session"), std::string::npos) << all;
  }
  const auto printed = run(id,
                           "import time, traceback\ntry:\n    time.sleep(20)\n"
                           "except KeyboardInterrupt:\n    traceback.print_exc()",
                           milliseconds(500));
  EXPECT_NE(printed.stderr_data.find("KeyboardInterrupt"), std::string::npos);
  EXPECT_EQ(printed.stderr_data.find("cove_session"), std::string::npos) << printed.stderr_data;
  const auto shown = run(id, "class A:\n    def _repr_html_(self): 1 / 0\nA()");
  EXPECT_NE(shown.stderr_data.find("ZeroDivisionError"), std::string::npos);
  EXPECT_EQ(shown.stderr_data.find("cove_session"), std::string::npos) << shown.stderr_data;
}

TEST_F(Sessions, HaveARealMainModule) {
  const auto id = open().id;
  run(id, "class Point:\n    x = 1\np = Point(); p.x = 5");
  EXPECT_EQ(value(id, "import pickle; pickle.loads(pickle.dumps(p)).x"), "5");
  run(id, "def twice(n):\n    return 2 * n");
  EXPECT_EQ(value(id, "import inspect; inspect.getsource(twice).splitlines()[1].strip()"),
            "'return 2 * n'");
  EXPECT_EQ(value(id, "__name__, Point.__module__, 'channel' in globals()"),
            "('__main__', '__main__', False)");
  EXPECT_EQ(value(id, "import asyncio\nawait asyncio.sleep(0, 'slept')"), "'slept'");
  EXPECT_EQ(value(id, "import os; os.getcwd()"), "'/workspace'");
}

TEST_F(Sessions, EndCellsNotSessionsOnExit) {
  const auto id = open().id;
  run(id, "x = 1");
  EXPECT_EQ(run(id, "import sys; sys.exit()").status, ExecutionStatus::Success);
  const auto failed = run(id, "sys.exit(3)");
  EXPECT_EQ(failed.status, ExecutionStatus::Failed);
  EXPECT_EQ(failed.error->name, "SystemExit");
  EXPECT_EQ(failed.error->value, "3");
  EXPECT_EQ(value(id, "x"), "1");
  EXPECT_NE(run(id, "input('name? ')").error->value.find("not available"), std::string::npos);
}

}  // namespace
}  // namespace cove::session_tests
