// What holds for every compiler, shown with one: limits, several files, what is refused, what is
// kept.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/random_id.h"
#include "executor/native/native_executor.h"
#include "toolchain/shell_compiler.h"

namespace cove::toolchain {
namespace {

using std::chrono::seconds;

using Pipeline = ShellCompiler;

TEST_F(Pipeline, ACompilerThatHangsIsStoppedAndSaysSo) {
  auto executor = shell_compiler("sleep 100 & sleep 100", "timeout = \"500ms\"\n");
  const auto started = std::chrono::steady_clock::now();
  const auto result = run(*executor, fresh());
  EXPECT_LT(std::chrono::steady_clock::now() - started, seconds(5));
  EXPECT_EQ(result.status, ExecutionStatus::Timeout) << describe(result);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NE(result.notes[0].find("the compiler was stopped"), std::string::npos);
}

TEST_F(Pipeline, ACompilerThatFillsTheDiskFailsAndSaysSo) {
  auto executor = shell_compiler("cat /dev/zero > big; echo 'g++: fatal error: no space'; exit 1",
                                 "[compile.limits]\ndisk = \"16m\"\n");
  const auto result = run(*executor, fresh());
  EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
  ASSERT_EQ(result.limits_hit.size(), 1U);
  EXPECT_EQ(result.limits_hit[0], LimitHit::Disk);
  EXPECT_NE(result.stderr_data.find("no space"), std::string::npos);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_EQ(result.notes[0], "the compiler ran out of disk (its limit is 16 MiB)");
}

TEST_F(Pipeline, ACompilerThatTakesAllMemoryIsEnded) {
  auto executor = shell_compiler("x=y; while :; do x=$x$x; done",
                                 "timeout = \"20s\"\n[compile.limits]\nmemory = \"64m\"\n");
  const auto result = run(*executor, fresh());
  EXPECT_TRUE(result.status == ExecutionStatus::Oom ||
              result.status == ExecutionStatus::CompileFailed)
      << describe(result);
}

TEST_F(Pipeline, ACompilerHasNeitherNetworkNorVariablesNorTheCallersFiles) {
  ::setenv("COVE_SECRET", "42", 1);  // NOLINT(concurrency-mt-unsafe)
  auto executor = shell_compiler(
      "{ env; ls / /home /root /var /tmp; cat /etc/shadow /proc/1/environ; ls /sys/class/net; } "
      "> cove-build/seen 2>&1; echo 'cat \"$(dirname \"$0\")/seen\"' > cove-build/main");
  const auto result = run(*executor, fresh());
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  EXPECT_EQ(result.stdout_data.find("COVE_SECRET"), std::string::npos) << result.stdout_data;
  EXPECT_EQ(result.stdout_data.find("eth0"), std::string::npos);
  EXPECT_EQ(result.stdout_data.find("root:$"), std::string::npos);
  EXPECT_NE(result.stdout_data.find("/etc/shadow: No such file"), std::string::npos)
      << result.stdout_data;
}

TEST_F(Pipeline, WhatRunsCannotChangeWhatWasBuilt) {
  auto executor = shell_compiler("cp main.toy cove-build/main");
  const auto request = fresh(
      "d=$(dirname \"$0\"); echo planted > \"$d/main\"; echo x > \"$d/new\"; rm -f \"$d/main\"; "
      "chmod 777 \"$d\" \"$d/main\"; mv \"$d/main\" \"$d/m\"; echo same");
  for (int i = 0; i < 3; ++i) {
    const auto result = run(*executor, request);
    EXPECT_EQ(result.stdout_data, "same\n") << describe(result);
    // The mount itself says no, not only the owner of the files, who stands behind it.
    EXPECT_NE(result.stderr_data.find("Read-only file system"), std::string::npos);
    EXPECT_EQ(result.stderr_data.find("denied"), std::string::npos) << describe(result);
    EXPECT_EQ(result.compile->cached, i > 0);
  }
}

TEST_F(Pipeline, WhatIsBuiltIsKeptByAllThatWentIntoIt) {
  auto executor = shell_compiler("cat *.toy data > cove-build/main");
  auto request = fresh("echo one");
  request.files = {{"data", "echo two\n", {}}};
  EXPECT_EQ(run(*executor, request).stdout_data, "one\ntwo\n");
  EXPECT_TRUE(run(*executor, request).compile->cached);
  request.files = {{"data", "echo three\n", {}}};
  const auto changed = run(*executor, request);
  EXPECT_FALSE(changed.compile->cached);
  EXPECT_EQ(changed.stdout_data, "one\nthree\n");
  request.args = {"an argument is the program's own"};
  EXPECT_TRUE(run(*executor, request).compile->cached);
}

TEST_F(Pipeline, AProgramOfWhichNothingIsBuiltDoesNotCompile) {
  const auto result = run(*shell_compiler("true"), fresh());
  EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
  EXPECT_FALSE(result.exit_code);
  ASSERT_EQ(result.diagnostics.size(), 1U);
  EXPECT_TRUE(result.stderr_data.contains("built nothing of the program")) << result.stderr_data;
  EXPECT_TRUE(result.stderr_data.contains("the steps of toy left nothing in {out}"))
      << result.stderr_data;
  const auto failed = run(*shell_compiler("echo odd words; exit 7"), fresh());
  EXPECT_EQ(failed.status, ExecutionStatus::CompileFailed);
  ASSERT_EQ(failed.diagnostics.size(), 1U);
  EXPECT_EQ(failed.diagnostics[0].message, "odd words");
}

TEST_F(Pipeline, AnUnknownFormatOfDiagnosticsIsNamed) {
  RuntimeCatalog catalog = host_catalog();
  const std::string path = directory_ + "/odd.toml";
  std::ofstream(path) << "name = \"odd\"\nextension = \"odd\"\ninterpreters = [\"/bin/sh\"]\n"
                      << "[compile]\nrun = [\"{build}/main\"]\n[[compile.step]]\nname = \"build\"\n"
                      << "diagnostics = \"klingon\"\nargs = [\"x\"]\n";
  ASSERT_TRUE(catalog.add_profile_file(path));
  const auto result = make_executor(std::move(catalog))->execute(request_of("odd", "x"));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message().find("gcc-json"), std::string::npos)
      << result.error().message();
}

TEST(Programs, OfSeveralFilesWithAnEntryAmongThem) {
  auto executor = make_executor();
  ExecutionRequest request;
  request.language = "c";
  request.entry = "src/app.c";
  request.files = {
      {"src/app.c", "#include \"../include/f.h\"\nint main(void) { return f(); }\n", {}},
      {"src/f.c", "#include \"../include/f.h\"\nint f(void) { return 7; }\n", {}},
      {"include/f.h", "int f(void);\n", {}}};
  const auto result = run(*executor, request);
  EXPECT_EQ(result.exit_code, 7) << describe(result);
  request.files[1].content = "int f(void) { return seven; }\n";
  const auto broken = run(*executor, request);
  EXPECT_EQ(broken.status, ExecutionStatus::CompileFailed);
  EXPECT_EQ(broken.diagnostics.at(0).spans.at(0).file_name, "src/f.c") << describe(broken);
}

// They are words of profiles, and of nobody else.
TEST(Programs, OfFilesThatAreCalledLikePlaceholders) {
  auto executor = make_executor();
  for (const char* name : {"{guest}.c", "{out}.c", "{prepared}.c", "{entry}.c", "{tmp}/{sources}.c",
                           "a/workspace/{build}.c", "{program}.c"}) {
    SCOPED_TRACE(name);
    ExecutionRequest request;
    request.language = "c";
    request.entry = "{entry}{out}{guest}.c";
    request.files = {{request.entry, "int f(void);\nint main(void) { return f(); }\n", {}},
                     {name, "int f(void) { return 7; }\n", {}}};
    EXPECT_EQ(run(*executor, request).exit_code, 7);
  }
}

// Whichever linker was used first: mold knows neither lines nor who defines a symbol.
TEST(Programs, WhatALinkerFindsHasItsPlace) {
  for (const char* const language : {"c", "cpp", "clang", "clang++"}) {
    SCOPED_TRACE(language);
    const bool is_c = std::string_view(language).find_first_of("p+") == std::string_view::npos;
    const std::string extension = is_c ? ".c" : ".cpp";
    auto request = request_of(language, "int f(int);\nint main() { return f(2); }\n");
    const auto missing = run(*make_executor(), request);
    EXPECT_EQ(missing.status, ExecutionStatus::CompileFailed);
    EXPECT_TRUE(
        missing.diagnostics_text->starts_with("main" + extension + ":2:21: error: undefined"))
        << describe(missing);
    request.code += "int f(int n) { return n; }\n";
    request.files = {{"other" + extension, "\nint f(int n) { return n + 1; }\n", std::nullopt}};
    const auto doubled = run(*make_executor(), request);
    ASSERT_FALSE(doubled.diagnostics.empty()) << describe(doubled);
    const Diagnostic& found = doubled.diagnostics[0];
    EXPECT_TRUE(found.message.starts_with("multiple definition of `f")) << found.message;
    ASSERT_EQ(found.spans.size(), 1U) << describe(doubled);
    EXPECT_EQ(found.spans[0].file_name, "other" + extension);
    EXPECT_EQ(found.spans[0].column_start, 5U);
    ASSERT_FALSE(found.notes.empty()) << describe(doubled);
    EXPECT_EQ(found.notes[0].spans.at(0).file_name, "main" + extension);
    EXPECT_EQ(found.notes[0].spans.at(0).line_start, 3U);
  }
}

TEST(Programs, HeadersAreFoundFromDirectoriesBelow) {
  for (const char* const language : {"c", "cpp", "cpp20", "clang", "clang++"}) {
    if (!missing(language).empty()) continue;
    const bool is_c = std::string_view(language).find_first_of("p+") == std::string_view::npos;
    auto request = request_of(language, "#include \"seven.h\"\nint main() { return seven(); }\n");
    request.files = {{"seven.h", "int seven();\n", std::nullopt},
                     {is_c ? "sub/seven.c" : "sub/seven.cpp",
                      "#include \"seven.h\"\nint seven() { return 7; }\n", std::nullopt}};
    const auto result = run(*make_executor(), request);
    EXPECT_EQ(result.exit_code, 7) << language << describe(result);
  }
}

TEST(Programs, RustChecksForOverflow) {
  if (const std::string why = missing("rust"); !why.empty()) GTEST_SKIP() << why;
  const auto result =
      run(*make_executor(), request_of("rust",
                                       "fn main() {\n    let n = std::env::args().count() as i32;\n"
                                       "    println!(\"{}\", i32::MAX + n);\n}\n"));
  EXPECT_TRUE(result.stderr_data.contains("overflow")) << describe(result);
}

TEST(Programs, JavaCountsAnEmojiOnce) {
  if (const std::string why = missing("java"); !why.empty()) GTEST_SKIP() << why;
  const auto result =
      run(*make_executor(), request_of("java", "class A { String s = \"😀é\"; int q = zzz; }\n"));
  ASSERT_FALSE(result.diagnostics.empty()) << describe(result);
  EXPECT_EQ(result.diagnostics[0].spans.at(0).column_start, 36U) << describe(result);
}

TEST(Programs, UsageIsWithoutTheCompiler) {
  const auto result =
      run(*make_executor(), request_of("cpp", unheard_of("#include <iostream>\nint main() {}\n")));
  ASSERT_TRUE(result.compile);
  ASSERT_FALSE(result.compile->cached);
  EXPECT_LT(result.usage.wall, result.compile->steps.at(0).duration) << describe(result);
}

// Else each program waits for what was to be kept, and nobody notices.
TEST(Programs, WhatIsToBeKeptIsKept) {
  const auto is_kept = [](CompilingExecutor& executor, const std::string& name) {
    for (const auto& each :
         std::filesystem::recursive_directory_iterator(*executor.cache_directory() + "/prepared")) {
      if (each.path().filename() == name && each.file_size() > 0) return true;
    }
    return false;
  };
  // A cache of its own: what others prepared must not count.
  const auto cache = std::filesystem::temp_directory_path() / random_id("cove-kept-");
  auto native = NativeExecutor::create(host_catalog());
  ASSERT_TRUE(native);
  const auto executor = CompilingExecutor::create(std::move(*native), host_catalog(), cache);
  ASSERT_TRUE(executor);
  const auto checker = host_catalog().find_check(*host_catalog().find_profile("typescript"));
  if (missing("typescript").empty() && checker) {
    (void)run(**executor, request_of("typescript", unheard_of("const n: number = 1;\n")));
    EXPECT_TRUE(is_kept(**executor, "check.blob"));
  }
  if (missing("java").empty()) {
    (void)run(**executor, request_of("java", unheard_of("class A { static void main() {} }\n")));
    EXPECT_TRUE(is_kept(**executor, "javac.jsa"));
  }
  std::filesystem::remove_all(cache);
}

TEST(Programs, WhatDoesNotLinkIsLinkedOnce) {
  const auto result =
      run(*make_executor(), request_of("c", "int f(void);\nint main(void) { return f(); }\n"));
  EXPECT_EQ(result.status, ExecutionStatus::CompileFailed);
  // Linked once: the same would fail again.
  const auto again =
      run(*make_executor(), request_of("c", "int f(void);\nint main(void) { return f(); }\n"));
  EXPECT_TRUE(again.compile->cached);
  EXPECT_EQ(again.status, ExecutionStatus::CompileFailed);
}

TEST(Programs, OfManyErrorsTheFirstAreThereWithTheirPlaces) {
  for (const char* language : {"c", "cpp"}) {
    for (const int count : {40, 20'000}) {
      std::string code;
      for (int i = 1; i <= count; ++i) code += fmt::format("int f{0}() {{ return nope{0}; }}\n", i);
      const auto result = run(*make_executor(), request_of(language, code));
      EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
      ASSERT_GE(result.diagnostics.size(), 20U) << describe(result);
      EXPECT_LE(result.diagnostics.size(), 200U);
      for (std::uint32_t i = 0; i < 20; ++i) {
        ASSERT_FALSE(result.diagnostics[i].spans.empty());
        EXPECT_EQ(result.diagnostics[i].spans[0].line_start, i + 1);
        EXPECT_FALSE(result.diagnostics[i].spans[0].text.empty());
      }
    }
  }
}

TEST(Programs, OfGoWithAModuleAndItsPackages) {
  if (const std::string why = missing("go"); !why.empty()) GTEST_SKIP() << why;
  auto request =
      request_of("go",
                 "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/app/two\"\n)\n\n"
                 "func main() { fmt.Println(two.Two()) }\n");
  request.files = {{"go.mod", "module example.com/app\n\ngo 1.19\n", {}},
                   {"two/two.go", "package two\n\nfunc Two() int { return 2 }\n", {}}};
  const auto result = run(*make_executor(), request);
  EXPECT_EQ(result.stdout_data, "2\n") << describe(result);
  request.code = "package main\n\nimport _ \"example.com/other\"\n\nfunc main() {}\n";
  const auto absent = run(*make_executor(), request);
  EXPECT_EQ(absent.status, ExecutionStatus::CompileFailed);
  EXPECT_NE(absent.diagnostics_text.value_or("").find("example.com/other"), std::string::npos)
      << describe(absent);
}

TEST(Programs, ACacheThatCannotBeUsedIsSaidOnce) {
  auto native = NativeExecutor::create(host_catalog());
  ASSERT_TRUE(native);
  auto executor = CompilingExecutor::create(std::move(*native), host_catalog(), "/proc/none/cache");
  ASSERT_TRUE(executor);
  const auto request = request_of("c", "int main(void) { return 0; }\n");
  const auto first = run(**executor, request);
  ASSERT_EQ(first.notes.size(), 1U) << describe(first);
  EXPECT_TRUE(first.notes[0].starts_with("builds are not kept: cannot make /proc/none"))
      << first.notes[0];
  EXPECT_TRUE(run(**executor, request).notes.empty());
}

TEST(Programs, TheProgramsOwnLimitsHold) {
  auto executor = make_executor();
  auto request = request_of("c", "int main(void) { for (;;) { } }\n");
  request.timeout = std::chrono::milliseconds(300);
  const auto result = run(*executor, request);
  EXPECT_EQ(result.status, ExecutionStatus::Timeout) << describe(result);
  EXPECT_TRUE(result.notes.empty());
}

TEST(Programs, WhatIsRefusedIsRefusedBeforeACompilerRuns) {
  auto executor = make_executor();
  auto request = request_of("c", "int main(void) { return 0; }\n");
  request.input = json::value(1);
  EXPECT_EQ(executor->execute(request).error().field(), "input");
  request.input.reset();
  request.language = "python";
  request.entry = "x.py";
  EXPECT_EQ(executor->execute(request).error().field(), "entry");
  auto native = NativeExecutor::create(host_catalog());
  ASSERT_TRUE(native);
  EXPECT_EQ((*native)->execute(request_of("c", "x")).error().code(),
            ErrorCode::UnsupportedLanguage);
  EXPECT_FALSE((*native)->supports_language("c"));
  EXPECT_TRUE(executor->supports_language("c"));
  EXPECT_TRUE(executor->supports_language("sh"));
}

}  // namespace
}  // namespace cove::toolchain
