#include "sandbox/plan_builder.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

namespace cove::sandbox {
namespace {

SandboxSpec spec_for(Level level) {
  SandboxSpec spec;
  spec.level = level;
  spec.landlock_abi = 7;
  spec.uid = 1234;
  spec.gid = 1234;
  spec.executable = "/usr/bin/python3";
  spec.argv = {"/usr/bin/python3", "/code/main.py"};
  if (level == Level::Landlock) {
    spec.scratch_dir = "/tmp/cove-scratch";
    spec.working_directory = "/tmp/cove-scratch/workspace";
  }
  return spec;
}

// A plan with questions about its order.
class Order {
 public:
  explicit Order(const Result<SetupPlan>& plan) {
    EXPECT_TRUE(plan.has_value());
    if (plan) steps_ = plan->steps();
  }
  std::size_t count(StepKind kind) const {
    return static_cast<std::size_t>(std::ranges::count(steps_, kind, &SetupStep::kind));
  }
  // Position of the only step of this kind.
  std::size_t of(StepKind kind) const {
    EXPECT_EQ(count(kind), 1U) << step_name(kind);
    return static_cast<std::size_t>(std::ranges::find(steps_, kind, &SetupStep::kind) -
                                    steps_.begin());
  }
  std::size_t last_of(StepKind kind) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) at = steps_[i].kind == kind ? i : at;
    return at;
  }
  std::uint64_t unshared() const {
    std::uint64_t flags = 0;
    for (const auto& step : steps_) flags |= step.kind == StepKind::Unshare ? step.a : 0;
    return flags;
  }
  std::optional<std::uint64_t> rlimit(std::uint64_t resource) const {
    for (const auto& step : steps_) {
      if (step.kind == StepKind::Rlimit && step.a == resource) return step.b;
    }
    return std::nullopt;
  }
  const std::vector<SetupStep>& steps() const { return steps_; }

 private:
  std::vector<SetupStep> steps_;
};

void expect_locked_down(const Order& plan) {
  const auto seccomp = plan.of(StepKind::Seccomp);
  EXPECT_LT(plan.of(StepKind::NoNewPrivs), plan.of(StepKind::DropCaps));
  EXPECT_LT(plan.of(StepKind::NoNewPrivs), plan.of(StepKind::LandlockEnforce));
  EXPECT_LT(plan.of(StepKind::DropCaps), seccomp);
  EXPECT_LT(plan.of(StepKind::LandlockEnforce), seccomp);
  EXPECT_LT(plan.last_of(StepKind::LandlockAllow), plan.of(StepKind::LandlockEnforce));
  EXPECT_LT(plan.of(StepKind::LandlockBegin), plan.of(StepKind::LandlockEnforce));
  EXPECT_LT(plan.last_of(StepKind::Rlimit), seccomp);
  EXPECT_LT(plan.of(StepKind::ForkMain), plan.of(StepKind::NoNewPrivs));
  for (auto i = seccomp + 1; i < plan.steps().size(); ++i) {
    const auto kind = plan.steps()[i].kind;
    EXPECT_TRUE(kind == StepKind::Ready || kind == StepKind::CloseFrom ||
                kind == StepKind::AwaitJob || kind == StepKind::Exec)
        << "after the filter: " << step_name(kind);
  }
}

class BothLevels : public ::testing::TestWithParam<Level> {};
INSTANTIATE_TEST_SUITE_P(Levels, BothLevels, ::testing::Values(Level::Namespaces, Level::Landlock));

TEST_P(BothLevels, NothingIsGivenUpTooEarlyAndNothingComesAfterTheFilter) {
  const Order plan(guest_plan(spec_for(GetParam())));
  expect_locked_down(plan);
  EXPECT_LT(plan.of(StepKind::Seccomp), plan.of(StepKind::Ready));
  EXPECT_LT(plan.of(StepKind::Ready), plan.of(StepKind::AwaitJob));
  EXPECT_LT(plan.of(StepKind::AwaitJob), plan.of(StepKind::Exec));
  EXPECT_LT(plan.of(StepKind::CloseFrom), plan.of(StepKind::Exec));
  EXPECT_EQ(plan.of(StepKind::Exec), plan.steps().size() - 1);
  EXPECT_EQ(plan.steps().back().argv.back(), "/code/main.py");
}

TEST_P(BothLevels, AnInterpreterThatWaitsByItselfIsStartedAtOnce) {
  auto spec = spec_for(GetParam());
  spec.await_job = false;
  EXPECT_EQ(Order(guest_plan(spec)).count(StepKind::AwaitJob), 0U);
}

