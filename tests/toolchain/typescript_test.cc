// TypeScript's types, checked by tsc before the program runs.
#include <filesystem>
#include <fstream>

#include "base/random_id.h"
#include "toolchain/toolchain_fixture.h"

namespace cove::toolchain {
namespace {

class TypeScript : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = missing("typescript"); !why.empty()) GTEST_SKIP() << why;
    const auto catalog = host_catalog();
    if (const auto checker = catalog.find_check(*catalog.find_profile("ts")); !checker) {
      GTEST_SKIP() << checker.error().message();
    }
    executor_ = make_executor();
  }
  ExecutionResult run_code(const std::string& code) {
    return run(*executor_, request_of("typescript", code));
  }

  std::unique_ptr<CompilingExecutor> executor_;
};

TEST_F(TypeScript, AnErrorOfTypesHasItsPlaceAndNothingRuns) {
  const auto result = run_code(
      "console.log('ran');\n/* éé */ const größe: string = 5;\nconsole.log(größe.length);\n");
  EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
  EXPECT_EQ(result.stdout_data, "");
  ASSERT_EQ(result.diagnostics.size(), 1U) << describe(result);
  EXPECT_EQ(result.diagnostics[0].code, "TS2322");
  const auto& span = result.diagnostics[0].spans.at(0);
  EXPECT_EQ(span.file_name, "main.ts");
  EXPECT_EQ(span.line_start, 2U);
  EXPECT_EQ(span.column_start, 16U);
  EXPECT_EQ(span.column_end, 21U);
  EXPECT_NE(result.diagnostics_text.value_or("").find("^^^^^"), std::string::npos);
}

// A tsc that only starts the real one: there is no library beside it that could be kept loaded.
class Launcher {
 public:
  explicit Launcher(const std::string& tsc) {
    namespace fs = std::filesystem;
    directory_ = fs::temp_directory_path() / random_id("cove-tsc-");
    fs::create_directories(directory_);
    fs::permissions(directory_, fs::perms(0755));
    std::ofstream(directory_ / "tsc") << "#!/usr/bin/env node\nrequire('" << tsc << "');\n";
    fs::permissions(directory_ / "tsc", fs::perms(0755));
  }
  ~Launcher() { std::filesystem::remove_all(directory_); }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  CommandPath path() const {
    CommandPath path = CommandPath::of_host();
    path.directories.insert(path.directories.begin(), directory_);
    return path;
  }

 private:
  std::filesystem::path directory_;
};

// Loaded or started, tsc says the same.
TEST_F(TypeScript, WhereTheCompilerCannotBeKeptLoadedItIsStarted) {
  const auto catalog = host_catalog();
  const auto checker = catalog.find_check(*catalog.find_profile("ts"));
  ASSERT_EQ(checker->needs.size(), 2U);
  const Launcher launcher(std::filesystem::canonical(checker->needs[1]));
  const auto started = make_executor(catalog.with_path(launcher.path()));
  for (const char* const code : {
           "let n: number = 'a';\nlet s: string = 1;\n",
           "const broken: = ;\nlet n: number = 'a';\n",
           "declare global { interface Array<T> { own(): T } }\n[1].own();\n[1].other();\nexport "
           "{};\n",
           "enum E { A }\nconst e: E.B = 1;\nfunction f(): never { }\n",
           "class A { private x = 1 }\nnew A().x;\nnew A().missing;\n",
           "import * as fs from 'fs';\nfs.anything;\nconst a: Promise<number> = "
           "Promise.resolve('x');\n",
       }) {
    const std::string program = unheard_of(code);
    const auto expected = run(*started, request_of("typescript", program));
    const auto found = run_code(program + "\n");  // another program: what was found is not shared
    EXPECT_EQ(expected.status, ExecutionStatus::CompileFailed) << describe(expected);
    EXPECT_FALSE(found.compile->cached);
    EXPECT_EQ(found.diagnostics_text, expected.diagnostics_text) << code;
  }
}

TEST_F(TypeScript, WhatIsCheckedIsCheckedOnce) {
  const std::string code = unheard_of("const n: number = 42;\nconsole.log(n);\n");
  const auto first = run_code(code);
  EXPECT_EQ(first.stdout_data, "42\n") << describe(first);
  ASSERT_TRUE(first.compile);
  EXPECT_FALSE(first.compile->cached);
  ASSERT_GE(first.compile->steps.size(), 2U);  // the first of all checks is prepared
  EXPECT_EQ(first.compile->steps[first.compile->steps.size() - 2].name, "check");
  const auto second = run_code(code);
  EXPECT_TRUE(second.compile->cached);
  EXPECT_EQ(second.stdout_data, "42\n");
  EXPECT_EQ(second.compile->steps.size(), 1U);
  EXPECT_TRUE(second.notes.empty());
}

