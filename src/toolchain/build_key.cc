#include <array>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "toolchain/compiler.h"
#include "toolchain/file_state.h"
#include "toolchain/harness.h"

namespace cove {
namespace {

constexpr std::string_view kVersion = "cove build 4";

// What changes when a package does, or when somebody puts a header or a library where compilers
// look for them: the databases of package managers, and directories that no package owns.
constexpr std::array<const char*, 8> kSystemState{"/var/lib/dpkg/status",
                                                  "/var/lib/rpm/rpmdb.sqlite",
                                                  "/usr/lib/sysimage/rpm/rpmdb.sqlite",
                                                  "/lib/apk/db/installed",
                                                  "/var/lib/pacman/local",
                                                  "/etc/ld.so.cache",
                                                  "/usr/local/include",
                                                  "/usr/local/lib"};

// An image never changes: its directory says which one it is.
void add_tool(ContentHash& hash, const Runtime& runtime, const std::string& path) {
  if (runtime.root.empty()) {
    hash.add(file_state(path));
  } else {
    hash.add(runtime.root + " " + path);
  }
}

void add_system_state(ContentHash& hash, const Runtime& runtime) {
  if (!runtime.root.empty()) return;
  for (const char* const path : kSystemState) hash.add(file_state(path));
}

void add_list(ContentHash& hash, const std::vector<std::string>& list) {
  hash.add(std::to_string(list.size()));
  for (const std::string& item : list) hash.add(item);
}

void add_compiler(ContentHash& hash, const Runtime& runtime) {
  const CompileProfile& compile = *runtime.profile.compile;
  hash.add(runtime.profile.name);
  add_tool(hash, runtime, runtime.interpreter);
  for (const std::string& need : runtime.needs) add_tool(hash, runtime, need);
  add_list(hash, compile.prepare);
  for (const auto& [name, value] : compile.env) {
    if (name != kEntryVariable) hash.add(fmt::format("{}={}", name, value));
  }
}

}  // namespace

std::string prepare_key(const Program& program, const Runtime& runtime,
                        std::string_view isolation) {
  ContentHash hash;
  hash.add(kVersion);
  add_compiler(hash, runtime);
  // Paths inside are others at another level, and a precompiled header knows its own.
  hash.add(isolation);
  hash.add(program.prepare_text);
  if (!runtime.profile.compile->prepare_lasts) add_system_state(hash, runtime);
  return hash.finish();
}

std::string build_key(const Program& program, const Runtime& runtime, std::string_view isolation) {
  ContentHash hash;
  hash.add(kVersion);
  add_compiler(hash, runtime);
  hash.add(isolation);
  add_system_state(hash, runtime);
  hash.add(program.prepare_text);
  for (const CompileStep& step : runtime.profile.compile->steps) {
    hash.add(step.name);
    hash.add(step.diagnostics);
    if (step.command) add_tool(hash, runtime, *step.command);
    add_list(hash, step.args);
    add_list(hash, step.optional_args);
    add_list(hash, step.ignored);
  }
  if (program.run) add_list(hash, {program.run->signature, program.run->signature_note});
  hash.add(program.entry);
  // In a harness that is the harness's own file, and this says which is the caller's.
  for (const auto& [name, value] : runtime.profile.compile->env) {
    if (name == kEntryVariable) hash.add(value);
  }
  add_list(hash, program.sources);
  for (const ExecFile& file : program.files) {
    hash.add(file.name);
    hash.add(file.content);
  }
  return hash.finish();
}

}  // namespace cove