TEST_P(BothLevels, LimitsOfTheSpecificationBecomeLimitsOfTheKernel) {
  auto spec = spec_for(GetParam());
  spec.descriptors = 77;
  spec.disk_bytes = 5U << 20U;
  spec.memory_bytes = 99U << 20U;
  const Order with_group(guest_plan(spec));
  EXPECT_EQ(with_group.rlimit(RLIMIT_CORE), 0U);
  EXPECT_EQ(with_group.rlimit(RLIMIT_NOFILE), 77U);
  EXPECT_EQ(with_group.rlimit(RLIMIT_FSIZE), 5U << 20U);
  EXPECT_EQ(with_group.rlimit(RLIMIT_DATA), std::nullopt);
  EXPECT_EQ(with_group.rlimit(RLIMIT_CPU), std::nullopt);
  spec.memory_control = MemoryControl::PerProcess;
  spec.cpu_seconds = 3;
  const Order without(guest_plan(spec));
  EXPECT_EQ(without.rlimit(RLIMIT_DATA), 99U << 20U);
  EXPECT_EQ(without.rlimit(RLIMIT_AS), std::nullopt) << "node reserves more than it uses";
  EXPECT_EQ(without.rlimit(RLIMIT_CPU), 3U);
  if (GetParam() == Level::Namespaces) {
    EXPECT_EQ(without.rlimit(RLIMIT_NPROC), 65U) << "64 and the init";
  }
}

TEST(PlanBuilder, WithNamespacesTheGuestGetsAWorldOfItsOwn) {
  const Order plan(guest_plan(spec_for(Level::Namespaces)));
  for (const std::uint64_t flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET,
                                   CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP}) {
    EXPECT_NE(plan.unshared() & flag, 0U) << flag;
  }
  EXPECT_GT(plan.rlimit(RLIMIT_NPROC), 65U) << "the control group is to refuse first";
  EXPECT_LT(plan.of(StepKind::Hello), plan.of(StepKind::ForkInit));
  // Host files are opened with the rights of the Cove process, before the ids change.
  EXPECT_LT(plan.last_of(StepKind::OpenTree), plan.of(StepKind::ForkInit));
  EXPECT_LT(plan.of(StepKind::MakePrivate), plan.last_of(StepKind::OpenTree));
  EXPECT_LT(plan.last_of(StepKind::AttachTree), plan.of(StepKind::PivotRoot));
  EXPECT_LT(plan.of(StepKind::MountProc), plan.of(StepKind::PivotRoot));
  const auto first_mask = std::ranges::find(plan.steps(), StepKind::Mask, &SetupStep::kind);
  EXPECT_LT(plan.of(StepKind::RemountRo),
            static_cast<std::size_t>(first_mask - plan.steps().begin()))
      << "what covers is read-only";
  EXPECT_LT(plan.of(StepKind::PivotRoot), plan.of(StepKind::RemountRo));
  EXPECT_LT(plan.of(StepKind::RemountRo), plan.of(StepKind::ForkMain));
  EXPECT_LT(plan.of(StepKind::OpenScratch), plan.of(StepKind::Ready));
}

TEST(PlanBuilder, AHostPathBelowAPrivateDirectoryIsAttachedAfterThatIsThere) {
  auto spec = spec_for(Level::Namespaces);
  spec.mounts = {{"/usr", "/tmp/shown", false, false}};
  const Order plan(guest_plan(spec));
  const auto position = [&](StepKind kind, std::string_view text, std::string SetupStep::* field) {
    const auto found = std::ranges::find_if(plan.steps(), [&](const SetupStep& step) {
      return step.kind == kind && step.*field == text;
    });
    EXPECT_NE(found, plan.steps().end()) << text;
    return found - plan.steps().begin();
  };
  const auto attached = position(StepKind::AttachTree, "tmp/shown", &SetupStep::text);
  EXPECT_LT(position(StepKind::Bind, "tmp", &SetupStep::text2), attached);
  EXPECT_LT(static_cast<std::size_t>(attached), plan.of(StepKind::PivotRoot));
}

TEST(PlanBuilder, ANetworkPolicyKeepsTheHostsNetworkOnly) {
  auto spec = spec_for(Level::Namespaces);
  spec.network = true;
  const Order plan(guest_plan(spec));
  EXPECT_EQ(plan.unshared() & CLONE_NEWNET, 0U);
  EXPECT_NE(plan.unshared() & CLONE_NEWPID, 0U);
  EXPECT_EQ(plan.steps()[plan.of(StepKind::LandlockBegin)].b, 0U) << "TCP is not handled";
}

TEST(PlanBuilder, OnlyRootForgetsItsGroups) {
  auto spec = spec_for(Level::Namespaces);
  EXPECT_EQ(Order(guest_plan(spec)).count(StepKind::DropGroups), 0U);
  spec.can_change_ids = true;
  const Order plan(guest_plan(spec));
  EXPECT_EQ(plan.of(StepKind::DropGroups), 0U) << "a user namespace would forbid it later";
}

TEST(PlanBuilder, TheLandlockLevelNeedsNoNamespaceAndNoMount) {
  const Order plan(guest_plan(spec_for(Level::Landlock)));
  for (const auto kind : {StepKind::Unshare, StepKind::MakePrivate, StepKind::OpenTree,
                          StepKind::AttachTree, StepKind::MountTmpfs, StepKind::MountProc,
                          StepKind::Bind, StepKind::PivotRoot, StepKind::ForkInit}) {
    EXPECT_EQ(plan.count(kind), 0U) << step_name(kind);
  }
  EXPECT_LT(plan.of(StepKind::Subreaper), plan.of(StepKind::ForkMain));
  EXPECT_EQ(plan.rlimit(RLIMIT_NPROC), std::nullopt) << "an ordinary user's count is shared";
}