// What a program for node, bun or deno may say without declaring it.
TEST_F(TypeScript, ProgramsOfNodeAreNotAccused) {
  const auto result = run_code(
      "import { readFileSync } from 'node:fs';\nimport path from 'path';\n"
      "import type { Server } from 'http';\nimport EventEmitter from 'events';\n"
      "class E extends EventEmitter { constructor() { super(); this.on('x', () => {}); } }\n"
      "let server: Server | undefined;\nconst timer: NodeJS.Timeout = setTimeout(() => {}, 1);\n"
      "clearTimeout(timer);\nconst name = 'x', status = 1, event = 2;\n"
      "const b: Buffer = Buffer.from('x');\nconst u: URL = new URL('http://x/');\n"
      "const later = (untyped, more) => untyped + more;\nnew E();\n"
      "console.log(process.argv.length, path.join('a', 'b'), name, status + event, later(1, "
      "2));\n");
  EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
  EXPECT_TRUE(result.stdout_data.ends_with("a/b x 3 3\n")) << describe(result);
}

TEST_F(TypeScript, OfSeveralFiles) {
  auto request =
      request_of("typescript", "import { twice } from './helper';\nconsole.log(twice('2'));\n");
  request.files = {{"helper.ts", "export const twice = (n: number): number => 2 * n;\n", {}}};
  const auto wrong = run(*executor_, request);
  EXPECT_EQ(wrong.status, ExecutionStatus::CompileFailed) << describe(wrong);
  EXPECT_EQ(wrong.diagnostics.at(0).code, "TS2345");
  request.code = "import { twice } from './helper';\nconsole.log(twice(2));\n";
  EXPECT_EQ(run(*executor_, request).stdout_data, "4\n");
  // A file that has the program's name.
  request.files.push_back({"main.ts", "export const x: string = 1;\n", {}});
  const auto named = executor_->execute(request);
  EXPECT_TRUE(!named || named->status != ExecutionStatus::CompileFailed);
}

TEST_F(TypeScript, DiagnosticsHaveTheNameOfTheFile) {
  auto request = request_of("typescript", "const n: string = 5;\nconsole.log(n);\n");
  for (const std::string name : {"prog.ts", "prog.mts", "prog.cts", "-a b.ts"}) {
    request.entry = name;
    const auto result = run(*executor_, request);
    EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
    ASSERT_EQ(result.diagnostics.size(), 1U) << describe(result);
    EXPECT_EQ(result.diagnostics[0].spans.at(0).file_name, name);
    EXPECT_FALSE(result.diagnostics[0].spans[0].text.empty());
  }
  // A checker passes over what declarations have.
  request.entry = "prog.d.ts";
  EXPECT_EQ(run(*executor_, request).status, ExecutionStatus::CompileFailed);
  request.entry = "prog.ts";
  request.code = "const n: number = 5;\nconsole.log(n);\n";
  EXPECT_EQ(run(*executor_, request).stdout_data, "5\n");
  request.entry = "src/prog.ts";
  const auto placed = executor_->execute(request);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().field(), "entry");
  request.entry = "prog.ts";
  request.code.clear();
  EXPECT_EQ(run(*executor_, request).status, ExecutionStatus::Success);
}

TEST_F(TypeScript, AFileThatIsNotThereIsAnError) {
  auto request = request_of("typescript",
                            "import './nosuch';\nimport { y } from './nope';\n"
                            "import type { Q } from './helper';\nexport * from '../far';\n"
                            "const later = () => import('./later');\n"
                            "const s = './no-import'; // import './comment'\n");
  request.files = {{"helper.ts", "import z from './deep/z';\nexport type Q = 1;\n", {}}};
  const auto result = run(*executor_, request);
  EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
  std::string places;
  for (const Diagnostic& diagnostic : result.diagnostics) {
    EXPECT_EQ(diagnostic.code, "TS2307");
    const auto& span = diagnostic.spans.at(0);
    places += span.file_name + ":" + std::to_string(span.line_start) + " ";
  }
  EXPECT_EQ(places, "main.ts:1 main.ts:2 main.ts:4 main.ts:5 helper.ts:1 ");
  EXPECT_EQ(result.diagnostics.at(0).message,
            "Cannot find module './nosuch': there is no such file.");
  EXPECT_EQ(result.diagnostics[0].spans[0].column_start, 8U);
}

