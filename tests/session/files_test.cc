// A session's directory from outside.
#include "session_fixture.h"

namespace cove::session_tests {
namespace {

TEST_F(Sessions, FilesGoInAndOut) {
  const auto id = open().id;
  ASSERT_TRUE(service_->write_file(id, "data/in.csv", "a,b\n1,2\n"));
  EXPECT_EQ(value(id, "open('data/in.csv').read()"), "'a,b\\n1,2\\n'");
  run(id, "open('out.txt', 'w').write('from the cell'); open('data/in.csv', 'a').write('3,4')");
  const auto files = service_->files(id);
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[0].name, "data/in.csv");
  EXPECT_EQ((*files)[0].size.value, 11U);
  EXPECT_EQ((*files)[0].mime_type, "text/csv");
  EXPECT_EQ(*service_->read_file(id, "out.txt"), "from the cell");
  ASSERT_TRUE(service_->write_file(id, "out.txt", "new"));
  EXPECT_EQ(value(id, "open('out.txt').read()"), "'new'");
  ASSERT_TRUE(service_->remove_file(id, "out.txt"));
  EXPECT_EQ(service_->read_file(id, "out.txt").error().code(), ErrorCode::NotFound);
  EXPECT_EQ(value(id, "import os; os.path.exists('out.txt')"), "False");
}

TEST_F(Sessions, FilesWithBadNamesAreRefused) {
  const auto id = open().id;
  for (const char* name : {"../x", "/etc/passwd", "a/../../b", "", "a//b", "."}) {
    EXPECT_EQ(service_->read_file(id, name).error().code(), ErrorCode::InvalidRequest) << name;
    EXPECT_EQ(service_->write_file(id, name, "x").error().code(), ErrorCode::InvalidRequest)
        << name;
  }
}

TEST_F(Sessions, FilesStayWithinTheDiskLimit) {
  Limits limits;
  limits.disk = Bytes::mib(2);
  const auto id = open("python", limits).id;
  EXPECT_EQ(service_->write_file(id, "big", std::string(4U << 20U, 'x')).error().code(),
            ErrorCode::TooLarge);
}

}  // namespace
}  // namespace cove::session_tests
