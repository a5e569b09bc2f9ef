// Files in, files out, and what stays between runs.
#include <algorithm>

#include "conformance/conformance_fixture.h"

namespace cove::conformance {
namespace {

TEST_P(Conformance, GivenFilesAreThereWithTheirFolders) {
  auto reading = request(
      "import os\n"
      "print(sorted(os.path.join(r, f) for r, _, fs in os.walk('.') for f in fs))\n"
      "print(open('deep/er/in.bin', 'rb').read(), open('ünï cödé.txt').read())\n");
  reading.files = {{"deep/er/in.bin", std::string("\0\xff", 2), {}}, {"ünï cödé.txt", "text", {}}};
  const auto result = run(reading);
  EXPECT_EQ(result.stdout_data, "['./deep/er/in.bin', './ünï cödé.txt']\nb'\\x00\\xff' text\n")
      << describe(result);
  EXPECT_TRUE(result.output_files.empty());
}

TEST_P(Conformance, NewAndChangedFilesComeOut) {
  auto writing = request(
      "import os\n"
      "open('input.txt', 'a').write('more')\n"
      "os.makedirs('a/b')\n"
      "open('a/b/result.json', 'w').write('{}')\n"
      "open('empty', 'w')\n"
      "os.remove('gone.txt')\n");
  writing.files = {{"input.txt", "start ", {}}, {"same.txt", "same", {}}, {"gone.txt", "x", {}}};
  const auto result = run(writing);
  ASSERT_EQ(result.output_files.size(), 3U) << describe(result);
  ASSERT_NE(find_file(result, "input.txt"), nullptr);
  EXPECT_EQ(find_file(result, "input.txt")->content, "start more");
  ASSERT_NE(find_file(result, "a/b/result.json"), nullptr);
  EXPECT_EQ(find_file(result, "a/b/result.json")->mime_type, "application/json");
  ASSERT_NE(find_file(result, "empty"), nullptr);
  EXPECT_EQ(find_file(result, "empty")->size.value, 0U);
}

TEST_P(Conformance, LinksAndPipesAreNamedAndNotFollowed) {
  const auto result =
      run("import os\n"
          "os.symlink('/etc/passwd', 'link')\n"
          "os.symlink('/', 'root')\n"
          "os.mkfifo('pipe')\n"
          "open('plain', 'w').write('x')\n");
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  ASSERT_EQ(result.output_files.size(), 1U);
  EXPECT_EQ(result.output_files[0].name, "plain");
  std::vector<std::string> skipped;
  for (const auto& file : result.skipped_files) {
    skipped.push_back(file.name);
    EXPECT_FALSE(file.reason.empty());
  }
  std::ranges::sort(skipped);
  EXPECT_EQ(skipped, (std::vector<std::string>{"link", "pipe", "root"}));
}

TEST_P(Conformance, FilesOfAnUnhappyRunAreKept) {
  auto failing = request("open('partial.txt', 'w').write('so far')\nraise SystemExit(2)\n");
  const auto result = run(failing);
  ASSERT_NE(find_file(result, "partial.txt"), nullptr) << describe(result);
  auto slow = request(
      "with open('partial.txt', 'w') as f: f.write('so far')\nimport time\ntime.sleep(30)\n");
  slow.timeout = std::chrono::milliseconds(200) + soon();
  const auto late = run(slow);
  EXPECT_EQ(late.status, ExecutionStatus::Timeout);
  EXPECT_NE(find_file(late, "partial.txt"), nullptr) << describe(late);
}

TEST_P(Conformance, TwoHundredFilesComeOut) {
  const auto result = run("for i in range(200): open(f'f{i:03}.txt', 'w').write(str(i))\n");
  EXPECT_EQ(result.output_files.size(), 200U) << describe(result);
}

TEST_P(Conformance, NothingOfOneRunIsSeenByTheNext) {
  const char* code =
      "import os\n"
      "print(os.listdir('.'))\n"
      "open('left', 'w').write('x')\n"
      "import builtins, sys\n"
      "print(hasattr(builtins, 'mark'))\n"
      "builtins.mark = 1\n";
  for (int i = 0; i < 3; ++i) {
    const auto result = run(code);
    EXPECT_EQ(result.stdout_data, "[]\nFalse\n") << describe(result);
  }
}

TEST_P(Conformance, BadFileNamesAreRefused) {
  for (const char* name : {"../evil", "/abs", "", "a/../../b", "a//b/../c"}) {
    auto bad = request("print('ran')");
    bad.files = {{name, "x", {}}};
    const auto result = executor().execute(bad);
    ASSERT_FALSE(result) << name;
    EXPECT_EQ(result.error().code(), ErrorCode::InvalidRequest) << name;
  }
  auto twice = request("print('ran')");
  twice.files = {{"a", "1", {}}, {"a", "2", {}}};
  EXPECT_FALSE(executor().execute(twice));
}

}  // namespace
}  // namespace cove::conformance
