#include "engine/admission.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Admission::Time kStart{seconds(1000)};

Caller caller(std::string name, CallerLimits limits = {}) {
  return {std::move(name), {Scope::Execute}, std::move(limits)};
}

TEST(AdmissionTest, RunsUpToItsJobsThenQueuesThenRefuses) {
  Admission admission(2, 1);
  const auto a = caller("a");
  EXPECT_FALSE(admission.submit("1", a, kStart));
  EXPECT_FALSE(admission.submit("2", a, kStart));
  EXPECT_FALSE(admission.submit("3", a, kStart));
  EXPECT_EQ(admission.submit("4", a, kStart), Admission::Refusal::QueueFull);
  EXPECT_EQ(admission.running(), 2U);
  EXPECT_EQ(admission.waiting(), 1U);
  EXPECT_EQ(admission.next(), "1");
  EXPECT_EQ(admission.next(), "2");
  EXPECT_EQ(admission.next(), std::nullopt);
  admission.finish("2");
  EXPECT_EQ(admission.next(), "3");
}

TEST(AdmissionTest, WithoutAQueueAJobRunsOrIsRefused) {
  Admission admission(1, 0);
  EXPECT_FALSE(admission.submit("1", caller("a"), kStart));
  EXPECT_EQ(admission.submit("2", caller("a"), kStart), Admission::Refusal::QueueFull);
  EXPECT_EQ(admission.submit("3", caller("b"), kStart), Admission::Refusal::QueueFull);
}

TEST(AdmissionTest, CallersTakeTurns) {
  Admission admission(1, 10);
  for (const auto* id : {"a1", "a2", "a3", "a4"}) {
    ASSERT_FALSE(admission.submit(id, caller("a"), kStart));
  }
  ASSERT_FALSE(admission.submit("b1", caller("b"), kStart));
  ASSERT_FALSE(admission.submit("c1", caller("c"), kStart));
  ASSERT_FALSE(admission.submit("b2", caller("b"), kStart));
  std::string order;
  while (const auto id = admission.next()) {
    order += *id + " ";
    admission.finish(*id);
  }
  EXPECT_EQ(order, "a1 a2 b1 c1 a3 b2 a4 ");
  EXPECT_EQ(admission.running(), 0U);
}

TEST(AdmissionTest, AFullQueueStillHasOnePlaceForANewcomer) {
  Admission admission(1, 2);
  for (const auto* id : {"a1", "a2", "a3"}) ASSERT_FALSE(admission.submit(id, caller("a"), kStart));
  EXPECT_TRUE(admission.submit("a4", caller("a"), kStart));
  EXPECT_FALSE(admission.submit("b1", caller("b"), kStart));
  EXPECT_TRUE(admission.submit("b2", caller("b"), kStart));
}

TEST(AdmissionTest, ACallersOwnConcurrencyLeavesRoomForOthers) {
  Admission admission(3, 10);
  const auto a = caller("a", {1, 0, {}, {}});
  ASSERT_FALSE(admission.submit("a1", a, kStart));
  ASSERT_FALSE(admission.submit("a2", a, kStart));
  ASSERT_FALSE(admission.submit("b1", caller("b"), kStart));
  EXPECT_EQ(admission.next(), "a1");
  EXPECT_EQ(admission.next(), "b1");
  EXPECT_EQ(admission.next(), std::nullopt);
  admission.finish("b1");
  EXPECT_EQ(admission.next(), std::nullopt);
  admission.finish("a1");
  EXPECT_EQ(admission.next(), "a2");
}

TEST(AdmissionTest, TheRateIsABucketThatRefills) {
  Admission admission(100, 100);
  const auto a = caller("a", {0, 2, {}, {}});
  EXPECT_FALSE(admission.submit("1", a, kStart));
  EXPECT_FALSE(admission.submit("2", a, kStart));
  EXPECT_EQ(admission.submit("3", a, kStart), Admission::Refusal::Rate);
  EXPECT_NEAR(admission.rate_wait("a", kStart).count(), 0.5, 1e-6);
  EXPECT_FALSE(admission.submit("3", a, kStart + milliseconds(500)));
  EXPECT_TRUE(admission.submit("4", a, kStart + milliseconds(500)));
  // However long it was quiet, there is one burst and no more.
  const auto later = kStart + seconds(100);
  EXPECT_FALSE(admission.submit("4", a, later));
  EXPECT_FALSE(admission.submit("5", a, later));
  EXPECT_TRUE(admission.submit("6", a, later));
  // Idling does not refill it.
  for (const auto* id : {"1", "2", "3", "4", "5"}) admission.finish(id);
  EXPECT_TRUE(admission.submit("6", a, later));
}

TEST(AdmissionTest, ARateBelowOneStillAllowsOne) {
  Admission admission(1, 1);
  const auto a = caller("a", {0, 0.1, {}, {}});
  EXPECT_FALSE(admission.submit("1", a, kStart));
  EXPECT_TRUE(admission.submit("2", a, kStart + seconds(9)));
  EXPECT_FALSE(admission.submit("2", a, kStart + seconds(10)));
}

TEST(AdmissionTest, AFullQueueCostsNoToken) {
  Admission admission(1, 0);
  ASSERT_FALSE(admission.submit("b", caller("b"), kStart));
  const auto a = caller("a", {0, 1, {}, {}});
  EXPECT_EQ(admission.submit("1", a, kStart), Admission::Refusal::QueueFull);
  admission.finish("b");
  EXPECT_FALSE(admission.submit("1", a, kStart));
}

TEST(AdmissionTest, WaitingJobsCanBeTakenBack) {
  Admission admission(1, 5);
  for (const auto* id : {"1", "2", "3"}) ASSERT_FALSE(admission.submit(id, caller("a"), kStart));
  EXPECT_EQ(admission.next(), "1");
  EXPECT_FALSE(admission.remove("1"));
  EXPECT_TRUE(admission.remove("2"));
  EXPECT_FALSE(admission.remove("2"));
  EXPECT_EQ(admission.waiting(), 1U);
  admission.finish("1");
  EXPECT_TRUE(admission.remove("3")) << "promoted, but not yet given out";
  EXPECT_EQ(admission.next(), std::nullopt);
  EXPECT_EQ(admission.running(), 0U);
  EXPECT_EQ(admission.waiting(), 0U);
}

}  // namespace
}  // namespace cove
