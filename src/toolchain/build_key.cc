#include <sys/stat.h>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "runtime/symlink_chain.h"
#include "toolchain/compiler.h"
#include "toolchain/harness.h"

namespace cove {
namespace {

constexpr std::string_view kVersion = "cove build 1";

// A file that was replaced has another inode or time. Asking the compiler for its version would
// start it with each run, and tell less.
void add_file(ContentHash& hash, const std::string& path) {
  const std::string real = symlink_chain(path).back();
  struct stat facts = {};
  (void)::stat(real.c_str(), &facts);
  hash.add(fmt::format("{} {} {} {}.{}", real, facts.st_ino, facts.st_size, facts.st_mtim.tv_sec,
                       facts.st_mtim.tv_nsec));
}

void add_list(ContentHash& hash, const std::vector<std::string>& list) {
  hash.add(std::to_string(list.size()));
  for (const std::string& item : list) hash.add(item);
}

void add_compiler(ContentHash& hash, const Runtime& runtime) {
  const CompileProfile& compile = *runtime.profile.compile;
  hash.add(runtime.profile.name);
  add_file(hash, runtime.interpreter);
  add_list(hash, compile.prepare);
  for (const auto& [name, value] : compile.env) {
    if (name != kEntryVariable) hash.add(fmt::format("{}={}", name, value));
  }
}

}  // namespace

std::string prepare_key(const Runtime& runtime) {
  ContentHash hash;
  hash.add(kVersion);
  add_compiler(hash, runtime);
  return hash.finish();
}

std::string build_key(const Program& program, const Runtime& runtime) {
  ContentHash hash;
  hash.add(kVersion);
  add_compiler(hash, runtime);
  for (const CompileStep& step : runtime.profile.compile->steps) {
    hash.add(step.name);
    hash.add(step.diagnostics);
    if (step.command) add_file(hash, *step.command);
    add_list(hash, step.args);
  }
  hash.add(program.entry);
  add_list(hash, program.sources);
  for (const ExecFile& file : program.files) {
    hash.add(file.name);
    hash.add(file.content);
  }
  return hash.finish();
}

}  // namespace cove
