#include "engine/sqlite_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cove {
namespace {

using ::testing::HasSubstr;

TEST(SqliteDatabaseTest, KeepsWhatItIsGiven) {
  auto database = SqliteDatabase::open(":memory:");
  ASSERT_TRUE(database.has_value());
  ASSERT_TRUE(database->execute("create table t(a text, b integer, c integer)"));
  auto insert = database->prepare("insert into t values(?, ?, ?)");
  ASSERT_TRUE(insert.has_value());
  const std::string odd("x\0y", 3);
  ASSERT_TRUE(insert->bind(odd).bind(1).bind(std::nullopt).run());
  ASSERT_TRUE(insert->bind("").bind(-5).bind(7).run());
  auto select = database->prepare("select a, b, c from t order by rowid");
  ASSERT_TRUE(select.has_value());
  ASSERT_TRUE(select->step().value());
  EXPECT_EQ(select->text(0), odd);
  EXPECT_TRUE(select->is_null(2));
  ASSERT_TRUE(select->step().value());
  EXPECT_FALSE(select->is_null(0));
  EXPECT_EQ(select->text(0), "");
  EXPECT_EQ(select->integer(1), -5);
  EXPECT_FALSE(select->step().value());
  EXPECT_EQ(database->number("select count(*) from t").value(), 2);
}

TEST(SqliteDatabaseTest, ErrorsSayWhat) {
  EXPECT_THAT(SqliteDatabase::open("/nowhere/at/all.db").error().message(),
              HasSubstr("/nowhere/at/all.db"));
  auto database = SqliteDatabase::open(":memory:");
  ASSERT_TRUE(database.has_value());
  EXPECT_THAT(database->prepare("select oops").error().message(), HasSubstr("oops"));
  ASSERT_TRUE(database->execute("create table t(a integer unique)"));
  auto insert = database->prepare("insert into t values(?)");
  ASSERT_TRUE(insert->bind(1).run());
  EXPECT_THAT(insert->bind(1).run().error().message(), HasSubstr("UNIQUE"));
  EXPECT_TRUE(insert->bind(2).run()) << "usable after an error";
}

}  // namespace
}  // namespace cove
