#include "toolchain/harness.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/fill_text.h"
#include "base/replace_all.h"
#include "executor/has_no_harness.h"
#include "toolchain/go_package.h"
#include "toolchain/guest_file.h"
#include "toolchain/source_words.h"

namespace cove {
namespace {

// "src/" of "src/main.go".
std::string directory_of(const std::string& name) {
  const auto slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash + 1);
}

std::string base_of(const std::string& name) {
  const auto slash = name.rfind('/');
  return slash == std::string::npos ? name : name.substr(slash + 1);
}

// The harness's files, beside the program.
Result<> add_files(Program& program, const HarnessProfile& harness) {
  for (const std::string& name : harness.files) {
    COVE_ASSIGN(std::string text, read_guest_file("harness/" + name));
    std::string beside = directory_of(program.entry) + base_of(name);
    if (std::ranges::find(program.files, beside, &ExecFile::name) != program.files.end()) {
      return Err(Error::invalid_field("files", fmt::format("{} is a file of the harness", beside)));
    }
    program.files.push_back({std::move(beside), std::move(text), std::nullopt});
  }
  return {};
}

// What compilers will say of `run`, they say of these files.
RunContract contract_of(const Program& program, const HarnessProfile& harness) {
  RunContract out{harness.signature, harness.signature_note, harness.syntax, program.entry, {}};
  for (const std::string& name : harness.calls_run) {
    const bool is_beside = std::ranges::find(harness.files, name) != harness.files.end();
    out.callers.push_back(is_beside ? directory_of(program.entry) + base_of(name)
                                    : "/harness/" + name);
  }
  return out;
}

}  // namespace

Result<> put_in_harness(Program& program, Runtime& runtime) {
  CompileProfile& compile = *runtime.profile.compile;
  if (!compile.harness) {
    return Err(has_no_harness(runtime.profile.name));
  }
  const HarnessProfile& harness = *compile.harness;
  const auto file = std::ranges::find(program.files, program.entry, &ExecFile::name);
  const std::string words = source_words(file->content, harness.syntax);
  for (const auto& [text, message] : harness.refused) {
    if (!has_words(words, text)) continue;
    return Err(Error(ErrorCode::InvalidCode,
                     fmt::format("{}. Provide only `{}`; without `input` a whole program runs as "
                                 "it is",
                                 message, harness.signature)));
  }
  std::vector<ExecFile> given = program.files;
  if (!harness.prefix.empty() && !has_words(words, harness.unless)) {
    file->content = replace_all(harness.prefix, "{entry}", base_of(program.entry)) + file->content;
    program.written = std::move(given);
  } else if (harness.syntax == "go" && make_package_main(program.files, program.entry)) {
    program.written = std::move(given);
  }
  COVE_TRY(add_files(program, harness));
  program.run = contract_of(program, harness);
  compile.env.emplace_back(kEntryVariable, literal(base_of(program.entry)));
  if (!harness.entry.empty()) program.entry = directory_of(program.entry) + harness.entry;
  list_sources(program, compile);
  auto& args = compile.steps.front().args;
  args.insert(args.end(), harness.args.begin(), harness.args.end());
  if (!harness.run.empty()) compile.run = harness.run;
  if (!harness.prepare.empty()) {
    compile.prepare = harness.prepare;
    program.prepare_text.clear();
    for (const std::string& name : harness.prepare_files) {
      COVE_ASSIGN(const std::string text, read_guest_file("harness/" + name));
      program.prepare_text += text;
    }
  }
  return {};
}

}  // namespace cove
