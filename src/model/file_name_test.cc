#include "model/file_name.h"

#include <vector>

#include <gtest/gtest.h>

namespace cove {
namespace {

std::string problem_of(std::string_view name) {
  const auto result = validate_file_name(name, "files[2].name");
  return result ? "" : result.error().message();
}

std::string problem_of_all(const std::vector<std::string>& names) {
  std::vector<ExecFile> files;
  files.reserve(names.size());
  for (const std::string& name : names) files.push_back({name, "", {}});
  const auto result = validate_file_names(files);
  return result ? "" : result.error().message();
}

TEST(FileName, OrdinaryNamesPass) {
  for (const std::string_view name :
       {"a", "data.csv", "dir/sub/file.txt", "..hidden", "a..b", "...", ".env", "with space",
        "caf\u00e9", "back\\slash", "-rf", "a:b", "\xFF\xFE"}) {
    EXPECT_EQ(problem_of(name), "") << name;
  }
  EXPECT_EQ(problem_of(std::string(255, 'x')), "");
}

TEST(FileName, NamesThatLeaveTheDirectoryAreRefused) {
  for (const std::string_view name : {"..", "../etc/passwd", "a/../../b", "a/..", "./../a"}) {
    EXPECT_NE(problem_of(name), "") << name;
  }
  EXPECT_EQ(problem_of("../x"), "field \"files[2].name\": must not contain \"..\", got \"../x\"");
  EXPECT_EQ(problem_of("/etc/passwd"),
            "field \"files[2].name\": must be a relative path, got \"/etc/passwd\"");
}

TEST(FileName, NamesThatAreNotOneFileAreRefused) {
  for (const std::string_view name : {"", ".", "./a", "a/./b", "a//b", "a/", "//", "/"}) {
    EXPECT_NE(problem_of(name), "") << name;
  }
  EXPECT_NE(problem_of(std::string_view("a\0.txt", 6)).find("NUL"), std::string::npos);
}

TEST(FileName, LengthAndDepthAreBounded) {
  EXPECT_NE(problem_of(std::string(256, 'x')).find("255 bytes"), std::string::npos);
  std::string deep = "a";
  for (int i = 1; i < 32; ++i) deep += "/a";
  EXPECT_EQ(problem_of(deep), "");
  EXPECT_NE(problem_of(deep + "/a").find("32 levels"), std::string::npos);
  std::string component(200, 'x');
  std::string lengthy = component;
  for (int i = 0; i < 24; ++i) lengthy += "/" + component;
  EXPECT_NE(problem_of(lengthy).find("longer than"), std::string::npos);
}

TEST(FileName, ANameOccursOnce) {
  EXPECT_EQ(problem_of_all({"a", "b", "dir/a", "dir/b", "a.txt"}), "");
  EXPECT_EQ(problem_of_all({"a", "b", "a"}),
            "field \"files[2].name\": \"a\" is already the name of files[0]");
}

TEST(FileName, AFileIsNotAlsoADirectory) {
  EXPECT_EQ(problem_of_all({"a", "a-b", "a.c", "a/b/c"}),
            "field \"files[3].name\": \"a/b/c\" needs a directory where files[0] is a file");
  EXPECT_NE(problem_of_all({"x/y/z", "x/y"}), "");
}

}  // namespace
}  // namespace cove
