// Files that go in and come out.
#include "docker/docker_fixture.h"

namespace cove::docker_suite {
namespace {

TEST_F(Docker, FilesGoInAndChangedOnesComeOut) {
  auto asks = request(R"(
import helper, os
print(open('data/in.txt').read(), helper.name, sorted(os.listdir('.')))
os.makedirs('out/deep')
open('out/deep/new.json', 'w').write('{}')
open('data/in.txt', 'a').write('!')
open('bytes', 'wb').write(bytes(range(256)))
)");
  asks.files = {{"data/in.txt", "hello", {}},
                {"helper.py", "name = 'helper'", {}},
                {std::string(120, 'l') + ".txt", std::string("\0x", 2), {}}};
  const auto result = run(asks);
  EXPECT_TRUE(result.stdout_data.starts_with("hello helper ['data', 'helper.py', 'lll"))
      << describe(result);
  ASSERT_EQ(result.output_files.size(), 3U);
  EXPECT_EQ(find_file(result, "data/in.txt")->content, "hello!");
  EXPECT_EQ(find_file(result, "out/deep/new.json")->content, "{}");
  EXPECT_EQ(find_file(result, "bytes")->size.value, 256U);
  EXPECT_FALSE(result.output_files_incomplete);
}

TEST_F(Docker, OnlyRegularFilesComeOut) {
  const auto result = run(R"(
import os, socket
os.symlink('/etc/passwd', 'link')
os.mkfifo('fifo')
open('one', 'w').write('x')
os.link('one', 'two')
socket.socket(socket.AF_UNIX).bind('sock')
os.mkdir('closed'); open('closed/inner', 'w').write('y'); os.chmod('closed/inner', 0); os.chmod('closed', 0)
open('odd\n\x1b[31mname', 'w').write('z')
)");
  ASSERT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  ASSERT_EQ(result.output_files.size(), 2U) << result.output_files.size();
  EXPECT_EQ(result.output_files[0].name, "closed/inner");
  EXPECT_EQ(result.output_files[0].content, "y");
  EXPECT_EQ(result.output_files[1].name.find('\n'), std::string::npos);
  std::string skipped;
  for (const auto& file : result.skipped_files) skipped += file.name + ": " + file.reason + "\n";
  EXPECT_EQ(
      skipped,
      "fifo: named pipe\nlink: symbolic link\none: hard link\nsock: socket\ntwo: hard link\n");
}

TEST_F(Docker, AHugeSparseFileCostsNeitherTimeNorMemory) {
  auto asks = request("open('huge', 'wb').truncate(1 << 40)\nprint('made')");
  const auto started = std::chrono::steady_clock::now();
  const auto result = run(asks);
  EXPECT_EQ(result.stdout_data, "made\n") << describe(result);
  EXPECT_TRUE(result.output_files_incomplete);
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(15));
  EXPECT_EQ(processes(executor().container_id()), std::vector<std::string>());
  EXPECT_EQ(run("print(1)").stdout_data, "1\n");
}

TEST_F(Docker, ALinkInThePlaceOfTheWorkingDirectoryLeadsNowhere) {
  const auto result = run(R"(
import os
here = os.getcwd()
os.rmdir(here)
os.symlink('/etc', here)
)");
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  EXPECT_TRUE(result.output_files.empty());
  EXPECT_TRUE(result.skipped_files.empty());
  EXPECT_EQ(run("import os; print(os.listdir('.'))").stdout_data, "[]\n");
}

TEST_F(Docker, AWorkingDirectoryOfTheFiles) {
  auto asks = request("import os; print(os.listdir('.'))");
  asks.files = {{"sub/dir/a", "1", {}}};
  asks.policy.working_directory = "sub/dir";
  EXPECT_EQ(run(asks).stdout_data, "['a']\n");
}

TEST_F(Docker, ManyFilesAreCapped) {
  const auto result = run("for i in range(1500): open('f%04d' % i, 'w').write('x')");
  EXPECT_EQ(result.output_files.size(), 1000U) << describe(result);
  EXPECT_TRUE(result.output_files_incomplete);
}

}  // namespace
}  // namespace cove::docker_suite
