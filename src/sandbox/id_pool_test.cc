#include "sandbox/id_pool.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace cove::sandbox {
namespace {

class IdPoolAsRoot : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root has ids to give";
  }
  IdPool pool_ = IdPool::for_this_process();
};

TEST(IdPool, AnOrdinaryUserHasOnlyTheirOwn) {
  if (::geteuid() == 0) GTEST_SKIP() << "runs as root";
  IdPool pool = IdPool::for_this_process();
  EXPECT_FALSE(pool.can_change_ids());
  EXPECT_EQ(pool.take().value(), ::geteuid());
  EXPECT_EQ(pool.take(100).value(), ::geteuid());
  pool.release(::geteuid(), 100);
  EXPECT_EQ(pool.own_gid(), ::getegid());
}

TEST_F(IdPoolAsRoot, NoTwoLiveGuestsShareAnId) {
  EXPECT_TRUE(pool_.can_change_ids());
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 200; ++i) {
    const auto id = pool_.take();
    ASSERT_TRUE(id.has_value());
    EXPECT_NE(*id, 0U);
    EXPECT_TRUE(seen.insert(*id).second) << *id;
  }
}

TEST_F(IdPoolAsRoot, CopiesShareOneStock) {
  IdPool copy = pool_;
  EXPECT_NE(pool_.take().value(), copy.take().value());
}

TEST_F(IdPoolAsRoot, ARangeIsUnbrokenAndClearOfOthers) {
  const auto before = pool_.take().value();
  const auto first = pool_.take(128).value();
  const auto after = pool_.take().value();
  for (const auto id : {before, after}) EXPECT_TRUE(id < first || id >= first + 128) << id;
  // A hole that is too small is not used for a range.
  pool_.release(before);
  const auto second = pool_.take(2).value();
  EXPECT_TRUE(second >= first + 128 || second + 2 <= first) << second;
}

TEST_F(IdPoolAsRoot, WhenAllAreTakenTheNextIsRefusedUntilOneComesBack) {
  std::vector<std::uint32_t> taken;
  for (auto id = pool_.take(); id.has_value(); id = pool_.take()) {
    ASSERT_LT(taken.size(), 100'000U);
    taken.push_back(*id);
  }
  EXPECT_GE(taken.size(), 256U);
  EXPECT_EQ(pool_.take().error().code(), ErrorCode::BackendUnavailable);
  const auto some = taken[taken.size() / 2];
  pool_.release(some);
  EXPECT_EQ(pool_.take().value(), some);
  EXPECT_FALSE(pool_.take().has_value());
}

}  // namespace
}  // namespace cove::sandbox
