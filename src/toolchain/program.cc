#include "toolchain/program.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/strings.h"
#include "toolchain/guest_file.h"
#include "toolchain/java_class.h"

namespace cove {
namespace {

std::string directory_of(const std::string& name) {
  const auto slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash);
}

bool is_compiled_along(const std::string& name, const std::string& entry,
                       const CompileProfile& compile) {
  const auto dot = name.rfind('.');
  if (name == entry || dot == std::string::npos) return false;
  const std::string extension = name.substr(dot + 1);
  if (std::ranges::find(compile.sources, extension) == compile.sources.end()) return false;
  // Go's tests are not part of the program.
  if (name.ends_with("_test.go")) return false;
  return compile.source_tree || directory_of(name) == directory_of(entry);
}

Result<> check_names(const std::vector<ExecFile>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string& name = files[i].name;
    if (name == kOutDirectory || name.starts_with(std::string(kOutDirectory) + "/")) {
      return Err(
          Error::invalid_field(fmt::format("files[{}].name", i),
                               fmt::format("{} is where the compiler writes", kOutDirectory)));
    }
  }
  return {};
}

}  // namespace

Result<Program> make_program(const ExecutionRequest& request, const CompileProfile& compile) {
  Program program;
  program.files = request.files;
  COVE_TRY(check_names(program.files));
  const auto named = [&](const std::string& name) {
    return std::ranges::find(program.files, name, &ExecFile::name);
  };
  program.entry = request.entry;
  // Where nothing is built, the program is what an interpreter will run: the code.
  const bool may_be_file = request.code.empty() && !request.entry.empty() && !compile.run.empty();
  const bool is_file = may_be_file && named(program.entry) != program.files.end();
  // Without files it is an empty program, and the compiler says what is wrong with that.
  if (may_be_file && !is_file && !program.files.empty()) {
    return Err(Error::invalid_field(
        "entry", fmt::format("there is no file {}; without code, it must be one of files",
                             quoted(program.entry))));
  }
  const std::string code = is_file ? named(program.entry)->content : request.code;
  const bool by_class = compile.entry.find("{class}") != std::string::npos;
  if (by_class) {
    const JavaClass found = find_java_class(code);
    program.main_class = found.main_class;
    if (program.entry.empty()) program.entry = found.file_stem + ".java";
  } else if (program.entry.empty()) {
    program.entry = compile.entry;
  }
  if (!is_file) {
    if (named(program.entry) != program.files.end()) {
      return Err(Error::invalid_field(
          "files",
          fmt::format("{} is the program itself, which is not one of them; a file beside it needs "
                      "another name",
                      quoted(program.entry))));
    }
    program.files.push_back({program.entry, code, std::nullopt});
  }
  list_sources(program, compile);
  for (const std::string& name : compile.prepare_files) {
    COVE_ASSIGN(const std::string text, read_guest_file(name));
    program.prepare_text += text;
  }
  return program;
}

void list_sources(Program& program, const CompileProfile& compile) {
  program.sources = {program.entry};
  for (const ExecFile& file : program.files) {
    if (is_compiled_along(file.name, program.entry, compile)) program.sources.push_back(file.name);
  }
  // What starts with a dash would be read as an option.
  for (std::string& source : program.sources) {
    if (source.starts_with('-') || source.starts_with('@')) source.insert(0, "./");
  }
}

}  // namespace cove