TEST_F(TypeScript, FilesThatAreThereAreFound) {
  auto request = request_of(
      "typescript",
      "import { a } from './a.js';\nimport { b } from './dir';\nimport c from './c.json';\n"
      "import { d } from './d';\nimport 'fs';\nimport lodash from 'no-such-package';\n"
      "const s = './nothing';\nconsole.log(a + b + c.n + d, s);\n");
  request.files = {{"a.ts", "export const a = 1;\n", {}},
                   {"dir/index.ts", "import '../a';\nexport const b = 2;\n", {}},
                   {"c.json", "{\"n\": 3}", {}},
                   {"d.js", "exports.d = 4;\n", {}}};
  const auto result = run(*executor_, request);
  EXPECT_EQ(result.stdout_data, "10 ./nothing\n") << describe(result);
}

TEST_F(TypeScript, FilesOfTheHostAreNotThere) {
  const auto result = run_code("/// <reference path=\"/etc/shadow\" />\nconsole.log(1);\n");
  EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
  EXPECT_NE(result.compile->output.find("/etc/shadow"), std::string::npos);
  EXPECT_EQ(result.compile->output.find("root:"), std::string::npos);
}

TEST_F(TypeScript, TypesWithoutEndAreBounded) {
  const auto result = run_code(
      "type Deep<N extends any[]> = Deep<[...N, 1]>;\nconst x: Deep<[]> = 1;\nconsole.log(x);\n");
  EXPECT_EQ(result.status, ExecutionStatus::CompileFailed) << describe(result);
}

TEST_F(TypeScript, ALargeProgramItsInputItsEndAndItsErrors) {
  std::string code = "const größe: number = [\n";
  for (int i = 0; i < 5000; ++i) code += "  1,\n";
  code += "].length;\n";
  auto request = request_of(
      "typescript", code +
                        "console.log(größe, require('fs').readFileSync(0, 'utf8').length);\n"
                        "process.exit(3);\n");
  request.stdin_data = "four";
  const auto result = run(*executor_, request);
  EXPECT_EQ(result.stdout_data, "5000 4\n") << describe(result);
  EXPECT_EQ(result.exit_code, 3);
  const auto thrown = run_code("function f(): never { throw new Error('boom'); }\nf();\n");
  EXPECT_EQ(thrown.status, ExecutionStatus::Failed);
  EXPECT_NE(thrown.stderr_data.find("boom"), std::string::npos) << describe(thrown);
}

TEST_F(TypeScript, OtherLanguagesHaveNoCheck) {
  if (const std::string why = missing("javascript"); !why.empty()) GTEST_SKIP() << why;
  const auto result = run(*executor_, request_of("javascript", "console.log(1)"));
  EXPECT_EQ(result.stdout_data, "1\n");
  EXPECT_FALSE(result.compile);
}

// A host without tsc: the same profile, asking for a command that is nowhere.
TEST(TypeScriptWithoutTsc, RunsUncheckedAndSaysSo) {
  if (const std::string why = missing("typescript"); !why.empty()) GTEST_SKIP() << why;
  RuntimeCatalog catalog = host_catalog();
  const TemporaryProfile profile(
      "name = \"ts-unchecked\"\nextends = \"typescript\"\n[check]\ncommand = \"node\"\n"
      "needs = [\"tsc-that-nobody-has\"]\ninstall = \"find one\"\n"
      "[[check.step]]\nname = \"check\"\ndiagnostics = \"tsc-text\"\nargs = [\"{entry}\"]\n");
  ASSERT_TRUE(catalog.add_profile_file(profile.path()));
  auto executor = make_executor(std::move(catalog));
  const auto result =
      run(*executor, request_of("ts-unchecked", "const n: string = 5 as any;\nconsole.log(n);\n"));
  EXPECT_EQ(result.stdout_data, "5\n") << describe(result);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_EQ(result.notes[0],
            "the program was not checked before it ran: tsc-that-nobody-has is not here. To get "
            "it: find one");
}

}  // namespace
}  // namespace cove::toolchain