TEST(PlanBuilder, TheLandlockLevelAsRootChangesToAnotherUser) {
  auto spec = spec_for(Level::Landlock);
  spec.can_change_ids = true;
  const Order plan(guest_plan(spec));
  EXPECT_LT(plan.of(StepKind::DropGroups), plan.of(StepKind::SetIds));
  EXPECT_LT(plan.of(StepKind::SetIds), plan.of(StepKind::ForkMain));
  EXPECT_EQ(plan.steps()[plan.of(StepKind::SetIds)].a, 1234U);
  EXPECT_TRUE(plan.rlimit(RLIMIT_NPROC).has_value());
}

TEST(PlanBuilder, AtTheLandlockLevelOnlyThePrivateDirectoryCanBeWritten) {
  constexpr std::uint64_t kWriteFile = 2;
  auto spec = spec_for(Level::Landlock);
  spec.mounts = {{"/usr", "/usr", false, true}};
  const Order plan(guest_plan(spec));
  for (const auto& step : plan.steps()) {
    if (step.kind != StepKind::LandlockAllow) continue;
    const bool writable = step.text.starts_with("/dev/") ||
                          step.text == "/tmp/cove-scratch/workspace" ||
                          step.text == "/tmp/cove-scratch/tmp";
    EXPECT_EQ((step.a & kWriteFile) != 0, writable) << step.text;
    EXPECT_NE(step.text, "/");
    EXPECT_NE(step.text, "/proc");
  }
}

TEST(PlanBuilder, AnOldKernelHasNoLandlockStepsAtAll) {
  auto spec = spec_for(Level::Namespaces);
  spec.landlock_abi = 0;
  const Order plan(guest_plan(spec));
  EXPECT_EQ(plan.count(StepKind::LandlockBegin), 0U);
  EXPECT_EQ(plan.count(StepKind::LandlockEnforce), 0U);
  EXPECT_EQ(plan.count(StepKind::Seccomp), 1U);
}

TEST(PlanBuilder, AZygoteKeepsTheRightToMakeGuests) {
  auto spec = spec_for(Level::Namespaces);
  const Order plan(zygote_plan(spec));
  EXPECT_EQ(plan.count(StepKind::DropCaps), 0U);
  EXPECT_EQ(plan.count(StepKind::Seccomp), 0U);
  EXPECT_EQ(plan.count(StepKind::OpenScratch), 0U) << "only guests have a place to write";
  EXPECT_EQ(plan.count(StepKind::Mask), 0U) << "guests must be able to mount /proc";
  EXPECT_EQ(plan.of(StepKind::Exec), plan.steps().size() - 1);
}

TEST(PlanBuilder, AForkedGuestEndsLockedDownInNamespacesOfItsOwn) {
  auto spec = spec_for(Level::Namespaces);
  const Order plan(forked_guest_plan(spec));
  expect_locked_down(plan);
  EXPECT_EQ(plan.of(StepKind::Seccomp), plan.steps().size() - 1);
  EXPECT_EQ(plan.count(StepKind::Exec), 0U);
  for (const std::uint64_t flag :
       {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP}) {
    EXPECT_NE(plan.unshared() & flag, 0U) << flag;
  }
  EXPECT_EQ(plan.unshared() & CLONE_NEWNET, 0U) << "Landlock scopes abstract sockets";
  EXPECT_LT(plan.of(StepKind::MountProc), plan.of(StepKind::IdMapSelf));
}

TEST(PlanBuilder, WithoutScopedSocketsAForkedGuestGetsItsOwnNetwork) {
  auto spec = spec_for(Level::Namespaces);
  spec.landlock_abi = 5;
  EXPECT_NE(Order(forked_guest_plan(spec)).unshared() & CLONE_NEWNET, 0U);
}

TEST(PlanBuilder, AFamilyHasDirectoriesForItsMembers) {
  const auto has = [](const SandboxSpec& spec, StepKind kind, std::string_view text) {
    const auto plan = guest_plan(spec);
    return plan && std::ranges::any_of(plan->steps(), [&](const SetupStep& step) {
             return step.kind == kind && (step.text == text || step.text2 == text);
           });
  };
  SandboxSpec spec = spec_for(Level::Namespaces);
  EXPECT_FALSE(has(spec, StepKind::Bind, "sessions"));
  EXPECT_FALSE(has(spec, StepKind::LandlockAllow, "/sessions"));
  const auto alone = Order(guest_plan(spec)).rlimit(RLIMIT_NPROC);
  spec.family = true;
  EXPECT_TRUE(has(spec, StepKind::Bind, "sessions"));
  EXPECT_TRUE(has(spec, StepKind::LandlockAllow, "/sessions"));
  EXPECT_GT(Order(guest_plan(spec)).rlimit(RLIMIT_NPROC), alone);
}

}  // namespace
}  // namespace cove::sandbox
