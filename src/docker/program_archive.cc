#include "docker/program_archive.h"

#include <set>
#include <vector>

#include <fmt/format.h>

#include "docker/tar_stream.h"

namespace cove {

namespace {

// The directories of a name, outermost first: "a", "a/b" of "a/b/c".
std::vector<std::string> parents_of(const std::string& name) {
  std::vector<std::string> out;
  for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    out.push_back(name.substr(0, slash));
  }
  return out;
}

}  // namespace

std::string program_archive(const std::string& name, const std::string& work,
                            const LanguageProfile& profile, const ExecutionRequest& request) {
  TarWriter tar;
  const std::string code = name + ".code";
  const std::string program = "main." + profile.extension;
  tar.directory(name);
  tar.directory(code);
  tar.file(code + "/" + program, request.code);
  std::set<std::string> made;
  for (const ExecFile& file : request.files) {
    for (const std::string& parent : parents_of(file.name)) {
      if (made.insert(parent).second) tar.directory(fmt::format("{}/{}", name, parent));
    }
    tar.file(fmt::format("{}/{}", name, file.name), file.content);
    const std::string top = file.name.substr(0, file.name.find('/'));
    if (profile.link_files && top != program && made.insert("code/" + top).second) {
      tar.symbolic_link(fmt::format("{}/{}", code, top), fmt::format("{}/{}", work, top));
    }
  }
  return tar.finish();
}

}  // namespace cove
