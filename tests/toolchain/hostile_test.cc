// Programs and compilers that mean harm, or merely do much: output, disk, links, the host's files,
// many at once, and the level without namespaces.
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/data_dir.h"
#include "base/random_id.h"
#include "executor/native/native_executor.h"
#include "toolchain/toolchain_fixture.h"

namespace cove::toolchain {
namespace {

// Cases 11 to 14 of the reference, for a program that was built.
TEST(Case11, MuchOutputAndMuchInputDoNotWaitForEachOther) {
  auto request = request_of("c",
                            "#include <stdio.h>\nint main(void) {\n  int c;\n"
                            "  for (int i = 0; i < 100000; ++i) putchar('x');\n"
                            "  while ((c = getchar()) != EOF) putchar(c);\n}\n");
  request.stdin_data = std::string(500'000, 'y');
  const auto result = run(*make_executor(), request);
  EXPECT_EQ(result.status, ExecutionStatus::Success);
  EXPECT_EQ(result.stdout_data.size(), 600'000U);
  // One that never reads.
  request.code = "int main(void) { return 0; }\n";
  EXPECT_EQ(run(*make_executor(), request).status, ExecutionStatus::Success);
}

TEST(Case12, WhatWasPrintedBeforeATimeoutIsKept) {
  auto request = request_of("c",
                            "#include <stdio.h>\nint main(void) {\n  puts(\"partial\");\n"
                            "  fflush(stdout);\n  for (;;) { }\n}\n");
  request.timeout = std::chrono::milliseconds(500);
  const auto result = run(*make_executor(), request);
  EXPECT_EQ(result.status, ExecutionStatus::Timeout);
  EXPECT_EQ(result.stdout_data, "partial\n");
}

TEST(Case13, OutputOfChildrenAndOfPlainWritesIsCaptured) {
  const auto result =
      run(*make_executor(),
          request_of("c",
                     "#include <stdlib.h>\n#include <unistd.h>\nint main(void) {\n"
                     "  int n = write(1, \"plain\\n\", 6);\n"
                     "  return system(\"echo child; echo error >&2\") + n - 6;\n}\n"));
  EXPECT_EQ(result.stdout_data, "plain\nchild\n") << describe(result);
  EXPECT_EQ(result.stderr_data, "error\n");
}

TEST(Case14, ALongProgramIsNoArgument) {
  const std::string text(300'000, 'z');
  const auto result =
      run(*make_executor(), request_of("c", "#include <stdio.h>\n/* " + text +
                                                " */\nint main(void) { puts(\"ok\"); }\n"));
  EXPECT_EQ(result.stdout_data, "ok\n") << describe(result);
}

TEST(HostileBuild, ThatFillsTheDiskIsStopped) {
  const auto result =
      run(*make_executor(),
          request_of("c", "char big[400u << 20] = {1};\nint main(void) { return big[5]; }\n"));
  EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
  // No file may be larger than the disk: the assembler is ended before it is full.
  EXPECT_TRUE(!result.limits_hit.empty() ||
              result.stderr_data.find("File size limit exceeded") != std::string::npos)
      << describe(result);
  ASSERT_EQ(result.notes.size(), 1U) << describe(result);
  EXPECT_EQ(result.notes[0], "the compiler ran out of disk (its limit is 256 MiB)");
}

TEST(HostileBuild, ThatOnlySpeaksOfTheDiskDidNotFillIt) {
  const auto result = run(*make_executor(), request_of("c", "#error File size limit exceeded\n"));
  EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
  EXPECT_TRUE(result.notes.empty());
}

// #include, .incbin and friends reach no file of the host, nor the files of another run.
TEST(HostileBuild, ReachesNoFileByOtherWays) {
  auto executor = make_executor();
  for (const char* path : {"/etc/shadow", "/root/.bashrc", "/proc/1/environ", COVE_TEST_CACHE}) {
    const auto result =
        run(*executor, request_of("c", "__asm__(\".incbin \\\"" + std::string(path) +
                                           "\\\"\");\nint main(void) { return 0; }\n"));
    EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << path << describe(result);
  }
  const auto probed =
      run(*executor, request_of("c",
                                "#if __has_include(\"/etc/hostname\") || "
                                "__has_include(\"/home\") || __has_include(\"/var/log/dpkg.log\")\n"
                                "#error it is there\n#endif\nint main(void) { return 0; }\n"));
  EXPECT_EQ(probed.status, ExecutionStatus::Success) << describe(probed);
  if (!missing("rust").empty()) return;
  for (const char* code :
       {"#[path = \"/etc/shadow\"]\nmod stolen;\nfn main() {}\n",
        "const B: &[u8] = include_bytes!(\"/etc/shadow\");\nfn main() { "
        "println!(\"{}\", B.len()); }\n",
        "const E: &str = env!(\"COVE_CACHE_DIR\");\nfn main() { print!(\"{E}\"); "
        "}\n"}) {
    EXPECT_EQ(run(*executor, request_of("rust", code)).status, ExecutionStatus::CompileFailed)
        << code;
  }
}

// What a compiler leaves is taken as files: a link is not followed, and nothing of it is kept.
TEST(HostileBuild, CannotHandOutALink) {
  const TemporaryProfile profile(
      "name = \"toy\"\nextension = \"toy\"\ninterpreters = [\"/bin/sh\"]\n"
      "[compile]\nrun = [\"/bin/cat\", \"{build}/main\"]\n[[compile.step]]\nname = \"build\"\n"
      "diagnostics = \"clang-text\"\nargs = [\"-c\", '''\n"
      "ln -s /etc/passwd cove-build/main; ln -s / cove-build/root; mkfifo cove-build/pipe\n"
      "echo harmless > cove-build/other\n''']\n");
  RuntimeCatalog catalog = host_catalog();
  ASSERT_TRUE(catalog.add_profile_file(profile.path()));
  const auto result = run(*make_executor(std::move(catalog)), request_of("toy", random_id("")));
  EXPECT_EQ(result.status, ExecutionStatus::Failed) << describe(result);
  EXPECT_EQ(result.stdout_data, "");
}

class KeptErrors : public OutputSink {
 public:
  void on_stdout(std::string_view /*bytes*/) override {}
  void on_stderr(std::string_view bytes) override { text += bytes; }
  std::string text;
};

// What is built need not be a program: that is told, and blamed on nobody else.
TEST(HostileBuild, OfNoProgramIsTheProgramsFault) {
  const TemporaryProfile profile(
      "name = \"toy\"\nextension = \"toy\"\ninterpreters = [\"/bin/sh\"]\n"
      "[compile]\nrun = [\"{build}/main\"]\n[[compile.step]]\nname = \"build\"\n"
      "diagnostics = \"clang-text\"\nargs = [\"-c\", \"cp main.toy cove-build/main\"]\n");
  RuntimeCatalog catalog = host_catalog();
  ASSERT_TRUE(catalog.add_profile_file(profile.path()));
  auto executor = make_executor(std::move(catalog));
  for (const char* code : {"no program", "#!/no/such/loader\n"}) {
    KeptErrors errors;
    ExecutionContext context;
    context.sink = &errors;
    const auto executed = executor->execute(request_of("toy", code), context);
    ASSERT_TRUE(executed) << executed.error().message();
    const ExecutionResult& result = *executed;
    EXPECT_EQ(result.status, ExecutionStatus::Failed) << describe(result);
    EXPECT_EQ(result.exit_code, 126);
    EXPECT_FALSE(result.killed);
    EXPECT_TRUE(result.stderr_data.starts_with("what was built cannot be started: "))
        << result.stderr_data;
    EXPECT_EQ(errors.text, result.stderr_data);
  }
}

// A library in place of a program does not compile, where the compiler can be told.
TEST(HostileBuild, OfALibraryDoesNotCompile) {
  auto executor = make_executor();
  for (const auto& [language, code] : std::vector<std::pair<std::string, std::string>>{
           {"rust", "#![crate_type = \"lib\"]\npub fn f() {}\n"},
           {"go", "package lib\n\nfunc F() {}\n"},
           {"haskell", "module Lib where\nx :: Int\nx = 1\n"}}) {
    if (!missing(language).empty()) continue;
    const auto result = run(*executor, request_of(language, code));
    EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
  }
}

// Names that cannot be kept are not the caller's.
TEST(HostileBuild, OfDeepOrLongNamesIsTheProgramsFault) {
  const TemporaryProfile profile(
      "name = \"toy\"\nextension = \"toy\"\ninterpreters = [\"/bin/sh\"]\n"
      "[compile]\nrun = [\"/bin/sh\", \"{build}/main\"]\n[[compile.step]]\nname = \"build\"\n"
      "diagnostics = \"clang-text\"\nargs = [\"-c\", \". ./main.toy; :> cove-build/main\"]\n");
  RuntimeCatalog catalog = host_catalog();
  ASSERT_TRUE(catalog.add_profile_file(profile.path()));
  auto executor = make_executor(std::move(catalog));
  for (const char* code :
       {"d=cove-build; for i in $(seq 40); do d=$d/d; done; mkdir -p $d; :> $d/x",
        ":> cove-build/$(printf '\\377%.0s' $(seq 250))"}) {
    const auto result = run(*executor, request_of("toy", code));
    EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
    EXPECT_EQ(result.diagnostics_text,
              "error: what was built has a file whose name is too long or nested too deep\n");
  }
}

TEST(ManyAtOnce, BuildTheSameAndAllRun) {
  auto executor = make_executor();
  const std::string code = unheard_of("int main(void) { return 9; }\n");
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  threads.reserve(6);
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      const auto result = executor->execute(request_of("c", code));
      if (result && result->exit_code == 9) ++right;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 6);
  EXPECT_TRUE(run(*executor, request_of("c", code)).compile->cached);
}

class LandlockLevel : public ::testing::Test {
 protected:
  void SetUp() override {
    NativeOptions options;
    options.isolation = "landlock";
    auto native = NativeExecutor::create(host_catalog(), std::move(options));
    if (!native) GTEST_SKIP() << native.error().message();
    // The guest's user must come to what was built: the clone may lie where only root does.
    ASSERT_NE(::mkdtemp(cache_.data()), nullptr);
    ASSERT_EQ(::chmod(cache_.c_str(), 0711), 0);
    auto made = CompilingExecutor::create(std::move(*native), host_catalog(), cache_);
    ASSERT_TRUE(made);
    executor_ = std::move(*made);
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(cache_, ignored);
  }
  std::unique_ptr<CompilingExecutor> executor_;

 private:
  std::string cache_ = "/tmp/cove-landlock-XXXXXX";
};

TEST_F(LandlockLevel, CompilesAndProtectsWhatWasBuilt) {
  const auto request = request_of(
      "c", unheard_of("#include <stdio.h>\n#include <unistd.h>\nint main(int n, char** v) {\n"
                      "  (void)n;\n  FILE* own = fopen(v[0], \"r+\");\n"
                      "  puts(own || unlink(v[0]) == 0 || rename(v[0], \"x\") == 0 ? \"changed\" : "
                      "\"same\");\n}\n"));
  for (int i = 0; i < 2; ++i) {
    const auto result = run(*executor_, request);
    EXPECT_EQ(result.stdout_data, "same\n") << describe(result);
    EXPECT_EQ(result.isolation, "landlock");
    EXPECT_EQ(result.compile->cached, i > 0);
  }
}

// Where /workspace is another directory, for profiles only.
TEST_F(LandlockLevel, LeavesTheNamesOfFilesAlone) {
  auto request = request_of("c", "int f(void);\nint main(void) { return f(); }\n");
  request.files = {{"a/workspace/{tmp}.c", "int f(void) { return 7; }\n", {}}};
  const auto result = run(*executor_, request);
  EXPECT_EQ(result.exit_code, 7) << describe(result);
}

// Where a compiler keeps what is not the result.
TEST_F(LandlockLevel, EveryCompilerHasAPlaceForItsTemporaryFiles) {
  for (const auto& [language, code] : std::vector<std::pair<std::string, std::string>>{
           {"haskell", "main :: IO ()\nmain = putStrLn \"ok\"\n"},
           {"ocaml", "let () = print_endline \"ok\"\n"},
           {"csharp", "class P { static void Main() { System.Console.WriteLine(\"ok\"); } }\n"},
           {"zig", "pub fn main() void {}\n"}}) {
    if (!missing(language).empty()) continue;
    const auto result = run(*executor_, request_of(language, code));
    EXPECT_EQ(result.status, ExecutionStatus::Success) << language << describe(result);
  }
}

// A compiler finds other files at the other level: what it said there does not count here.
TEST_F(LandlockLevel, BuildsAreItsOwn) {
  const auto request =
      request_of("clang", "#include \"/proc/self/environ\"\nint main(void) { return 0; }\n");
  if (!missing("clang").empty()) GTEST_SKIP() << missing("clang");
  auto native = NativeExecutor::create(host_catalog());
  ASSERT_TRUE(native);
  const auto directory = executor_->cache_directory();
  ASSERT_TRUE(directory);
  auto roomy = CompilingExecutor::create(std::move(*native), host_catalog(), *directory);
  ASSERT_TRUE(roomy);
  EXPECT_FALSE(run(**roomy, request).compile->cached);
  EXPECT_TRUE(run(**roomy, request).compile->cached);
  const auto result = run(*executor_, request);
  EXPECT_FALSE(result.compile->cached);
  EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
}

// Whether a user other than the owner can come to `path`.
bool is_open_to_others(std::filesystem::path path) {
  for (; path.has_relative_path(); path = path.parent_path()) {
    struct stat facts = {};
    if (::stat(path.c_str(), &facts) != 0 || (facts.st_mode & S_IXOTH) == 0) return false;
  }
  return true;
}

// Why a guest cannot have Cove's own files; empty: it can.
std::string closed_to_guests() {
  if (::geteuid() != 0 || is_open_to_others(*data_dir())) return "";
  return "the guest's user cannot come to " + *data_dir();
}

TEST_F(LandlockLevel, EveryHarnessFindsItsInput) {
  if (const std::string why = closed_to_guests(); !why.empty()) GTEST_SKIP() << why;
  for (const auto& [language, code] : std::vector<std::pair<std::string, std::string>>{
           {"python", "def run(input): return input\n"},
           {"javascript", "function run(input) { return input; }\n"},
           {"typescript", "function run(input: number) { return input; }\n"},
           {"cpp", "cove::json run(const cove::json& j) { return j; }\n"},
           {"go", "func run(input int) int { return input }\n"},
           {"java", "class A { static Object run(Object input) { return input; } }\n"}}) {
    if (!missing(language).empty()) continue;
    auto harnessed = request_of(language, code);
    harnessed.input = json::value(7);
    const auto result = run(*executor_, harnessed);
    EXPECT_EQ(result.output, json::value(7)) << language << describe(result);
  }
}

// Which runs it as a module, from a temporary file.
TEST_F(LandlockLevel, TypeScriptThatWaitsAtItsTopLevel) {
  if (const std::string why = closed_to_guests(); !why.empty()) GTEST_SKIP() << why;
  if (const std::string why = missing("typescript"); !why.empty()) GTEST_SKIP() << why;
  const auto result = run(
      *executor_, request_of("typescript", "console.log(await Promise.resolve(2));\nexport {};\n"));
  EXPECT_EQ(result.stdout_data, "2\n") << describe(result);
}

// rustup keeps its compilers in a home; where the guest's user cannot come there, the error says
// so.
TEST_F(LandlockLevel, RustWorksOrSaysWhyNot) {
  if (const std::string why = missing("rust"); !why.empty()) GTEST_SKIP() << why;
  const auto result = executor_->execute(request_of("rust", "fn main() { println!(\"ok\"); }\n"));
  if (result) {
    EXPECT_EQ(result->stdout_data, "ok\n") << describe(*result);
  } else {
    EXPECT_NE(result.error().message().find("may not enter a directory"), std::string::npos)
        << result.error().message();
  }
}

TEST(RustHarness, WithoutSerdeJsonSaysWhereItLooked) {
  if (const std::string why = missing("rust"); !why.empty()) GTEST_SKIP() << why;
  std::ifstream stream(*data_dir() + "/profiles/rust.toml");
  std::string text(std::istreambuf_iterator<char>(stream), {});
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"/usr/share/cargo/registry", "/usr/share/no-registry"},
           {"name = \"rust\"", "name = \"bare-rust\""}}) {
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  }
  const TemporaryProfile profile(text);
  RuntimeCatalog catalog = host_catalog();
  ASSERT_TRUE(catalog.add_profile_file(profile.path()));
  auto request = request_of("bare-rust", "fn run(i: Value) -> Value { i }\n");
  request.input = json::value(1);
  const auto result = make_executor(std::move(catalog))->execute(request);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::DependencyNotFound);
  EXPECT_EQ(result.error().message(),
            "preparing bare-rust failed: dependency itoa not found: looked for "
            "/usr/share/no-registry/itoa-*. To get it: apt install librust-serde-json-dev");
}

}  // namespace
}  // namespace cove::toolchain
