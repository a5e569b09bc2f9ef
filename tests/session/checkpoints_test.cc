// Going back to an earlier state.
#include "session_fixture.h"

namespace cove::session_tests {
namespace {

TEST_F(Sessions, RollBackAsOftenAsWanted) {
  const auto id = open().id;
  run(id, "x = 1; open('f', 'w').write('then')");
  const auto point = service_->checkpoint(id, "before");
  ASSERT_TRUE(point) << point.error().message();
  EXPECT_EQ(point->name, "before");
  EXPECT_EQ(point->cells, 1U);
  for (int i = 0; i < 2; ++i) {
    run(id, "x = 2; open('f', 'w').write('now'); open('g', 'w').close()");
    ASSERT_TRUE(service_->rollback(id, point->id));
    EXPECT_EQ(value(id, "import os\nx, open('f').read(), os.path.exists('g'), os.getcwd()"),
              "(1, 'then', False, '/workspace')");
  }
  ASSERT_EQ(service_->checkpoints(id)->size(), 1U);
  ASSERT_TRUE(service_->remove_checkpoint(id, point->id));
  EXPECT_EQ(service_->rollback(id, point->id).error().code(), ErrorCode::NotFound);
  EXPECT_EQ(value(id, "x"), "1");
}

TEST_F(Sessions, RollBackAfterACrash) {
  const auto id = open().id;
  run(id, "x = 1; open('f', 'w').write('then')");
  const auto point = service_->checkpoint(id, "");
  ASSERT_TRUE(point);
  EXPECT_TRUE(run(id, "import os; open('f', 'w').write('now'); os._exit(1)").state_lost);
  EXPECT_EQ(value(id, "'x' in globals(), open('f').read()"), "(False, 'now')");
  ASSERT_TRUE(service_->rollback(id, point->id));
  EXPECT_EQ(value(id, "x, open('f').read()"), "(1, 'then')");
}

TEST_F(Sessions, CheckpointsCannotBeSeenByCells) {
  const auto id = open().id;
  run(id, "open('kept-by-a-checkpoint', 'w').close()");
  ASSERT_TRUE(service_->checkpoint(id, ""));
  EXPECT_EQ(value(id,
                  "import os; os.remove('kept-by-a-checkpoint')\n"
                  "[f for top in ('run', 'tmp', 'workspace', 'sessions', 'code', 'dev')"
                  " for d, s, fs in os.walk('/' + top) for f in fs if 'kept-by' in f]"),
            "[]");
}

}  // namespace
}  // namespace cove::session_tests
