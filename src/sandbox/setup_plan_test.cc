#include "sandbox/setup_plan.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

namespace cove::sandbox {
namespace {

// A plan as the helper reads it.
struct ReadPlan {
  PlanHeader header = {};
  std::vector<RawStep> steps;
  std::string pool;

  std::string text(std::uint64_t offset) const { return pool.c_str() + offset; }
};

ReadPlan read_back(const std::string& bytes) {
  ReadPlan plan;
  EXPECT_GE(bytes.size(), sizeof plan.header);
  std::memcpy(&plan.header, bytes.data(), sizeof plan.header);
  plan.steps.resize(plan.header.step_count);
  const std::size_t steps_size = plan.steps.size() * sizeof(RawStep);
  EXPECT_EQ(bytes.size(), sizeof plan.header + steps_size + plan.header.pool_size);
  if (steps_size > 0) {
    std::memcpy(plan.steps.data(), bytes.data() + sizeof plan.header, steps_size);
  }
  plan.pool = bytes.substr(sizeof plan.header + steps_size);
  return plan;
}

TEST(SetupPlan, AnEmptyPlanIsAHeaderAndTheEmptyString) {
  const auto plan = read_back(SetupPlan().serialise());
  EXPECT_EQ(plan.header.magic, kPlanMagic);
  EXPECT_EQ(plan.header.step_count, 0U);
  EXPECT_EQ(plan.header.flags, 0U);
  EXPECT_EQ(plan.text(0), "");
}

TEST(SetupPlan, StepsKeepTheirOrderNumbersAndStrings) {
  SetupPlan plan;
  plan.set_flags(kPlanGroupKill);
  plan.add({.kind = StepKind::Bind, .flags = kOptional, .b = 7, .text = "/from", .text2 = "to"});
  plan.add({.kind = StepKind::Rlimit, .a = RLIMIT_CORE, .b = 0, .c = 9});
  const auto read = read_back(plan.serialise());
  ASSERT_EQ(read.steps.size(), 2U);
  EXPECT_EQ(read.header.flags, kPlanGroupKill);
  EXPECT_EQ(read.steps[0].kind, StepKind::Bind);
  EXPECT_EQ(read.steps[0].flags, kOptional);
  EXPECT_EQ(read.steps[0].b, 7U);
  EXPECT_EQ(read.text(read.steps[0].text), "/from");
  EXPECT_EQ(read.text(read.steps[0].text2), "to");
  EXPECT_EQ(read.steps[1].kind, StepKind::Rlimit);
  EXPECT_EQ(read.steps[1].c, 9U);
  EXPECT_EQ(read.text(read.steps[1].text), "");
}

TEST(SetupPlan, ContentsOfFilesMayHoldAnyByte) {
  SetupPlan plan;
  const std::string bytes("a\0b\n\xff", 5);
  plan.add({.kind = StepKind::WriteFile, .c = 0444, .text = "etc/x", .blob = bytes});
  plan.add({.kind = StepKind::WriteFile, .c = 0444, .text = "etc/empty"});
  const auto read = read_back(plan.serialise());
  EXPECT_EQ(read.pool.substr(read.steps[0].a, read.steps[0].b), bytes);
  EXPECT_EQ(read.steps[0].c, 0444U);
  EXPECT_EQ(read.steps[1].b, 0U);
  EXPECT_LE(read.steps[1].a, read.pool.size());
}

TEST(SetupPlan, AFilterIsAlignedWhateverStringsStandBeforeIt) {
  for (const char* before : {"a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh"}) {
    SetupPlan plan;
    plan.add({.kind = StepKind::Chdir, .text = before});
    plan.add({.kind = StepKind::Seccomp, .blob = "12345678"});
    const std::string bytes = plan.serialise();
    const auto read = read_back(bytes);
    const std::size_t pool_at = bytes.size() - read.pool.size();
    EXPECT_EQ((pool_at + read.steps[1].a) % 8, 0U) << before;
    EXPECT_EQ(read.pool.substr(read.steps[1].a, read.steps[1].b), "12345678");
  }
}

TEST(SetupPlan, ArgumentsAndEnvironmentAreCountedLists) {
  SetupPlan plan;
  plan.add(
      {.kind = StepKind::Exec, .text = "/bin/x", .argv = {"x", "", "last"}, .envp = {"A=1", "B="}});
  const auto read = read_back(plan.serialise());
  const RawStep& step = read.steps[0];
  EXPECT_EQ(step.b & 0xffffffffU, 3U);
  EXPECT_EQ(step.b >> 32U, 2U);
  EXPECT_EQ(read.pool.substr(step.a, 9), std::string("x\0\0last\0\0", 9));
  EXPECT_EQ(read.pool.substr(step.c, 7), std::string("A=1\0B=\0", 7));
}

TEST(SetupPlan, TheHelperGetsASealedCopy) {
  SetupPlan plan;
  plan.add({.kind = StepKind::Hello});
  const auto file = plan.to_memfd();
  ASSERT_TRUE(file.has_value());
  std::string bytes(plan.serialise().size() + 1, '\0');
  const ssize_t n = ::pread(file->get(), bytes.data(), bytes.size(), 0);
  ASSERT_GT(n, 0);
  EXPECT_EQ(bytes.substr(0, static_cast<std::size_t>(n)), plan.serialise());
  EXPECT_NE(::fcntl(file->get(), F_GET_SEALS) & F_SEAL_WRITE, 0);
}

TEST(SetupPlan, EveryKindOfStepHasANameOfItsOwn) {
  std::vector<std::string_view> names;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(StepKind::Count); ++i) {
    const auto name = step_name(static_cast<StepKind>(i));
    EXPECT_FALSE(name.empty()) << i;
    EXPECT_EQ(std::ranges::count(names, name), 0) << name;
    names.push_back(name);
  }
  EXPECT_EQ(step_name(StepKind::Unshare), "unshare");
  EXPECT_EQ(step_name(StepKind::PivotRoot), "pivot root");
  EXPECT_EQ(step_name(StepKind::NoNewPrivs), "no new privs");
  EXPECT_EQ(step_name(StepKind::Exec), "exec");
}

TEST(SetupPlan, ADescriptionHasOneNumberedLineAStep) {
  SetupPlan plan;
  plan.add({.kind = StepKind::Unshare, .a = CLONE_NEWUSER | CLONE_NEWNET});
  plan.add({.kind = StepKind::Rlimit, .a = RLIMIT_NOFILE, .b = 256});
  plan.add({.kind = StepKind::SetIds, .flags = kGuestId});
  plan.add({.kind = StepKind::NoNewPrivs});
  plan.add({.kind = StepKind::Exec, .text = "/bin/sh", .argv = {"sh", "-c", "true"}});
  EXPECT_EQ(plan.describe(),
            "  0  unshare        user, network\n"
            "  1  rlimit         nofile = 256\n"
            "  2  set ids        the guest's own\n"
            "  3  no new privs\n"
            "  4  exec           sh -c true\n");
}

TEST(SetupPlan, AFailedStepIsNamedWithItsCauseAndWhatToDo) {
  SetupPlan plan;
  plan.add({.kind = StepKind::Hello});
  plan.add({.kind = StepKind::MountProc, .text = "proc"});
  const Error error = step_error(plan, 1, EPERM);
  EXPECT_EQ(error.code(), ErrorCode::Sandbox);
  EXPECT_NE(error.message().find("step 1 (mount proc"), std::string::npos) << error.message();
  EXPECT_NE(error.message().find("Operation not permitted"), std::string::npos);
  EXPECT_NE(error.message().find("isolation level landlock"), std::string::npos);
}

TEST(SetupPlan, AStepWithoutAdviceStillHasItsCause) {
  SetupPlan plan;
  plan.add({.kind = StepKind::Chdir, .text = "/workspace"});
  EXPECT_EQ(
      step_error(plan, 0, ENOENT).message(),
      "sandbox set-up failed at step 0 (chdir          /workspace): No such file or directory");
}

TEST(SetupPlan, AStepThatDoesNotExistIsNoCrash) {
  const Error error = step_error(SetupPlan(), 12, ENOMEM);
  EXPECT_EQ(error.message(), "sandbox set-up failed: Cannot allocate memory");
}

}  // namespace
}  // namespace cove::sandbox
